// Masking of what comes before bodies: header fields and URLs. They have no offsets to keep, so a secret becomes
// `[FILTERED]`, whatever its length. Pure; every secret found is handed to the caller, who looks for its echoes.

import ServerSentEvents

/// Masks header fields and URLs.
struct HeadMask: Sendable {
  static let mask = "[FILTERED]"
  /// Stands among the query names for a URL's user and password.
  static let userInfo = "user info"

  /// Where header names, query names and secrets that were found are collected.
  struct Found: Sendable {
    var headers: Set<String> = []
    var query: Set<String> = []
    /// Values in plain form, new ones since the caller emptied it.
    var secrets: [String] = []
  }

  private let headers: Set<String>
  private let query: Set<[UInt8]>

  init(_ rules: RedactionRules) {
    headers = Set(rules.headers.map { $0.lowercased() })
    query = Set(rules.query.map { RedactionRules.folded($0.utf8) })
  }

  func masked(_ fields: [HeaderField], _ found: inout Found) -> [HeaderField] {
    fields.map { field in
      let name = field.name.lowercased()
      var field = field
      if headers.contains(name), !field.value.isEmpty {
        found.headers.insert(name)
        field.value = masked(field.value, of: name, &found)
      } else if name == "location" || name == "referer" || name == "content-location" {
        field.value = masked(url: field.value, &found)
      }
      return field
    }
  }

  private func masked(_ value: String, of name: String, _ found: inout Found) -> String {
    switch name {
    case "cookie": return maskedCookies(value, &found)
    case "set-cookie": return maskedSetCookie(value, &found)
    default: break
    }
    if name == "authorization" || name == "proxy-authorization",
      let space = value.utf8.firstIndex(of: UInt8(ascii: " "))
    {
      let scheme = value[..<space]
      let credentials = value[space...].drop { $0 == " " }
      if !credentials.isEmpty {
        add(credentials, &found)
        if scheme.lowercased() == "basic" { addPair(credentials, &found) }
        return name == "authorization" ? "\(scheme) \(Self.mask)" : Self.mask
      }
    }
    add(value[...], &found)
    return Self.mask
  }

  private func add(_ secret: Substring, _ found: inout Found) {
    if secret.isEmpty || secret == Self.mask { return }
    found.secrets.append(String(secret))
  }

  /// `user:password` out of Basic credentials, and the password alone.
  private func addPair(_ credentials: Substring, _ found: inout Found) {
    guard let bytes = Base64.decoded(credentials.utf8) else { return }
    add(String(decoding: bytes, as: UTF8.self)[...], &found)
    if let colon = bytes.firstIndex(of: UInt8(ascii: ":")) {
      add(String(decoding: bytes[(colon + 1)...], as: UTF8.self)[...], &found)
    }
  }

  private func maskedCookies(_ value: String, _ found: inout Found) -> String {
    value.split(separator: ";", omittingEmptySubsequences: false)
      .map { maskedPair($0, &found) }.joined(separator: ";")
  }

  /// One `name=value`; without a `=` all of it is the value.
  private func maskedPair(_ pair: Substring, _ found: inout Found) -> String {
    let space = pair.prefix { $0 == " " }
    let rest = pair.dropFirst(space.count)
    if rest.isEmpty { return String(pair) }
    guard let equals = rest.firstIndex(of: "=") else {
      add(rest, &found)
      return space + Self.mask
    }
    let value = rest[rest.index(after: equals)...]
    if value.isEmpty { return String(pair) }
    add(value, &found)
    return space + rest[...equals] + Self.mask
  }

  /// A cookie's value, its attributes kept. Some HTTP stacks join several Set-Cookie fields by commas: what follows a
  /// comma and looks like `name=` is the next cookie (the comma inside a date is not followed by one).
  private func maskedSetCookie(_ value: String, _ found: inout Found) -> String {
    var inPair = true
    return value.split(separator: ";", omittingEmptySubsequences: false).map { piece in
      var masked = ""
      for (index, part) in piece.split(separator: ",", omittingEmptySubsequences: false).enumerated() {
        if index > 0 { masked += "," }
        let trimmed = part.drop { $0 == " " }
        let equals = trimmed.firstIndex(of: "=")
        if index > 0, let equals, !trimmed[..<equals].contains(" "), !trimmed[..<equals].isEmpty {
          inPair = true
        }
        masked += inPair ? maskedPair(part, &found) : String(part)
      }
      inPair = false
      return masked
    }.joined(separator: ";")
  }

