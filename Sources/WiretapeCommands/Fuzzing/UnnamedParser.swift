// The line of the template that stops the build until the parser is named. Whoever runs a target before is told so at once,
// and not by the compiler, minutes later.

import Foundation

enum UnnamedParser {
  /// The line.
  static let line = #"#error("Name your parser in the lines below, and remove this one.")"#

  /// Throws if the line still stands in a source of the fuzz package.
  static func require(namedIn package: FuzzPackage) throws(CommandError) {
    for source in SwiftSource.all(below: package.folder + "/Sources") {
      guard let place = source.lines.firstIndex(where: { $0.trimmingCharacters(in: .whitespaces) == line })
      else {
        continue
      }
      throw CommandError(
        .badData, "\(shownPath(source.path)):\(place + 1): the parser is not named yet",
        next: "Write there how yours is made and fed, in place of MyParser, and remove the line with #error.")
    }
  }
}
