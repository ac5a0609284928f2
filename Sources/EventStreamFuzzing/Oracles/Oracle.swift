// The one list of what must hold for the parser whatever the bytes. The fuzz target, the ordinary tests and users go
// through `Oracle.check`; each oracle is in the file named after what it looks at.

/// Something that holds for every input, and the check of it.
public struct Oracle: Sendable {
  /// A short name, which findings carry.
  public let name: String
  /// What holds, as a sentence.
  public let statement: String
  /// Checks it on one event stream (any bytes at all). `nil` if it holds.
  public let check: @Sendable (_ input: [UInt8]) -> Finding?

  init(name: String, statement: String, check: @escaping @Sendable (_ input: [UInt8]) -> Finding?) {
    self.name = name
    self.statement = statement
    self.check = { input in
      var finding = check(input)
      finding?.rule = statement
      return finding
    }
  }

  /// Every oracle for the parser and the encoder of this package.
  public static let all: [Oracle] = [
    chunking,
    reference,
    limits,
    visitor,
    replacement,
    lineEnds,
    byteOrderMark,
    encoding,
    reuse,
    failure,
  ]

  /// Holds the parser to every oracle. `nil` if all hold.
  public static func check(_ input: [UInt8]) -> Finding? {
    for oracle in all {
      if let finding = oracle.check(input) { return finding }
    }
    return nil
  }

  /// Holds the parser to some of the oracles: the first two, which find most, and two of the others that the content
  /// picks. Over many inputs that is all of them, at a third of the time for each. For fuzzing at speed; what is kept
  /// or looked into goes through ``check(_:)``.
  public static func checkSome(_ input: [UInt8]) -> Finding? {
    var generator = SeededGenerator(hashing: input)
    let others = Array(all.dropFirst(2))
    for oracle in all.prefix(2) + [generator.pick(others), generator.pick(others)] {
      if let finding = oracle.check(input) { return finding }
    }
    return nil
  }

  /// Inputs up to this many bytes are cut at every single offset; longer ones where their content says.
  static let everySplitUpTo = 64

  /// The deliveries under which every input is looked at: whole, byte by byte, hostile, by content.
  static func deliveries(of input: [UInt8]) -> [Delivery] {
    [.whole, .byteByByte(input.count), .hostile(input), .hashed(input)]
  }
}
