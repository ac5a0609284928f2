// A secret that an oracle puts into a body, and the spellings in which redaction promises to know it again. They are
// written out here anew, without the product's own encoders.

struct PlantedSecret {
  /// Shorter values are not looked for: they would be found in everything.
  static let shortest = 8

  let text: String

  /// A secret of 12 to 43 characters, or up to 300, which is looked for in pieces; some have characters that other spellings write differently.
  init(using generator: inout SeededGenerator) {
    let plain = Array("ABCDFGHIJKLMNOPQRSTUVWXYZabcdfghijklmnopqrstuvwxyz0123456789_")
    let special = plain + Array("/=\"\\ +é😀")
    let alphabet = generator.below(3) == 0 ? special : plain
    let length = 10 + generator.below(generator.below(4) == 0 ? 288 : 32)
    // Letters around it: spaces around a header's value are none of it.
    let inner = (0..<length).map { _ in generator.pick(alphabet) }
    text = "S" + String(inner) + "T"
  }

  /// An event whose data is JSON with the secret under a secret name. It begins with a blank line.
  var member: [UInt8] {
    Array("\n\ndata: {\"password\":\"".utf8) + jsonEscaped(slashes: false) + Array("\"}\n\n".utf8)
  }

  /// Plain, percent-encoded (in both cases, and as forms write it), JSON-escaped (with and without slashes escaped).
  var spellings: [[UInt8]] {
    let encoded = percentEncoded(digits: "0123456789ABCDEF")
    return [
      Array(text.utf8), encoded, percentEncoded(digits: "0123456789abcdef"),
      percentEncoded(digits: "0123456789ABCDEF", space: "+"), jsonEscaped(slashes: false),
      jsonEscaped(slashes: true),
    ]
  }

  private func percentEncoded(digits: String, space: String = "%20") -> [UInt8] {
    let digits = Array(digits.utf8)
    return text.utf8.flatMap { byte -> [UInt8] in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"): [byte]
      case 0x20: Array(space.utf8)
      default: [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
  }

  private func jsonEscaped(slashes: Bool) -> [UInt8] {
    text.utf8.flatMap { byte -> [UInt8] in
      let isEscaped =
        byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || slashes && byte == UInt8(ascii: "/")
      return isEscaped ? [UInt8(ascii: "\\"), byte] : [byte]
    }
  }
}
