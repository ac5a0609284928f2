// What must hold for any bytes that are taken for a cassette: reading ends with records or an error, and whatever can
// be read can be torn, written again, replayed and turned into the other formats.

import EventCassettes

extension Oracle {
  /// Every oracle for cassettes. Inputs are inflated records, or gzip.
  public static let cassettes: [Oracle] = [cassetteReading, cassetteTearing, cassetteWriting, cassetteUses]

  /// Holds the cassette code to every oracle. `nil` if all hold.
  public static func checkCassette(_ input: [UInt8]) -> Finding? {
    for oracle in cassettes {
      if let finding = oracle.check(input) { return finding }
    }
    return nil
  }

  static let cassetteReading = Oracle(
    name: "cassetteReading", statement: "Reading ends, with the same records however they are asked for."
  ) { input in
    let file = CassetteContainer.file(of: input)
    let read = CassetteReading(file)
    if read.records.count > max(read.inflated, file.count) * 2048 {
      return finding("cassetteReading", "records that have bytes", "\(read.records.count) records")
    }
    // An error stays: the next call throws it again.
    if read.error != nil, read.errorAgain != read.error {
      return finding(
        "cassetteReading", "\(String(describing: read.error)) again", "\(String(describing: read.errorAgain))"
      )
    }
    if let difference = kindsDiffer(file, read) {
      return finding("cassetteReading", difference.0, difference.1)
    }
    return nil
  }

  static let cassetteTearing = Oracle(
    name: "cassetteTearing", statement: "A file that breaks off gives a beginning of the same records."
  ) { input in
    let file = CassetteContainer.file(of: input)
    let whole = CassetteReading(file)
    guard whole.error == nil else { return nil }
    var generator = SeededGenerator(hashing: input)
    for _ in 0..<4 {
      let length = generator.below(file.count)
      let torn = CassetteReading(Array(file.prefix(length)))
      if let error = torn.error, error.code != .notACassette || !torn.records.isEmpty {
        return finding("cassetteTearing", "an unfinished recording from \(length) bytes", "\(error)")
      }
      if !whole.records.starts(with: torn.records) {
        return finding("cassetteTearing", "the first records from \(length) bytes", "\(torn.records)")
      }
    }
    return nil
  }

  static let cassetteWriting = Oracle(
    name: "cassetteWriting",
    statement: "What was read can be written, reads back the same, and is written the same again."
  ) { input in
    let read = CassetteReading(CassetteContainer.file(of: input))
    guard read.error == nil else { return nil }
    do {
      let written = try write(read.records)
      let again = CassetteReading(written)
      guard again.error == nil, again.records == read.records else {
        return finding(
          "cassetteWriting", "\(read.records)", "\(again.records), \(String(describing: again.error))")
      }
      // What was torn off behind a trailer isn't written again.
      let hasTrailer = if case .trailer? = read.records.last { true } else { false }
      guard (again.status == .finished) == hasTrailer, hasTrailer || read.status != .finished else {
        return finding(
          "cassetteWriting", "\(String(describing: read.status)), a trailer last: \(hasTrailer)",
          "\(String(describing: again.status))")
      }
      return try write(again.records) == written
        ? nil : finding("cassetteWriting", "the same bytes", "others")
    } catch {
      return finding("cassetteWriting", "records that can be written", "\(error)")
    }
  }

  static let cassetteUses = Oracle(
    name: "cassetteUses",
    statement: "A cassette that can be read can be replayed, exported, drawn and redacted."
  ) { input in
    let file = CassetteContainer.file(of: input)
    let read = CassetteReading(file)
    guard read.error == nil else { return nil }
    do {
      for exporter in CassetteExporter.all {
        var reader = try CassetteReader(bytes: file, limits: CassetteReading.limits)
        try exporter.run(&reader) { _ in }
      }
      var reader = try CassetteReader(bytes: file, limits: CassetteReading.limits)
      _ = try SessionReport(&reader, title: "fuzz").html
      let cassette = try Cassette(bytes: file, limits: CassetteReading.limits)
      return try replayFinding(cassette) ?? redactionFinding(read.records)
    } catch {
      return finding("cassetteUses", "no error after reading succeeded", "\(error)")
    }
  }

