// A parser to plant faults in: small, slow and, without a fault, right. It is its own so that the faults stay where they
// were while the product's parser changes.

import EventStreamFuzzing

/// An incremental parser with at most one fault.
struct PlantedParser {
  let fault: Fault?

  private var line: [UInt8] = []
  private var isFirstLine = true
  private var afterCR = false
  private var hasEnded = false
  private var data: [[UInt8]] = []
  private var type: [UInt8] = []
  private var id: [UInt8]?
  private var lastID: [UInt8] = []
  private var retry = 0
  private var events: [ParserSubject.Event] = []

  private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

  init(_ fault: Fault?) { self.fault = fault }

  /// Takes a chunk and returns the events that it completed.
  mutating func feed(_ chunk: [UInt8]) -> [ParserSubject.Event] {
    events = []
    if fault == .splitCRLF { afterCR = false }
    if fault == .emptyChunk, chunk.isEmpty { hasEnded = true }
    if fault == .copiesBuffer { line = line.map { $0 } }
    if fault == .splitMark, isFirstLine, line.isEmpty, chunk.count < 3, !chunk.isEmpty,
      Self.mark.starts(with: chunk)
    {
      fatalError("the beginning of a byte order mark and not its end")
    }
    let bytes = fault == .decodesChunks ? Array(String(decoding: chunk, as: UTF8.self).utf8) : chunk
    for byte in bytes where !hasEnded { take(byte) }
    if fault == .dispatchesEarly, line.isEmpty, bytes.last == 0x0A { endBlock() }
    return events
  }

  private mutating func take(_ byte: UInt8) {
    let isSecondOfTwo = byte == 0x0A && afterCR
    afterCR = byte == 0x0D
    if isSecondOfTwo { return }
    switch byte {
    case 0x0D where fault == .bareCR:
      afterCR = false
      line.append(byte)
    case 0x0A, 0x0D:
      if fault == .bareCR, line.last == 0x0D { line.removeLast() }
      endLine()
    default:
      if fault != .fixedBuffer || line.count < 80 { line.append(byte) }
      if fault == .lineSeparator, line.suffix(3) == [0xE2, 0x80, 0xA8] {
        line.removeLast(3)
        endLine()
      }
    }
  }

  private mutating func endLine() {
    var line = self.line[...]
    self.line = []
    let mayHaveMark = isFirstLine && fault != .keepsMark || fault == .markInEveryLine
    if mayHaveMark, line.starts(with: Self.mark) { line = line.dropFirst(3) }
    isFirstLine = false
    if line.isEmpty { return endBlock() }
    guard let colon = colon(in: line) else {
      if fault != .needsColon { take(field: line, value: []) }
      return
    }
    var value = line[(colon + 1)...]
    if value.first == 0x20 { value = value.dropFirst() }
    if fault == .stripsSpaces { value = value.drop { $0 == 0x20 } }
    take(field: line[..<colon], value: Array(value))
  }

  private func colon(in line: ArraySlice<UInt8>) -> Int? {
    guard let colon = line.firstIndex(of: 0x3A) else { return nil }
    // U+0300 to U+036F: as a character, a colon and a mark are not a colon.
    let next = line[(colon + 1)...].prefix(2)
    let hasMark = next.first == 0xCC || next.first == 0xCD && next.last ?? 0 < 0xB0
    return fault == .combiningMark && next.count == 2 && hasMark ? nil : colon
  }

  private mutating func take(field: ArraySlice<UInt8>, value: [UInt8]) {
    var name = Array(field)
    if fault == .trimsNames { name = name.filter { $0 != 0x20 } }
    if fault == .ignoresCase { name = name.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 } }
    switch name {
    case Array("data".utf8):
      if fault == .emptyData, value.isEmpty, data.isEmpty { break }
      data.append(value)
    case Array("event".utf8): type = value
    case Array("id".utf8): if !value.contains(0) || fault == .idWithNUL { id = value }
    case Array("retry".utf8): readRetry(value)
    default: break
    }
  }

  /// The time itself is nobody's business here; a parser that reads it carelessly is.
  private mutating func readRetry(_ value: [UInt8]) {
    guard fault == .retryOverflows, !value.isEmpty, value.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return
    }
    retry = value.reduce(0) { $0 * 10 + Int($1 - 0x30) }
  }

  private mutating func endBlock() {
    let isEvent = !data.isEmpty || fault == .withoutData && (id != nil || !type.isEmpty)
    if let id, isEvent || fault != .idNeedsData { lastID = id }
    if isEvent, fault != .refusesBytes || isText(data.joined()) {
      let text = String(decoding: Array(data.joined(separator: [0x0A])), as: UTF8.self)
      events.append(
        ParserSubject.Event(
          type: type.isEmpty ? "message" : String(decoding: type, as: UTF8.self), data: text,
          lastEventID: String(decoding: lastID, as: UTF8.self)))
      if fault == .endsAtDone, text == "[DONE]" { hasEnded = true }
    }
    if fault == .idForgotten { lastID = [] }
    if fault != .typeStays || isEvent { type = [] }
    data = []
    id = nil
  }

  private func isText(_ bytes: some Sequence<UInt8>) -> Bool {
    let bytes = Array(bytes)
    return Array(String(decoding: bytes, as: UTF8.self).utf8) == bytes
  }
}
