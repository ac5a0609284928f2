// Lines of JSON with their members in a fixed order, as the tool's outputs and golden files have them.

import ServerSentEvents

enum JSONLine {
  /// One line, without its end: the members in the order given. Nothing in it acts on a terminal.
  static func text(_ members: [(String, JSONValue)]) -> String {
    var bytes: [UInt8] = [UInt8(ascii: "{")]
    for (index, (key, value)) in members.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      JSONValue.appendCanonical(key, to: &bytes)
      bytes.append(UInt8(ascii: ":"))
      value.appendCanonical(to: &bytes)
    }
    bytes.append(UInt8(ascii: "}"))
    return String(decoding: escapingTerminalControls(bytes), as: UTF8.self)
  }
}

extension EventStreamParser.Output {
  /// The output as a finding shows it.
  var checkedJSON: String {
    switch self {
    case .event(let event):
      JSONLine.text([
        ("type", .string(event.type)), ("data", .string(event.data)),
        ("lastEventId", .string(event.lastEventID)),
        ("id", event.id.map(JSONValue.string) ?? .null),
      ])
    case .comment(let text): JSONLine.text([("comment", .string(text))])
    case .retry(let milliseconds): JSONLine.text([("retry", .integer(milliseconds))])
    case .dropped(let bytes): JSONLine.text([("droppedBytes", .integer(Int64(bytes)))])
    case .failed(let error): JSONLine.text([("failed", .string(String(describing: error)))])
    }
  }
}
