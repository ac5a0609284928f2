// The parts of an http URL that a client of HTTP/1.1 needs. Strict: what can't be sent as it is is no URL here.

/// Scheme, authority and target of an absolute URL.
struct HTTPOrigin: Hashable, Sendable {
  var scheme: String
  /// Host and port as written: what the Host field says.
  var authority: String
  var host: String
  var port: UInt16
  /// Path and query; begins with `/`.
  var target: String

  /// Reads `http://HOST[:PORT][/PATH][?QUERY]`; `https` too. No user info, no IPv6 literals.
  init?(_ url: String) {
    guard url.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else { return nil }
    let withoutFragment = url.prefix { $0 != "#" }
    let parts = withoutFragment.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, parts[1].hasPrefix("//") else { return nil }
    scheme = parts[0].lowercased()
    guard scheme == "http" || scheme == "https" else { return nil }
    let rest = parts[1].dropFirst(2)
    let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
    authority = String(rest[..<end])
    target = String(rest[end...])
    if !target.hasPrefix("/") { target = "/" + target }
    guard !authority.contains("@"), !authority.contains("[") else { return nil }
    let pieces = authority.split(separator: ":", omittingEmptySubsequences: false)
    host = String(pieces[0])
    guard !host.isEmpty, pieces.count <= 2 else { return nil }
    if pieces.count == 2 {
      guard let number = String(pieces[1]).asDecimal, let port = UInt16(exactly: number), port > 0 else {
        return nil
      }
      self.port = port
    } else {
      port = scheme == "https" ? 443 : 80
    }
  }
}
