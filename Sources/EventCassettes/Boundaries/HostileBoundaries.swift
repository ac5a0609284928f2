// The places where parsers of event streams go wrong, as a scan over bytes. Each rule looks at two neighbouring bytes
// and the start of the line, so it works across chunks with three values of memory.

struct HostileBoundaries: BoundaryRule {
  static let syntax = "hostile"
  static let summary = """
    a cut at every place where parsers go wrong, such as inside CRLF, blank lines, UTF-8 sequences and field names, \
    with empty chunks between
    """

  func makeFinder() -> any BoundaryFinder { Finder() }

  private struct Finder: BoundaryFinder {
    private var places = HostilePlaces()

    mutating func begin(exchange: UInt64, after base: Int) { places = HostilePlaces() }

    mutating func cuts(in chunk: ArraySlice<UInt8>, at position: Int) -> [Int] {
      places.cuts(in: chunk).flatMap { [$0, $0] }
    }
  }
}

extension HostileBoundaries {
  init(_ argument: PlanArgument) {}
}

extension ChunkBoundaryPlan {
  /// A cut inside every CRLF, between the two line ends of a blank line, inside every UTF-8 sequence and the BOM,
  /// after every colon and inside every field name, with an empty chunk at each cut.
  public static let hostile = Self(HostileBoundaries())
}

/// Finds the places in one exchange's body.
///
/// A cut lies between two bytes when
/// - both are line ends (CR or LF): inside a CRLF, and between the two line ends of a blank line;
/// - the second is a UTF-8 continuation byte: at every place inside a multi-byte sequence, the BOM's too;
/// - the first is a colon, so that the space after it comes with the next chunk;
/// - the first opens a line (after the BOM, if there is one) and the second goes on with a field name.
struct HostilePlaces: Sendable {
  private var previous: UInt8?
  /// Bytes of the line up to and with `previous`; stays at 2 beyond that.
  private var column = 0
  /// How many bytes of a leading BOM were seen; `nil` once it is whole or can't come any more.
  private var byteOrderMark: Int? = 0

  /// The cuts in the next piece of the body: offsets into it, 0 for a cut right before it.
  mutating func cuts(in chunk: ArraySlice<UInt8>) -> [Int] {
    var cuts: [Int] = []
    var offset = 0
    for byte in chunk {
      if cutsBefore(byte) { cuts.append(offset) }
      step(byte)
      offset += 1
    }
    return cuts
  }

  private func cutsBefore(_ byte: UInt8) -> Bool {
    guard let previous else { return false }
    if Self.endsLine(previous) { return Self.endsLine(byte) }
    if byte & 0b1100_0000 == 0b1000_0000 || previous == UInt8(ascii: ":") { return true }
    return column == 1 && byte != UInt8(ascii: ":") && !Self.endsLine(byte)
  }

  private mutating func step(_ byte: UInt8) {
    column = Self.endsLine(byte) ? 0 : min(column + 1, 2)
    previous = byte
    if let seen = byteOrderMark {
      let matches = byte == [0xEF, 0xBB, 0xBF][seen]
      byteOrderMark = matches && seen < 2 ? seen + 1 : nil
      if matches && seen == 2 { column = 0 }
    }
  }

  private static func endsLine(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }
}
