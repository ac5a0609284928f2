// What acts on a terminal: a stream is hostile, and JSON may hold most of it raw. As an escape of JSON it means the same, and
// does nothing to whoever looks at a file with `cat`.

extension Unicode.Scalar {
  /// Whether this acts on a terminal, or on the direction of text.
  package var actsOnTerminal: Bool {
    switch value {
    case 0..<0x20, 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069, 0x2028, 0x2029: true
    default: false
    }
  }
}

/// JSON without raw characters that act on a terminal: the controls of C1 and DEL, line and paragraph separators, and what
/// turns the direction of text around. They can stand in strings alone, so an escape means the same there. (Those below
/// U+0020 JSON itself forbids.)
package func escapingTerminalControls(_ json: [UInt8]) -> [UInt8] {
  // All of them begin with one of these bytes in UTF-8.
  guard json.contains(where: { $0 == 0x7F || $0 == 0xC2 || $0 == 0xD8 || $0 == 0xE2 }) else { return json }
  var result: [UInt8] = []
  result.reserveCapacity(json.count + 16)
  for scalar in String(decoding: json, as: UTF8.self).unicodeScalars {
    if scalar.value >= 0x7F, scalar.actsOnTerminal {
      let digits = String(scalar.value, radix: 16)
      result += "\\u".utf8
      result += repeatElement(UInt8(ascii: "0"), count: 4 - digits.utf8.count)
      result += digits.utf8
    } else {
      result += UTF8.encode(scalar)!
    }
  }
  return result
}
