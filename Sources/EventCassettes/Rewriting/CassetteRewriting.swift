// Rewriting: records from readers to a writer, in constant memory and never flushed in between, so that the same
// input at the same level gives the same bytes. Copying, recovering, joining and masking are here; trimming, which
// decides what to keep, is beside.

import ServerSentEvents

/// Makes new cassettes out of old ones.
public enum CassetteRewriting {
  /// What a recovery kept and lost.
  public struct Recovery: Hashable, Sendable {
    /// The number of records kept, without those that were added.
    public var records: Int
    /// Whether an open exchange was closed as truncated.
    public var closedExchange: Bool
    /// Whether a trailer was added.
    public var addedTrailer: Bool
    /// The fault at which reading ended, if it wasn't the end.
    public var fault: CassetteError?
    /// Whether the last gzip member broke off.
    public var isTorn: Bool
    /// Inflated bytes of an incomplete last record that were left out.
    public var lostBytes: Int
    /// The byte offset in the file of the member where reading ended.
    public var memberOffset: Int
    /// How many of the kept records are from a member with a fault: no checksum vouches for them.
    public var unverified = 0

    /// Whether nothing had to be mended.
    public var wasWhole: Bool { fault == nil && !isTorn && !addedTrailer && lostBytes == 0 }

    /// Whether both tell the same.
    public static func == (a: Recovery, b: Recovery) -> Bool {
      a.records == b.records && a.closedExchange == b.closedExchange && a.addedTrailer == b.addedTrailer
        && a.fault == b.fault && a.isTorn == b.isTorn && a.lostBytes == b.lostBytes
        && a.memberOffset == b.memberOffset && a.unverified == b.unverified
    }

    /// Hashes what ``==(_:_:)`` compares.
    public func hash(into hasher: inout Hasher) {
      hasher.combine(records)
      hasher.combine(fault?.code)
      hasher.combine(lostBytes)
      hasher.combine(memberOffset)
    }
  }

  /// Keeps every record before the fault or the tear, closes an open exchange as truncated and adds a trailer.
  ///
  /// - Throws: ``CassetteError`` of the reader if not even a header can be read, or of the writer.
  public static func recover(
    from reader: inout CassetteReader, to writer: inout CassetteWriter
  ) throws(CassetteError) -> Recovery {
    var recovery = Recovery(
      records: 0, closedExchange: false, addedTrailer: false, fault: nil, isTorn: false, lostBytes: 0,
      memberOffset: 0)
    var ofMember = (offset: 0, records: 0)
    while true {
      let record: CassetteRecord?
      do {
        record = try reader.next()
      } catch {
        if recovery.records == 0 { throw error }
        recovery.fault = error
        if reader.memberOffset == ofMember.offset { recovery.unverified = ofMember.records }
        break
      }
      guard let record else { break }
      try writer.write(record)
      recovery.records += 1
      if reader.memberOffset != ofMember.offset { ofMember = (reader.memberOffset, 0) }
      ofMember.records += 1
    }
    if case .unfinished(let torn, let lost) = reader.status {
      recovery.isTorn = torn
      recovery.lostBytes = lost
    }
    recovery.memberOffset = reader.memberOffset
    (recovery.closedExchange, recovery.addedTrailer) = try complete(&writer)
    try writer.close()
    return recovery
  }

  /// Copies one cassette onto the writer; call it once for each to join them, and then ``CassetteWriter/close()``. An
  /// unfinished one is closed as ``recover(from:to:)`` does, since a recording may only begin after a trailer.
  ///
  /// - Returns: whether the cassette was finished.
  /// - Throws: ``CassetteError``.
  @discardableResult
  public static func append(
    from reader: inout CassetteReader, to writer: inout CassetteWriter
  ) throws(CassetteError) -> Bool {
    while try reader.advance() {
      if reader.kind == RecordKind.chunk {
        let delay = reader.chunkDelay
        try reader.withChunkBytes { (bytes, range) throws(CassetteError) in
          try writer.writeChunk(delay: delay, bytes, range)
        }
      } else {
        try writer.write(try reader.current())
      }
    }
    _ = try complete(&writer)
    return reader.isFinished
  }

  /// Masks a cassette and ends the writer.
  ///
  /// - Parameters:
  ///   - reader: the cassette.
  ///   - writer: where the masked one goes.
  ///   - rules: what is masked.
  ///   - known: what the masking will find, from an earlier pass with ``redaction(in:rules:)``; the header of the
  ///     recording with that number gets it. Without it a header names only what its first request held.
  /// - Returns: whether the cassette was finished; an unfinished one stays so.
  /// - Throws: ``CassetteError``.
  @discardableResult
  public static func redact(
    from reader: inout CassetteReader, to writer: inout CassetteWriter, rules: RedactionRules,
    known: [Cassette.Redaction] = []
  ) throws(CassetteError) -> Bool {
    var filter = try RedactionFilter(rules: rules)
    var output: [CassetteRecord] = []
    var recordings = 0
    func write(_ writer: inout CassetteWriter) throws(CassetteError) {
      for var record in output {
        if case .header(var header) = record {
          if recordings < known.count { header.redaction = known[recordings] }
          recordings += 1
          record = .header(header)
        }
        try writer.write(record)
      }
      output.removeAll(keepingCapacity: true)
    }
    while let record = try reader.next() {
      filter.take(record, into: &output)
      try write(&writer)
    }
    filter.finish(into: &output)
    try write(&writer)
    try writer.close()
    return reader.isFinished
  }

  /// What masking a cassette finds, for each of its recordings.
  ///
  /// - Throws: ``CassetteError``.
  public static func redaction(
    in reader: inout CassetteReader, rules: RedactionRules
  ) throws(CassetteError) -> [Cassette.Redaction] {
    var filter = try RedactionFilter(rules: rules)
    var output: [CassetteRecord] = []
    var all: [Cassette.Redaction] = []
    while let record = try reader.next() {
      if case .header = record, reader.recordings > 1 {
        filter.finish(into: &output)
        all.append(filter.redaction)
      }
      filter.take(record, into: &output)
      output.removeAll(keepingCapacity: true)
    }
    filter.finish(into: &output)
    all.append(filter.redaction)
    return all
  }

  /// Closes an open exchange and adds a trailer where there is none.
  static func complete(
    _ writer: inout CassetteWriter
  ) throws(CassetteError) -> (closedExchange: Bool, addedTrailer: Bool) {
    let isOpen = writer.exchangeIsOpen
    if isOpen {
      let detail = "the recording breaks off here"
      try writer.write(.end(Cassette.End(cause: .truncated, detail: detail)))
    }
    let needsTrailer = writer.recordingIsOpen
    if needsTrailer { try writer.finish() }
    return (isOpen, needsTrailer)
  }
}