  /// A URL, absolute or relative, without its user info and secret items.
  func masked(url: String, _ found: inout Found) -> String {
    var url = url
    if let scheme = url.range(ofText: "//"), isAuthority(url, before: scheme.lowerBound) {
      let authority = url[scheme.upperBound...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
      if let at = authority.lastIndex(of: "@"), authority.startIndex < at {
        let userInfo = authority[..<at]
        found.query.insert(Self.userInfo)
        if let colon = userInfo.firstIndex(of: ":") {
          add(decoded: userInfo[userInfo.index(after: colon)...], &found)
        }
        add(decoded: userInfo, &found)
        url.replaceSubrange(authority.startIndex..<at, with: Self.mask)
      }
    }
    guard let mark = url.firstIndex(where: { $0 == "?" || $0 == "#" }) else { return url }
    var masked = String(url[...mark])
    // The same item syntax is used in fragments by those who hand tokens over in them.
    var rest = url[url.index(after: mark)...]
    while !rest.isEmpty {
      let item = rest.prefix { $0 != "&" && $0 != "#" && $0 != ";" }
      masked += maskedItem(item, &found)
      rest = rest.dropFirst(item.count)
      if let separator = rest.popFirst() { masked.append(separator) }
    }
    return masked
  }

  /// Whether `//` is the beginning of an authority: at the start or right after `scheme:`.
  private func isAuthority(_ url: String, before index: String.Index) -> Bool {
    let scheme = url[..<index]
    return scheme.isEmpty
      || (scheme.hasSuffix(":") && scheme.dropLast().allSatisfy { $0.isASCII && $0 != "/" && $0 != "?" })
  }

  private func maskedItem(_ item: Substring, _ found: inout Found) -> String {
    guard let equals = item.firstIndex(of: "=") else { return String(item) }
    let value = item[item.index(after: equals)...]
    let name = Percent.decoded(item[..<equals].utf8)
    guard !value.isEmpty, query.contains(RedactionRules.folded(name)) else { return String(item) }
    found.query.insert(String(decoding: name, as: UTF8.self))
    add(decoded: value, &found)
    return item[...equals] + Self.mask
  }

  private func add(decoded text: Substring, _ found: inout Found) {
    add(text, &found)
    let plain = String(decoding: Percent.decoded(text.utf8), as: UTF8.self)
    if plain != text { add(plain[...], &found) }
  }
}

extension String {
  /// The first place of a text; the standard library alone has none that works on all platforms here.
  fileprivate func range(ofText text: String) -> Range<String.Index>? {
    var start = startIndex
    while start < endIndex {
      if self[start...].hasPrefix(text) { return start..<index(start, offsetBy: text.count) }
      start = index(after: start)
    }
    return nil
  }
}

/// Percent encoding (RFC 3986, section 2.1), as far as finding secrets needs it.
enum Percent {
  /// Decodes `%XX`, and `+` as a space as forms do; anything malformed stays.
  static func decoded(_ text: some Collection<UInt8>) -> [UInt8] {
    let bytes = Array(text)
    var decoded: [UInt8] = []
    var index = 0
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
        let high = JSONParser.hexDigit(bytes[index + 1]),
        let low = JSONParser.hexDigit(bytes[index + 2])
      {
        decoded.append(high << 4 | low)
        index += 3
      } else {
        decoded.append(bytes[index] == UInt8(ascii: "+") ? 0x20 : bytes[index])
        index += 1
      }
    }
    return decoded
  }
}

/// Base64 (RFC 4648, section 4), decoding only.
enum Base64 {
  /// The decoded bytes, or `nil` if this is no base64. Missing padding is accepted.
  static func decoded(_ text: some Sequence<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    var bits: UInt32 = 0
    var count = 0
    var padded = false
    for byte in text {
      let value: UInt32
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): value = UInt32(byte - UInt8(ascii: "A"))
      case UInt8(ascii: "a")...UInt8(ascii: "z"): value = UInt32(byte - UInt8(ascii: "a")) + 26
      case UInt8(ascii: "0")...UInt8(ascii: "9"): value = UInt32(byte - UInt8(ascii: "0")) + 52
      case UInt8(ascii: "+"), UInt8(ascii: "-"): value = 62
      case UInt8(ascii: "/"), UInt8(ascii: "_"): value = 63
      case UInt8(ascii: "="):
        padded = true
        continue
      default: return nil
      }
      if padded { return nil }
      bits = bits << 6 | value
      count += 6
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
      }
    }
    return bytes
  }
}
