// What every verb has that makes a new cassette out of old ones: where it goes, and that a failure leaves nothing
// behind which looks like a result.

import EventCassettes

enum RewritingOptions {
  static let output = Option.file("-o", "--output", help: "The cassette to write.")
  static let level = Option.number(
    "--level", value: "0…9", in: 0...9, help: "How hard to compress; 6 unless given.")
  static let force = Option.flag("--force", help: "Overwrites the file if it exists.")

  static let all: [OptionRow] = [output.row.required, level.row, force.row]

  /// Creates the output and fills it. What fails on the way is removed, except on a full disk: there what was written
  /// can be read.
  ///
  /// - Returns: the path, and what `body` returned.
  static func write<Result>(
    _ arguments: Arguments, of verb: String, _ body: (inout CassetteWriter) throws(CassetteError) -> Result
  ) throws -> (path: String, result: Result) {
    guard let path = arguments[output] else {
      throw CommandError.usage(of: verb, "-o FILE is missing: where shall the new cassette go?")
    }
    for source in arguments.positionals {
      // The sources first: a mistyped name must leave no file, and none may be overwritten while it is read.
      guard source != "-" else { continue }
      _ = try CassetteReader(contentsOf: source)
      try refuseOverwriting(source, by: path)
    }
    // Reading may fail late, and then the old file is worth more than half a new one.
    let replaces = arguments.has(force)
    var writer =
      replaces
      ? try CassetteWriter(replacing: path, level: arguments[level] ?? 6)
      : try CassetteWriter(creating: path, level: arguments[level] ?? 6)
    do throws(CassetteError) {
      let result = try body(&writer)
      try writer.release()
      return (path, result)
    } catch {
      guard error.code == .noSpace, !replaces else {
        writer.discard()
        throw error
      }
      throw CommandError(keeping: error)
    }
  }
}

/// Makes sure that an output isn't the file that is read: it would be gone before it's read, or for good.
func refuseOverwriting(_ source: String, by output: String) throws {
  guard source != "-", isSameFile(source, output) else { return }
  throw CommandError(
    .cannotCreate, "\(output): this is the file that is read",
    next: "Write to another file, and rename it then.")
}
