// The last event ID in the user defaults. The privacy manifest beside the sources declares this use of the API.

import Foundation
public import ServerSentEvents

/// A store that keeps the last event ID in the user defaults, for a stream that is to go on after the next launch.
///
/// Defaults are kept in memory and written by the system in the background, so neither call waits for a disk; an ID
/// stored just before a crash may be lost, which makes the server send some events twice. Where that matters, take
/// ``FileLastEventIDStore``.
public struct UserDefaultsLastEventIDStore: LastEventIDStore {
  /// The key.
  public let key: String
  /// The suite, an app group for instance; `nil` for the standard defaults.
  public let suiteName: String?

  /// Creates a store.
  ///
  /// - Parameters:
  ///   - key: one for each stream of each account.
  ///   - suiteName: the suite, or `nil` for the standard defaults.
  public init(key: String, suiteName: String? = nil) {
    self.key = key
    self.suiteName = suiteName
  }

  /// The ID under the key; `nil` if there's none.
  public func load() async -> String? {
    guard let text = defaults.string(forKey: key), !text.isEmpty else { return nil }
    return text
  }

  /// Keeps the ID under the key, or removes the key if the ID is empty.
  public func store(_ lastEventID: String) async {
    if lastEventID.isEmpty {
      defaults.removeObject(forKey: key)
    } else {
      defaults.set(lastEventID, forKey: key)
    }
  }

  // Looked up each time: the object isn't Sendable everywhere, and both lookups are cheap.
  private var defaults: UserDefaults {
    suiteName.flatMap { UserDefaults(suiteName: $0) } ?? .standard
  }
}
