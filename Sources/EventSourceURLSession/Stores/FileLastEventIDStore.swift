// The last event ID in a file. Disk work is done on a queue of the store's own, never on the caller's actor.

import Dispatch
public import Foundation
public import ServerSentEvents

/// A store that keeps the last event ID in a file, for a stream that is to go on after the next launch.
///
/// The file holds the ID's UTF-8 bytes and nothing else. It's replaced as a whole, so that a crash leaves the old ID or
/// the new one, and removed when the ID is reset. Two processes may share a file; the last writer wins.
public struct FileLastEventIDStore: LastEventIDStore {
  /// The file.
  public let url: URL
  private let queue = DispatchQueue(label: "FileLastEventIDStore")

  /// The longest ID in bytes that is stored or loaded: 64 KiB. No server takes a header field of that size, so a longer
  /// one would end the stream rather than resume it.
  public static let longestID = 64 << 10

  /// Creates a store; the file and its folder are made when there is something to store.
  ///
  /// - Parameter url: a file URL, one for each stream of each account, in Application Support for instance.
  public init(url: URL) {
    precondition(url.isFileURL, "the last event ID can only be stored in a file on this machine")
    self.url = url
  }

  /// The ID in the file; `nil` if there's no file.
  ///
  /// Throws ``LastEventIDStoreError`` if the file holds something that is no last event ID.
  public func load() async throws -> String? {
    try await perform { [url] in
      let handle: FileHandle
      do {
        handle = try FileHandle(forReadingFrom: url)
      } catch CocoaError.fileReadNoSuchFile, CocoaError.fileNoSuchFile {
        return nil
      }
      defer { try? handle.close() }
      let bytes = try handle.read(upToCount: Self.longestID + 1) ?? Data()
      guard bytes.count <= Self.longestID else {
        throw LastEventIDStoreError(.tooLong, place: url.path)
      }
      // CR, LF and NUL can't be part of an ID: the file is somebody else's, or damaged.
      guard let text = String(data: bytes, encoding: .utf8),
        !text.utf8.contains(where: { [0, 10, 13].contains($0) })
      else {
        throw LastEventIDStoreError(.damaged, place: url.path)
      }
      return text.isEmpty ? nil : text
    }
  }

  /// Replaces the file, or removes it if the ID is empty.
  public func store(_ lastEventID: String) async throws {
    guard lastEventID.utf8.count <= Self.longestID else {
      throw LastEventIDStoreError(.tooLong, place: url.path)
    }
    try await perform { [url] in
      if lastEventID.isEmpty {
        do {
          try FileManager.default.removeItem(at: url)
        } catch CocoaError.fileNoSuchFile, CocoaError.fileReadNoSuchFile {
        }
        return
      }
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(lastEventID.utf8).write(to: url, options: .atomic)
    }
  }

  private func perform<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value
  {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { continuation.resume(with: Result(catching: work)) }
    }
  }
}

/// A last event ID that could not be stored or loaded.
public struct LastEventIDStoreError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What was wrong. More codes may be added.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// What was wrong, in words.
    public let description: String
    /// The ID is longer than ``FileLastEventIDStore/longestID``.
    public static let tooLong = Code(description: "it is longer than \(FileLastEventIDStore.longestID) bytes")
    /// What is stored is no last event ID.
    public static let damaged = Code(description: "what is stored there is not UTF-8 text of one line")
  }

  /// What was wrong.
  public let code: Code
  /// The file or the key.
  public let place: String

  /// Creates an error about a file or a key.
  public init(_ code: Code, place: String) {
    self.code = code
    self.place = place
  }

  /// Equal when the codes are.
  public static func == (a: LastEventIDStoreError, b: LastEventIDStoreError) -> Bool { a.code == b.code }

  /// Hashes the code.
  public func hash(into hasher: inout Hasher) { hasher.combine(code) }

  /// What happened, where, and what to do.
  public var description: String {
    "the last event ID in \(place) can't be used: \(code); "
      + (code == .tooLong
        ? "keep it in a store of your own, or have the server send shorter ones"
        : "remove it to start the stream anew")
  }
}
