// What an oracle says when it doesn't hold: a value, so that a fuzz target can trap with it, a test can fail with
// it and a program can print it.

/// A parser did something that one of the oracles rules out.
public struct Finding: Error, Hashable, Sendable {
  /// The name of the oracle.
  public let oracle: String
  /// What should hold, as a sentence; `nil` where the oracle has none.
  public internal(set) var rule: String?
  /// In which form the input fails, in words such as `with CR LF line ends`; `nil` where its form doesn't matter.
  public internal(set) var form: String?
  /// The stream that failed, where the oracle made it of the input; `nil` where it is the input.
  public internal(set) var stream: [UInt8]?
  /// How the bytes were delivered, in the plan language (`whole`, `bytes:1`, `at:3,7`).
  public let delivery: String
  /// What should have come.
  public let expected: String
  /// What came.
  public let got: String

  /// A finding of an oracle.
  ///
  /// - Parameters:
  ///   - oracle: the name of the oracle.
  ///   - delivery: how the bytes were delivered, in the plan language.
  ///   - expected: what should have come.
  ///   - got: what came.
  ///   - rule: what should hold, as a sentence.
  ///   - form: in which form the input fails, in words.
  ///   - stream: the stream that failed, where it is not the input.
  public init(
    oracle: String, delivery: String, expected: String, got: String, rule: String? = nil,
    form: String? = nil, stream: [UInt8]? = nil
  ) {
    self.oracle = oracle
    self.rule = rule
    self.form = form
    self.stream = stream
    self.delivery = delivery
    self.expected = expected
    self.got = got
  }

  /// The same finding, with the form of the input that failed and, where it is not the input, the stream.
  func failing(_ form: String, as stream: [UInt8]? = nil) -> Finding {
    var finding = self
    finding.form = form
    finding.stream = stream
    return finding
  }
}

extension Finding: CustomStringConvertible {
  /// What should hold, the stream that failed where that isn't the input, the delivery, what should have come and what
  /// came.
  public var description: String {
    var lines = ["\(oracle)" + (rule.map { " does not hold: \($0)" } ?? ": does not hold")]
    if let form { lines.append("  input: \(form)") }
    if let stream { lines.append("  stream: \(Self.escaped(stream))") }
    lines += ["  split: \(delivery)", "  expected: \(expected)", "  got:      \(got)"]
    return lines.joined(separator: "\n")
  }

  /// The bytes on one line, in quotation marks: what is no plain ASCII as `\n`, `\r` or `\xNN`, so that the very bytes can be
  /// read back.
  private static func escaped(_ bytes: [UInt8]) -> String {
    var text = "\""
    for byte in bytes {
      switch byte {
      case 0x0A: text += "\\n"
      case 0x0D: text += "\\r"
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): text += "\\" + String(UnicodeScalar(byte))
      case 0x20...0x7E: text += String(UnicodeScalar(byte))
      default: text += "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }
    return text + "\""
  }
}
