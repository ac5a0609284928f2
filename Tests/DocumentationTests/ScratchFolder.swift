// What the suites of this target share: where the repository is, and a place for files.

import Foundation

/// The repository's root.
let packageRoot = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
  .deletingLastPathComponent()

/// A folder that is gone after the test.
final class ScratchFolder {
  let url = FileManager.default.temporaryDirectory.appending(
    path: "wiretape-documentation-\(UUID().uuidString)")

  init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

  deinit { try? FileManager.default.removeItem(at: url) }

  func write(_ name: String, _ text: String) throws {
    try Data(text.utf8).write(to: url.appending(path: name))
  }
}
