// Text of a stream on its way to a terminal. A stream is hostile: an escape sequence in it must show as text and not
// move the cursor, set the title or hide a line.

/// The text with control characters and direction overrides written out as `\n`, `\u{1B}` and so on.
func printable(_ text: String, keeping kept: Unicode.Scalar...) -> String {
  guard text.unicodeScalars.contains(where: { isUnsafe($0) && !kept.contains($0) }) else { return text }
  var result = ""
  for scalar in text.unicodeScalars {
    if !isUnsafe(scalar) || kept.contains(scalar) {
      result.unicodeScalars.append(scalar)
    } else {
      switch scalar {
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      default: result += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
      }
    }
  }
  return result
}

/// Whether a character acts on a terminal or on the direction of text.
func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.value {
  case 0..<0x20, 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069, 0x2028, 0x2029: true
  default: false
  }
}
