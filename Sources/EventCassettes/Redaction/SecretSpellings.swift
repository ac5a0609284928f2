// How a value is spelled where it turns up again: as the encoders of common languages write it into URLs, forms and JSON.

enum SecretSpellings {
  /// The spellings of a value other than its own bytes. Several may be the same.
  static func all(of value: [UInt8]) -> [[UInt8]] {
    // Most secrets are spelled in one way everywhere.
    if value.allSatisfy({ isAlphanumeric($0) || keptByAll.contains($0) }) { return [] }
    let text = String(decoding: value, as: UTF8.self)
    return percentEncodings.flatMap { $0.spellings(of: value) } + jsonEscapings.map { $0.spelling(of: text) }
  }

  private static let keptByAll = Set("-._".utf8)

  private static let percentEncodings: [PercentEncoding] = [
    PercentEncoding(kept: "-._~"),  // RFC 3986
    PercentEncoding(kept: "-._~!*'()"),  // encodeURIComponent
    PercentEncoding(kept: "-._~!*'();,/?:@&=+$#"),  // encodeURI
    PercentEncoding(kept: "-._~/"),  // Python's quote
    PercentEncoding(kept: "-._~", space: "+"),  // Python's quote_plus
    PercentEncoding(kept: "-._*", space: "+"),  // forms, as URLSearchParams writes them
  ]

  private static let jsonEscapings: [JSONEscaping] = [
    JSONEscaping(),
    JSONEscaping(escapesSlash: true),
    JSONEscaping(isASCII: true),  // Python
    JSONEscaping(isASCII: true, escapesSlash: true),  // PHP
    JSONEscaping(isASCII: true, hasUpperCase: true),
    JSONEscaping(byNumber: "&<>"),  // Go
    JSONEscaping(byNumber: "&<>='"),  // Gson
    JSONEscaping(byNumber: "\"&<>'+`", isASCII: true, hasUpperCase: true),  // .NET
  ]

  fileprivate static func isAlphanumeric(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: false
    }
  }
}

/// A way to write bytes into a URL or a form.
private struct PercentEncoding {
  static let upperDigits = Array("0123456789ABCDEF".utf8)
  static let lowerDigits = Array("0123456789abcdef".utf8)

  /// What stays as it is beside letters and digits.
  let kept: Set<UInt8>
  var space: [UInt8]?

  init(kept: String, space: String? = nil) {
    self.kept = Set(kept.utf8)
    self.space = space.map { Array($0.utf8) }
  }

  /// With upper-case digits and with lower-case ones.
  func spellings(of value: [UInt8]) -> [[UInt8]] {
    [Self.upperDigits, Self.lowerDigits].map { digits in
      var spelling: [UInt8] = []
      for byte in value {
        if SecretSpellings.isAlphanumeric(byte) || kept.contains(byte) {
          spelling.append(byte)
        } else if byte == 0x20, let space {
          spelling += space
        } else {
          spelling.append(UInt8(ascii: "%"))
          spelling.append(digits[Int(byte >> 4)])
          spelling.append(digits[Int(byte & 15)])
        }
      }
      return spelling
    }
  }
}

/// A way to write text into a JSON string.
private struct JSONEscaping {
  /// What is written by its number, such as `\u0026`, although JSON has no need of that. ASCII.
  var byNumber: Set<UInt32> = []
  /// Whether everything beyond ASCII is written so, too.
  var isASCII = false
  var escapesSlash = false
  /// Whether the digits of such numbers are in upper case.
  var hasUpperCase = false

  init(byNumber: String = "", isASCII: Bool = false, escapesSlash: Bool = false, hasUpperCase: Bool = false) {
    self.byNumber = Set(byNumber.unicodeScalars.map(\.value))
    (self.isASCII, self.escapesSlash, self.hasUpperCase) = (isASCII, escapesSlash, hasUpperCase)
  }

  /// The string's inside.
  func spelling(of text: String) -> [UInt8] {
    let digits = hasUpperCase ? PercentEncoding.upperDigits : PercentEncoding.lowerDigits
    var spelling: [UInt8] = []
    for scalar in text.unicodeScalars {
      if byNumber.contains(scalar.value) || (isASCII && scalar.value > 0x7E) {
        for unit in UTF16.encode(scalar) ?? .init() {
          spelling += "\\u".utf8
          for shift in [12, 8, 4, 0] { spelling.append(digits[Int(unit >> shift & 15)]) }
        }
      } else if scalar == "/", escapesSlash {
        spelling += "\\/".utf8
      } else if scalar.value >= 0x20, scalar != "\"", scalar != "\\" {
        spelling += UTF8.encode(scalar) ?? .init()
      } else {
        var quoted: [UInt8] = []
        JSONValue.appendCanonical(String(scalar), to: &quoted)
        spelling += quoted.dropFirst().dropLast()
      }
    }
    return spelling
  }
}
