// Where tests put files. A target of its own, since the tests of nearly every module need one.

package import Foundation

/// A folder of a test's own, which is gone with this value.
package final class ScratchFolder: Sendable {
  /// The folder.
  package let url = FileManager.default.temporaryDirectory.appending(path: "wiretape-\(UUID().uuidString)")

  /// Makes the folder.
  package init() throws {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  /// The path of a file in it.
  package func path(_ name: String) -> String { url.appending(path: name).path }

  /// Whether there is such a file in it.
  package func has(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path(name)) }

  /// Writes a file and returns its path.
  @discardableResult
  package func write(_ name: String, _ bytes: some Sequence<UInt8>) throws -> String {
    try Data(bytes).write(to: url.appending(path: name))
    return path(name)
  }

  /// Writes a file and returns its path.
  @discardableResult
  package func write(_ name: String, _ text: String) throws -> String { try write(name, text.utf8) }

  /// The names of what is in it.
  package func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: url.path).sorted()
  }
}
