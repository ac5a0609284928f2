// A request's header fields as libcurl takes them: one text for each, and a text that keeps it from adding its own.

import ServerSentEvents

/// The lines of a request's head.
struct HeaderLines {
  /// `Name: value`; `Name;` for an empty value, and `Name:` for what libcurl shall not add.
  private(set) var lines: [String] = []

  /// `nil` where a field can't be sent: its text would end the line, and begin what nobody asked for.
  init?(of request: EventStreamRequest) {
    guard !request.method.isEmpty, request.method.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      return nil
    }
    for field in request.headers {
      guard !field.name.isEmpty,
        field.name.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: ":") }),
        !field.value.utf8.contains(where: { [0, 10, 13].contains($0) })
      else { return nil }
      lines.append(field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)")
    }
    for name in ["Accept", "Accept-Encoding", "Content-Type", "Expect"] where request.headers[name] == nil {
      lines.append("\(name):")
    }
  }
}
