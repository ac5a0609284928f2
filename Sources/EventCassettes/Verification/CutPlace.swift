// What of the event-stream grammar a cut falls into: a failure that needs a cut inside a CRLF is not the one that needs
// it inside a character.

/// Where in a stream a cut is.
public enum CutPlace: Hashable, Sendable, CustomStringConvertible {
  /// Inside the byte order mark at the stream's beginning.
  case byteOrderMark
  /// Inside the UTF-8 sequence of one character.
  case character
  /// Between a CR and its LF.
  case lineEnd
  /// Between the line ends that make a blank line.
  case blankLine
  /// Between two lines.
  case line
  /// Inside a field's name, or between it and its colon.
  case name
  /// Right after the colon of a field.
  case colon
  /// Inside a field's value.
  case value
  /// Between a value and its line end.
  case valueEnd

  /// The place of a cut before the byte at an offset, from 1 to the count less 1.
  public init(of cut: Int, in bytes: [UInt8]) {
    func isLineEnd(_ index: Int) -> Bool { bytes[index] == 0x0A || bytes[index] == 0x0D }
    self =
      if cut < 3, bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
        .byteOrderMark
      } else if bytes[cut] & 0xC0 == 0x80 {
        .character
      } else if bytes[cut - 1] == 0x0D, bytes[cut] == 0x0A {
        .lineEnd
      } else if isLineEnd(cut - 1) {
        isLineEnd(cut) ? .blankLine : .line
      } else if bytes[cut - 1] == 0x3A, !bytes[..<(cut - 1)].line.contains(0x3A) {
        .colon
      } else if !bytes[..<cut].line.contains(0x3A) {
        .name
      } else {
        isLineEnd(cut) ? .valueEnd : .value
      }
  }

  /// Where the cut is, in a few words.
  public var description: String {
    switch self {
    case .byteOrderMark: "inside the byte order mark"
    case .character: "inside a character"
    case .lineEnd: "between CR and LF"
    case .blankLine: "between the line ends of a blank line"
    case .line: "between lines"
    case .name: "inside a field’s name"
    case .colon: "after a colon"
    case .value: "inside a value"
    case .valueEnd: "between a value and its line end"
    }
  }
}

extension ArraySlice<UInt8> {
  /// What stands after the last line end.
  fileprivate var line: ArraySlice<UInt8> {
    self[(lastIndex { $0 == 0x0A || $0 == 0x0D }.map { $0 + 1 } ?? startIndex)...]
  }
}
