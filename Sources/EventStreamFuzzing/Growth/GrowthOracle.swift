// Work must grow with the length of what is read and no faster: twice the bytes, twice the steps. Counted in steps,
// because time is different on every machine and at every moment; what a step is, who counts them says. Some works have a
// limit for what a byte may cost as well: what is done anew each time something comes again is linear, and too much.

/// Checks that the work for a stream is linear in its length.
///
/// The streams are made of an input: repeated, repeated without its line ends (a line without end) or without its blank
/// lines (an event without end), or its first half repeated before its second half (something long once, then
/// much that is short). Each is read at one, two and four times its length.
public struct GrowthOracle: Sendable {
  /// How many steps were made so far. A loop without steps, such as a copy, should count for each of its bytes.
  public typealias StepCounter = @Sendable () -> UInt64

  /// How many bytes the shortest of the three streams has that are read byte by byte.
  public let baseBytes: Int
  private let steps: StepCounter

  /// An oracle that counts with a counter.
  public init(baseBytes: Int = 1024, steps: @escaping StepCounter) {
    self.baseBytes = baseBytes
    self.steps = steps
  }

  /// How much more than twice the steps may be for twice the bytes: buffers grow in leaps.
  static let tolerance = 1.45

  /// Checks one of this package's own works, which the content picks.
  public func check(_ input: [UInt8]) -> Finding? {
    check(input, Self.work(for: input))
  }

  /// The work that an input is for.
  static func work(for input: [UInt8]) -> StreamWork {
    // Seeded otherwise than the choice of the shape is, so that every work meets every shape.
    var generator = SeededGenerator(hashing: input.reversed())
    return generator.pick(StreamWork.all)
  }

  /// Checks a work on the streams of an input: one of the shapes, which the content picks, byte by byte and in chunks.
  /// `nil` if it is linear.
  public func check(_ input: [UInt8], _ work: StreamWork) -> Finding? {
    guard !input.isEmpty else { return nil }
    let shape = Shape(for: input)
    // Longer streams in the chunks that aren't single bytes: they cost little, and show what grows slowly.
    for (chunkBytes, length) in [(1, baseBytes), (64, baseBytes * 8)] {
      let streams = [1, 2, 4].map { shape.stream(of: input, bytes: length, times: $0) }
      let counts = streams.map { count($0, chunkBytes, work) }
      func finding(_ expected: String, _ rule: String) -> Finding {
        Finding(
          oracle: "growth", delivery: "bytes:\(chunkBytes)", expected: "\(work.name), \(shape): \(expected)",
          got: "\(counts.map { Int($0) }) steps", rule: rule)
      }
      // From the second doubling: what is small at first is constant. Quadratic work would take four times the steps.
      let (first, second) = (counts[1] - counts[0], counts[2] - counts[1])
      if second > 2 * first * Self.tolerance, second > Double(length) {
        return finding(
          "linear work for \(length), twice and four times as many bytes",
          "Twice the bytes take no more than twice the work.")
      }
      let bytes = streams[2].count - streams[1].count
      if let most = work.mostStepsPerByte, second > most * Double(bytes) {
        return finding(
          "at most \(Int(most)) steps for each of the last \(bytes) bytes",
          "What a byte costs has a limit, whatever came before it.")
      }
    }
    return nil
  }

  private func count(_ stream: [UInt8], _ chunkBytes: Int, _ work: StreamWork) -> Double {
    let feed = work.begin()
    let before = steps()
    var start = 0
    while start < stream.count {
      let end = min(start + chunkBytes, stream.count)
      feed(Array(stream[start..<end]))
      start = end
    }
    return Double(steps() - before)
  }

  /// How a long stream is made of a short input.
  enum Shape: CaseIterable {
    case repeated, endlessLine, endlessEvent, longThenMany

    /// The shape that an input picks.
    init(for input: [UInt8]) {
      var generator = SeededGenerator(hashing: input)
      self = generator.pick(Self.allCases)
    }

    /// A stream of about so many bytes, or exactly so many times as much of the same: each part is repeated whole, so
    /// that what follows it finds the parser where it does in the shorter stream.
    func stream(of input: [UInt8], bytes: Int, times: Int) -> [UInt8] {
      func repeating(_ unit: [UInt8], _ bytes: Int) -> [UInt8] {
        guard !unit.isEmpty else { return [] }
        return [[UInt8]](repeating: unit, count: (bytes + unit.count - 1) / unit.count * times).flatMap { $0 }
      }
      switch self {
      case .repeated: return repeating(input, bytes)
      case .endlessLine:
        return Array(input.prefix(6)) + repeating(input.filter { $0 != 0x0A && $0 != 0x0D }, bytes)
      case .endlessEvent:
        let lines = input.split { $0 == 0x0A || $0 == 0x0D }
        return repeating(lines.flatMap { $0 + [0x0A] }, bytes)
      case .longThenMany:
        let middle = input.count / 2
        return repeating(Array(input[..<middle]), bytes / 2) + repeating(Array(input[middle...]), bytes / 2)
      }
    }
  }
}
