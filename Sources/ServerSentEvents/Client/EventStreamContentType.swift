// Whether a response is an event stream: the MIME type is extracted from the headers as Fetch and MIME Sniffing say.

extension EventStreamResponse {
  /// Whether the content type's essence is `text/event-stream`; parameters and case don't matter.
  ///
  /// Where several types are listed, over one field or more, the last valid one counts, as in the Fetch Standard's
  /// *extract a MIME type* (section 2.2.2).
  public var isEventStream: Bool { contentType == "text/event-stream" }

  /// The essence of the content type in lower case, or `nil` if there's no valid one.
  public var contentType: String? {
    var essence: String?
    for value in headers.values(of: "Content-Type") {
      for item in listItems(value) {
        if let valid = mimeEssence(item), valid != "*/*" { essence = valid }
      }
    }
    return essence
  }
}

/// The items of a comma-separated list; commas in quoted strings don't separate.
private func listItems(_ value: String) -> [Substring.UTF8View] {
  let bytes = value.utf8
  var items: [Substring.UTF8View] = []
  var start = bytes.startIndex
  var isQuoted = false
  var isEscaped = false
  for index in bytes.indices {
    let byte = bytes[index]
    if isEscaped {
      isEscaped = false
    } else if isQuoted, byte == UInt8(ascii: "\\") {
      isEscaped = true
    } else if byte == UInt8(ascii: "\"") {
      isQuoted.toggle()
    } else if byte == UInt8(ascii: ","), !isQuoted {
      items.append(bytes[start..<index])
      start = bytes.index(after: index)
    }
  }
  items.append(bytes[start...])
  return items
}

/// `type/subtype` in lower case, if both are tokens.
private func mimeEssence(_ item: Substring.UTF8View) -> String? {
  let essence = item.prefix { $0 != UInt8(ascii: ";") }
  var bytes = Array(essence)[...]
  while let first = bytes.first, isWhiteSpace(first) { bytes.removeFirst() }
  while let last = bytes.last, isWhiteSpace(last) { bytes.removeLast() }
  guard let slash = bytes.firstIndex(of: UInt8(ascii: "/")) else { return nil }
  let type = bytes[..<slash]
  let subtype = bytes[(slash + 1)...]
  guard !type.isEmpty, !subtype.isEmpty, type.allSatisfy(isToken), subtype.allSatisfy(isToken) else {
    return nil
  }
  return String(decoding: bytes.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
}

private func isWhiteSpace(_ byte: UInt8) -> Bool {
  byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
}

private func isToken(_ byte: UInt8) -> Bool {
  switch byte {
  case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
  default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
  }
}
