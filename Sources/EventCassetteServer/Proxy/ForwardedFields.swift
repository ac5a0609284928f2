// Which header fields a proxy passes on (RFC 9110, section 7.6.1): all but those that belong to one connection.

import ServerSentEvents

extension [HeaderField] {
  /// Fields that belong to one connection and not to the message.
  private static let hopByHop = [
    "Connection", "Keep-Alive", "Proxy-Connection", "Proxy-Authenticate", "Proxy-Authorization", "TE",
    "Trailer",
    "Transfer-Encoding", "Upgrade",
  ]

  /// Without the fields of the connection, those that its Connection field names, and `others`. Order and duplicates
  /// stay.
  func forwarded(without others: [String] = []) -> [HeaderField] {
    let named = values(of: "Connection").flatMap { $0.split(separator: ",") }
      .map { String($0.filter { $0 != " " && $0 != "\t" }) }
    let dropped = Self.hopByHop + named + others
    return filter { field in !dropped.contains { $0.equalsIgnoringASCIICase(field.name) } }
  }
}
