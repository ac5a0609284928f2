// The Swift sources of a package, for what is better known before they are built.

import Foundation

/// A source that can be read.
struct SwiftSource {
  let path: String
  let lines: [Substring]

  /// Those below a folder, in the order of their paths; each is read when it is its turn.
  static func all(below folder: String) -> some Sequence<SwiftSource> {
    let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
    return names.filter { $0.hasSuffix(".swift") }.sorted().lazy.compactMap { name in
      let path = "\(folder)/\(name)"
      guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return nil }
      return SwiftSource(
        path: path, lines: text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline))
    }
  }
}