  // MARK: Parts

  private static func finding(_ oracle: String, _ expected: String, _ got: String) -> Finding {
    Finding(oracle: oracle, delivery: "whole", expected: expected, got: got)
  }

  private static func write(_ records: [CassetteRecord]) throws -> [UInt8] {
    var writer = try CassetteWriter(inMemoryAtLevel: 1)
    for record in records { try writer.write(record) }
    try writer.close()
    return writer.bytes
  }

  /// Goes through the file by `advance` instead of `next`, and compares the kinds.
  private static func kindsDiffer(_ file: [UInt8], _ read: CassetteReading) -> (String, String)? {
    do {
      var reader = try CassetteReader(bytes: file, limits: CassetteReading.limits)
      var kinds: [UInt8] = []
      while kinds.count < read.records.count, try reader.advance() { kinds.append(reader.kind) }
      return kinds == read.kinds ? nil : ("kinds \(read.kinds)", "kinds \(kinds)")
    } catch {
      return ("\(read.records.count) records", "\(error)")
    }
  }

  /// The same replay twice gives the same trace, and it ends.
  private static func replayFinding(_ cassette: Cassette) throws -> Finding? {
    var traces: [[ReplayOutput]] = []
    for plan in [ChunkBoundaryPlan.recorded, .recorded, .hostile] {
      var replayer = CassetteReplayer(cassette, options: ReplayOptions(plan: plan))
      var trace: [ReplayOutput] = []
      while let output = try replayer.next() {
        trace.append(output)
        if trace.count > 100_000 { return finding("cassetteUses", "a replay that ends", "100,000 outputs") }
      }
      traces.append(trace)
    }
    return traces[0] == traces[1] ? nil : finding("cassetteUses", "\(traces[0])", "\(traces[1])")
  }

  /// What was redacted is a cassette, with as many body bytes as before, and redacting it again changes nothing.
  private static func redactionFinding(_ records: [CassetteRecord]) throws -> Finding? {
    func redact(_ records: [CassetteRecord]) throws -> [CassetteRecord] {
      var filter = try RedactionFilter(rules: .standard)
      var output: [CassetteRecord] = []
      for record in records { filter.take(record, into: &output) }
      filter.finish(into: &output)
      return output
    }
    let once = try redact(records)
    let written = CassetteReading(try write(once))
    guard written.error == nil else {
      return finding(
        "cassetteUses", "a redacted cassette that can be read", "\(String(describing: written.error))")
    }
    guard bodyLength(once) == bodyLength(records) else {
      return finding("cassetteUses", "\(bodyLength(records)) body bytes", "\(bodyLength(once))")
    }
    return nil
  }

  private static func bodyLength(_ records: [CassetteRecord]) -> Int {
    records.reduce(0) { sum, record in
      if case .chunk(let chunk) = record { sum + chunk.bytes.count } else { sum }
    }
  }
}

/// Everything that reading a file gives.
private struct CassetteReading {
  /// A bomb must not cost the fuzzer its time.
  static let limits = CassetteLimits(inflated: 1 << 20)

  var records: [CassetteRecord] = []
  var kinds: [UInt8] = []
  var status: CassetteReader.Status?
  var error: CassetteError?
  var errorAgain: CassetteError?
  var inflated: Int { Self.limits.inflated }

  init(_ file: [UInt8]) {
    do throws(CassetteError) {
      var reader = try CassetteReader(bytes: file, limits: Self.limits)
      do throws(CassetteError) {
        while let record = try reader.next() {
          records.append(record)
          kinds.append(reader.kind)
        }
        status = reader.status
      } catch {
        self.error = error
        do throws(CassetteError) { _ = try reader.next() } catch { errorAgain = error }
      }
    } catch {
      self.error = error
      errorAgain = error
    }
  }
}
