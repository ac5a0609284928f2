// `wiretape fuzz list`: the fuzz targets of a package, and how far each is.

import Foundation

enum FuzzListVerb {
  static let verb = Verb(
    name: "fuzz list",
    summary: "List the fuzz targets",
    discussion: """
      Lists the fuzz targets of a package, how many inputs the corpus of each has, and how many faults were found.
      """,
    options: [FuzzVerb.path.row, FuzzVerb.json.row],
    examples: ["wiretape fuzz list", "wiretape fuzz list --json --path ~/MyPackage"],
    run: { try run($0, $1) })

  private static func run(_ arguments: Arguments, _ context: CommandContext) throws -> ExitCode {
    let package = try FuzzPackage.find(in: arguments[FuzzVerb.path])
    for target in package.targets {
      let inputs = (try? FileManager.default.contentsOfDirectory(atPath: package.work(target)))?.count ?? 0
      let findings = try FindingBook(in: package.artifacts(target)).entries.count
      if arguments.has(FuzzVerb.json) {
        var line = JSONLine()
        line.add("target", target)
        line.add("corpusFiles", inputs)
        line.add("findings", findings)
        try context.output.line(line.closed)
      } else {
        try context.output.line("\(target) · \(counted(inputs, "input")) · \(counted(findings, "finding"))")
      }
    }
    return .success
  }
}
