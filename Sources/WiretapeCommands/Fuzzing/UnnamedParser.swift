// The line of the template that stops the build until the parser is named. Whoever runs a target before is told so at once,
// and not by the compiler, minutes later.

import Foundation

enum UnnamedParser {
  /// The line.
  static let line = #"#error("Name your parser in the lines below, and remove this one.")"#

  /// Throws if the line still stands in a source of the fuzz package.
  static func require(namedIn package: FuzzPackage) throws(CommandError) {
    let sources = package.folder + "/Sources"
    for name in FileManager.default.enumerator(atPath: sources)?.compactMap({ $0 as? String }).sorted() ?? []
    where name.hasSuffix(".swift") {
      let path = sources + "/" + name
      guard let text = try? String(contentsOfFile: path, encoding: .utf8), let number = number(in: text)
      else {
        continue
      }
      throw CommandError(
        .badData, "\(shownPath(path)):\(number): the parser is not named yet",
        next: "Write there how yours is made and fed, in place of MyParser, and remove the line with #error.")
    }
  }

  /// The number of the line in a source.
  private static func number(in text: String) -> Int? {
    text.split(separator: "\n", omittingEmptySubsequences: false)
      .firstIndex { $0.trimmingCharacters(in: .whitespaces) == line }.map { $0 + 1 }
  }
}
