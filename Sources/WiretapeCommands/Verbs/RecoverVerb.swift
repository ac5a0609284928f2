// `wiretape recover`: a finished cassette out of what a kill, a full disk or damage has left.

import EventCassettes

enum RecoverVerb {
  static let verb = Verb(
    name: "recover",
    summary: "Finish a cassette that was killed or damaged",
    discussion: """
      Keeps every record before the fault or the tear, closes an open exchange as truncated, and writes a finished \
      cassette. Says what was lost, and how much of what is kept no checksum vouches for. Exits 65 if there is not even a \
      header to read.
      """,
    positionals: [Positional(name: "FILE", help: "The cassette; “-” is standard input.")],
    options: RewritingOptions.all,
    examples: [
      "wiretape recover demo.cassette -o recovered.cassette",
      "head -c 700 demo.cassette | wiretape recover - -o torn.cassette",
    ],
    run: { try run($0, $1) })

  private static func run(_ arguments: Arguments, _ context: CommandContext) throws -> ExitCode {
    let source = arguments.positionals[0]
    let (path, recovery) = try RewritingOptions.write(arguments, of: "recover") {
      (writer) throws(CassetteError) in
      var reader = try CassetteReader(contentsOf: source)
      return try CassetteRewriting.recover(from: &reader, to: &writer)
    }
    var lines = ["\(printable(path)): \(counted(recovery.records, "record")) kept"]
    if recovery.wasWhole { lines.append("nothing had to be mended") }
    if let fault = recovery.fault {
      lines.append("dropped: everything from the fault on: \(printable(fault.description))")
    }
    if recovery.unverified > 0 {
      lines.append(
        "look at them: \(counted(recovery.unverified, "record")) kept from the gzip member at byte "
          + "\(recovery.memberOffset) may be altered, for its checksum can’t vouch for them")
    }
    if recovery.isTorn {
      lines.append("dropped: the end of the gzip member at byte \(recovery.memberOffset), which breaks off")
    }
    if recovery.lostBytes > 0 {
      lines.append("dropped: \(counted(recovery.lostBytes, "byte")) of an incomplete last record")
    }
    if recovery.closedExchange { lines.append("added: the end of the open exchange, as truncated") }
    if recovery.addedTrailer { lines.append("added: the trailer") }
    try context.output.lines(lines)
    return .success
  }
}
