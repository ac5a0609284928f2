// Text of a stream on its way to a terminal. A stream is hostile: an escape sequence in it must show as text and not
// move the cursor, set the title or hide a line.

import EventCassettes

/// The text with control characters and direction overrides written out as `\n`, `\u{1B}` and so on.
func printable(_ text: String, keeping kept: Unicode.Scalar...) -> String {
  guard text.unicodeScalars.contains(where: { $0.actsOnTerminal && !kept.contains($0) }) else { return text }
  var result = ""
  for scalar in text.unicodeScalars {
    if !scalar.actsOnTerminal || kept.contains(scalar) {
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
