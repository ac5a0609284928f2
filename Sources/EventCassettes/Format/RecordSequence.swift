// The order of records and the totals that the trailer repeats: one small state machine that reader and writer share,
// so that what one writes the other accepts. Pure.
//
//   start ──W──▶ between ──Q──▶ requested ──S──▶ responded
//     ▲            │  ▲            │ (B)  │          │ (D)
//     └─ (W) ended ◀Z─┘ └────X─────┴──────┴────X─────┘          N and unknown kinds: anywhere but at start and ended

struct RecordSequence: Sendable {
  enum State: Equatable, Sendable {
    case start, between, requested, responded, ended
  }

  private(set) var state = State.start
  /// The totals of the present recording so far.
  var totals: Cassette.Trailer {
    var totals = counted
    totals.crc32 = Checksum.crc32(totals.crc32, unsummed.span.extracting(0..<unsummedCount))
    return totals
  }

  /// All totals, the checksum only up to what waits in `unsummed`: a sum over a long stretch is ten times as fast as those of
  /// twenty bytes at a time, and a copy costs less than a sum's beginning and end.
  private var counted = Cassette.Trailer()
  private var unsummed = [UInt8](repeating: 0, count: stretch + [UInt8].shortCopy)
  private var unsummedCount = 0
  private static let stretch = 16 << 10
  /// How many recordings have begun.
  private(set) var recordings = 0
  /// Microseconds since the present recording's first delay; saturates.
  private(set) var elapsed: Int64 = 0

  var isOpen: Bool { state == .requested || state == .responded }

  /// Goes on by one record of this kind; says what is wrong with it if it may not come here.
  mutating func advance(_ kind: UInt8) -> String? {
    typealias Kind = RecordKind
    if kind == Kind.chunk, state == .responded { return nil }  // nearly every record
    switch (kind, state) {
    case (Kind.header, .start), (Kind.header, .ended):
      state = .between
      counted = Cassette.Trailer()
      unsummedCount = 0
      elapsed = 0
      recordings += 1
    case (Kind.header, _): return "a second header before the recording's trailer"
    case (_, .start): return "a record before the header"
    case (_, .ended): return "a record other than a header after the trailer"
    case (Kind.request, .between):
      state = .requested
      counted.exchanges += 1
    case (Kind.request, _): return "a request while an exchange is open"
    case (Kind.requestBody, .requested): break
    case (Kind.requestBody, _): return "a request's body where none may be"
    case (Kind.response, .requested): state = .responded
    case (Kind.response, .responded): return "a second response head in one exchange"
    case (Kind.response, _): return "a response head outside an exchange"
    case (Kind.chunk, _): return "a chunk before its response head"
    case (Kind.end, .requested), (Kind.end, .responded): state = .between
    case (Kind.end, _): return "an end outside an exchange"
    case (Kind.trailer, .between): state = .ended
    case (Kind.trailer, _): return "a trailer while an exchange is open"
    default: break  // notes, and kinds that this version doesn't know
    }
    return nil
  }

  /// Counts a chunk's bytes. (An array and a range: a span of the reader's own buffer would lock all of the reader.)
  mutating func count(_ array: [UInt8], _ range: Range<Int>) {
    let bytes = array.span.extracting(range)
    counted.chunks &+= 1
    counted.bytes &+= Int64(bytes.count)
    if bytes.count >= Self.stretch {
      sum()
      counted.crc32 = Checksum.crc32(counted.crc32, bytes)
    } else {
      if unsummedCount + bytes.count > Self.stretch { sum() }
      unsummed.overwrite(from: unsummedCount, copying: array, range)
      unsummedCount += bytes.count
    }
  }

  private mutating func sum() {
    if unsummedCount == 0 { return }
    counted.crc32 = Checksum.crc32(counted.crc32, unsummed.span.extracting(0..<unsummedCount))
    unsummedCount = 0
  }

  mutating func pass(_ delay: Int64) {
    let (sum, overflow) = elapsed.addingReportingOverflow(delay)
    elapsed = overflow ? .max : sum
  }

  /// Whether a trailer repeats the totals.
  func agrees(with trailer: Cassette.Trailer) -> Bool {
    let totals = totals
    return trailer.exchanges == totals.exchanges && trailer.chunks == totals.chunks
      && trailer.bytes == totals.bytes
      && trailer.crc32 == totals.crc32
  }
}
