// The short way through a body: beginnings of lines that lie whole in a chunk, and bytes that neither end a line nor matter
// to a lexer. The mask is left as if `step` had taken every byte.

import ServerSentEvents

extension BodyMask {
  /// Takes bytes from `start` on, which is at `position` in the body, by the short way; returns how many.
  mutating func skip(_ bytes: Span<UInt8>, from start: Int, at position: Int) -> Int {
    guard patterns.isEmpty, kind != .form, !query.isInQuery, !dataForm.isActive else { return 0 }
    if kind == .plain { return other.skip(bytes, from: start) }
    switch line {
    case .data: return data.skip(bytes, from: start)
    case .comment: return comment.skip(bytes, from: start)
    case .other: return other.skip(bytes, from: start)
    case .known:
      var end = start
      while end < bytes.count, bytes[end] != 0x0A, bytes[end] != 0x0D { end &+= 1 }
      return end - start
    case .undecided: return prefix.isEmpty ? beginKnownLine(bytes, from: start, at: position) : 0
    case .afterData: return 0
    }
  }

  // Names with their colons, as they lie in a word whose lowest byte comes first.
  private static let dataName: UInt64 = 0x3A_6174_6164
  private static let eventName: UInt64 = 0x3A74_6E65_7665
  private static let retryName: UInt64 = 0x3A79_7274_6572
  private static let idName: UInt64 = 0x3A_6469

  /// Takes the name and the colon of a field that the standard knows, and the blank before data.
  private mutating func beginKnownLine(_ bytes: Span<UInt8>, from start: Int, at position: Int) -> Int {
    let word = bytes.word(at: start)
    let length: Int
    if word & 0xFF_FFFF_FFFF == Self.dataName {
      let hasBlank = word >> 40 & 0xFF == 0x20
      line = hasBlank ? .data : .afterData
      if hasBlank { dataForm.begin() }
      length = hasBlank ? 6 : 5
    } else if word & 0xFF == 0x3A {
      line = .comment
      length = 1
    } else if word & 0xFF_FFFF == Self.idName {
      line = .known
      length = 3
    } else if word & 0xFFFF_FFFF_FFFF == Self.eventName || word & 0xFFFF_FFFF_FFFF == Self.retryName {
      line = .known
      length = 6
    } else {
      return 0
    }
    afterCR = false
    for place in position..<position + length { window.protect(place) }
    return length
  }
}
