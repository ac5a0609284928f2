// The short way through bytes that are no secret's: nearly all that a stream has. Outside a masked value only quotes matter,
// and of the names between them only those that may be a secret's. What may change more than that is left to `feed`, and
// the lexer is left as if it had been fed every byte.

extension SecretLexer {
  /// Takes bytes that are kept whatever they are; returns how many. Stops at a line end, at what may begin a URL's query,
  /// and at the quote behind what may be a secret's name.
  mutating func skip(_ bytes: Span<UInt8>, from start: Int) -> Int {
    guard state == .idle else { return 0 }
    var end = start
    var partStart = start  // of what came behind the last quote and isn't in `capture`
    var slashes = 0
    while true {
      while end < bytes.count, !Self.isStop(bytes[end]) { end &+= 1 }
      slashes = backslashes(before: end, from: partStart, in: bytes)
      guard end < bytes.count, bytes[end] == UInt8(ascii: "\""),
        !mayBeName(bytes.extracting(partStart..<end), slashes)
      else { break }
      isCapturing = true
      captureRun = Self.runBefore(quote: slashes)
      if !capture.isEmpty { capture.removeAll(keepingCapacity: true) }
      backslashes = 0
      end &+= 1
      partStart = end
    }
    backslashes = slashes
    if isCapturing, end > partStart {
      if capture.count + end - partStart <= Self.longestKey {
        capture.append(copying: bytes.extracting(partStart..<end))
      } else {
        isCapturing = false
      }
    }
    return end - start
  }

  /// A quote, LF, CR, `?` and `#`: all below 64, so that a word has a bit for each.
  @inline(__always)
  private static func isStop(_ byte: UInt8) -> Bool {
    let stops: UInt64 = 1 << 0x22 | 1 << 0x0A | 1 << 0x0D | 1 << 0x3F | 1 << 0x23
    return byte < 64 && stops &>> UInt64(byte) & 1 != 0
  }

  @inline(__always)
  private func backslashes(before end: Int, from start: Int, in bytes: Span<UInt8>) -> Int {
    var place = end
    while place > start, bytes[place &- 1] == UInt8(ascii: "\\") { place &-= 1 }
    return place > start ? end &- place : end &- place &+ backslashes
  }

  /// Whether what was captured and this part of it may be a secret's name, before a quote after some backslashes.
  @inline(__always)
  private func mayBeName(_ part: Span<UInt8>, _ slashes: Int) -> Bool {
    let length = capture.count + part.count
    guard isCapturing, slashes == captureRun, length > slashes, length <= Self.longestKey,
      let first = capture.first ?? part.first, names.mayBegin(with: first)
    else { return false }
    if !capture.isEmpty { return true }
    return names.mayContain(part.extracting(0..<length - slashes))
  }
}

extension Span<UInt8> {
  fileprivate var first: UInt8? { isEmpty ? nil : self[0] }
}
