// A strict JSON parser (RFC 8259) for hostile bytes: bounded nesting, no duplicate keys, only valid UTF-8 and whole
// surrogate pairs. It gives a reason instead of a partial value. White space and any order of keys are accepted.

/// Why bytes are not the JSON that was expected.
struct JSONFault: Error {
  var message: String
  init(_ message: String) { self.message = message }
}

/// Parses one JSON value out of bytes.
struct JSONParser {
  private let bytes: ArraySlice<UInt8>
  private var position: Int
  private let nesting: Int

  /// Parses exactly one value, nested at most `nesting` deep (an object counts as one level).
  static func value(of bytes: ArraySlice<UInt8>, nesting: Int = 64) throws(JSONFault) -> JSONValue {
    var parser = JSONParser(bytes, nesting: nesting)
    parser.skipSpace()
    let value = try parser.value(depth: 0)
    parser.skipSpace()
    if parser.position != bytes.endIndex { throw JSONFault("bytes after the JSON value") }
    return value
  }

  /// Parses exactly one object.
  static func object(of bytes: ArraySlice<UInt8>, nesting: Int = 64) throws(JSONFault) -> JSONObject {
    guard case .object(let object) = try value(of: bytes, nesting: nesting) else {
      throw JSONFault("JSON that is not an object")
    }
    return object
  }

  private init(_ bytes: ArraySlice<UInt8>, nesting: Int) {
    self.bytes = bytes
    self.nesting = nesting
    position = bytes.startIndex
  }

  private var next: UInt8? { position < bytes.endIndex ? bytes[position] : nil }

  private mutating func take(_ byte: UInt8) -> Bool {
    if next != byte { return false }
    position += 1
    return true
  }

  private mutating func skipSpace() {
    while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { position += 1 }
  }

  private mutating func value(depth: Int) throws(JSONFault) -> JSONValue {
    switch next {
    case UInt8(ascii: "{"): return .object(try object(depth: depth + 1))
    case UInt8(ascii: "["): return .array(try array(depth: depth + 1))
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    case nil: throw JSONFault("JSON that breaks off")
    case let byte? where byte == UInt8(ascii: "-") || (0x30...0x39).contains(byte): return try number()
    default: throw JSONFault("bytes that are not JSON")
    }
  }

  private mutating func word(_ word: StaticString, _ value: JSONValue) throws(JSONFault) -> JSONValue {
    let text = word.description.utf8
    guard bytes[position...].starts(with: text) else { throw JSONFault("bytes that are not JSON") }
    position += text.count
    return value
  }

  private mutating func object(depth: Int) throws(JSONFault) -> JSONObject {
    if depth > nesting { throw JSONFault("JSON nested more than \(nesting) deep") }
    position += 1
    var members: [JSONObject.Member] = []
    skipSpace()
    if !take(UInt8(ascii: "}")) {
      repeat {
        skipSpace()
        guard next == UInt8(ascii: "\"") else { throw JSONFault("a JSON object whose key is not a string") }
        let key = try string()
        skipSpace()
        guard take(UInt8(ascii: ":")) else { throw JSONFault("a JSON key without a colon") }
        skipSpace()
        members.append((key, try value(depth: depth)))
        skipSpace()
      } while take(UInt8(ascii: ","))
      guard take(UInt8(ascii: "}")) else { throw JSONFault("a JSON object that is not closed") }
    }
    guard let object = JSONObject(unsorted: members) else { throw JSONFault("JSON with a key given twice") }
    return object
  }

  private mutating func array(depth: Int) throws(JSONFault) -> [JSONValue] {
    if depth > nesting { throw JSONFault("JSON nested more than \(nesting) deep") }
    position += 1
    var values: [JSONValue] = []
    skipSpace()
    if take(UInt8(ascii: "]")) { return values }
    repeat {
      skipSpace()
      values.append(try value(depth: depth))
      skipSpace()
    } while take(UInt8(ascii: ","))
    guard take(UInt8(ascii: "]")) else { throw JSONFault("a JSON array that is not closed") }
    return values
  }

  private mutating func digits() -> Int {
    let start = position
    while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
    return position - start
  }

  private mutating func number() throws(JSONFault) -> JSONValue {
    let start = position
    _ = take(UInt8(ascii: "-"))
    let leadingZero = next == UInt8(ascii: "0")
    let whole = digits()
    if whole == 0 || (leadingZero && whole > 1) { throw JSONFault("a JSON number that is none") }
    var isInteger = true
    if take(UInt8(ascii: ".")) {
      isInteger = false
      if digits() == 0 { throw JSONFault("a JSON number that is none") }
    }
    if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
      isInteger = false
      if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
      if digits() == 0 { throw JSONFault("a JSON number that is none") }
    }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    if isInteger, text != "-0", let integer = Int64(text) { return .integer(integer) }
    return .number(text)
  }

  private mutating func string() throws(JSONFault) -> String {
    position += 1
    let start = position
    while let byte = next, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 {
      position += 1
    }
    // Most strings hold no escape: they are one slice.
    if next == UInt8(ascii: "\"") {
      position += 1
      return try text(bytes[start..<position - 1])
    }
    var unescaped = Array(bytes[start..<position])
    while let byte = next {
      position += 1
      switch byte {
      case UInt8(ascii: "\""): return try text(unescaped[...])
      case UInt8(ascii: "\\"): try escape(into: &unescaped)
      case 0..<0x20: throw JSONFault("a control character inside a JSON string")
      default: unescaped.append(byte)
      }
    }
    throw JSONFault("a JSON string that is not closed")
  }

  private func text(_ bytes: ArraySlice<UInt8>) throws(JSONFault) -> String {
    // Decoding replaces what is not UTF-8, so only valid bytes come back as they were. (`String(validating:as:)` is
    // newer than the oldest platforms here.)
    let text = String(decoding: bytes, as: UTF8.self)
    if !text.utf8.elementsEqual(bytes) { throw JSONFault("JSON that is not UTF-8") }
    return text
  }

  private mutating func escape(into unescaped: inout [UInt8]) throws(JSONFault) {
    guard let byte = next else { throw JSONFault("a JSON string that is not closed") }
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): unescaped.append(byte)
    case UInt8(ascii: "b"): unescaped.append(0x08)
    case UInt8(ascii: "t"): unescaped.append(0x09)
    case UInt8(ascii: "n"): unescaped.append(0x0A)
    case UInt8(ascii: "f"): unescaped.append(0x0C)
    case UInt8(ascii: "r"): unescaped.append(0x0D)
    case UInt8(ascii: "u"):
      var unit = try hexUnit()
      if (0xD800..<0xDC00).contains(unit) {
        guard take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else {
          throw JSONFault("half a surrogate pair")
        }
        let low = try hexUnit()
        guard (0xDC00..<0xE000).contains(low) else { throw JSONFault("half a surrogate pair") }
        unit = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00)
      }
      guard let scalar = Unicode.Scalar(unit) else { throw JSONFault("half a surrogate pair") }
      unescaped.append(contentsOf: String(Character(scalar)).utf8)
    default: throw JSONFault("an escape that JSON doesn't know")
    }
  }

  private mutating func hexUnit() throws(JSONFault) -> UInt32 {
    var unit: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = next, let digit = Self.hexDigit(byte) else {
        throw JSONFault("a \\u escape without four digits")
      }
      position += 1
      unit = unit << 4 | UInt32(digit)
    }
    return unit
  }

  static func hexDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
