// The golden file beside a cassette: `x.events.jsonl`, one event a line. Here are its lines as values and as text;
// files themselves are read and written by whoever asks.

public import ServerSentEvents

/// One event of a session, as golden files hold it.
public struct GoldenEvent: Sendable {
  /// The exchange that brought it, from 1.
  public var exchange: Int
  /// The type, `message` where the block had none.
  public var type: String
  /// The payload.
  public var data: String
  /// The last event ID in effect.
  public var lastEventID: String
  /// The block's own id, if it had one.
  public var id: String?

  /// Creates an event of its parts.
  public init(
    exchange: Int, type: String = "message", data: String, lastEventID: String = "", id: String? = nil
  ) {
    self.exchange = exchange
    self.type = type
    self.data = data
    self.lastEventID = lastEventID
    self.id = id
  }

  /// Creates what a golden file keeps of an event.
  public init(exchange: Int, _ event: ServerSentEvent) {
    self.init(
      exchange: exchange, type: event.type, data: event.data, lastEventID: event.lastEventID, id: event.id)
  }
}

extension GoldenEvent: Hashable {
  /// Whether both are the same bytes in every field.
  public static func == (a: GoldenEvent, b: GoldenEvent) -> Bool {
    a.exchange == b.exchange && a.event == b.event
  }

  /// Hashes every field's bytes.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(exchange)
    hasher.combine(event)
  }

  private var event: ServerSentEvent {
    ServerSentEvent(name: type, data: data, id: id, lastEventID: lastEventID)
  }
}

extension GoldenEvent: CustomStringConvertible {
  /// The line of the golden file, without its end.
  public var description: String {
    JSONLine.text([
      ("exchange", .integer(Int64(exchange))), ("type", .string(type)), ("data", .string(data)),
      ("lastEventId", .string(lastEventID)), ("id", id.map(JSONValue.string) ?? .null),
    ])
  }
}

/// The lines of a golden file.
public enum GoldenFile {
  /// The golden file's path for a cassette's: `x.cassette` has `x.events.jsonl` beside it.
  public static func path(forCassette path: String) -> String {
    let suffix = ".cassette"
    return (path.hasSuffix(suffix) ? String(path.dropLast(suffix.count)) : path) + ".events.jsonl"
  }

  /// The file's bytes: a line for each event.
  public static func bytes(of events: [GoldenEvent]) -> [UInt8] {
    events.flatMap { Array($0.description.utf8) + [0x0A] }
  }

  /// Reads a golden file. Blank lines are skipped; unknown keys are ignored; `exchange` and `data` must be there.
  /// - Throws: ``GoldenFileError`` with the line's number.
  public static func events(in bytes: [UInt8]) throws(GoldenFileError) -> [GoldenEvent] {
    var events: [GoldenEvent] = []
    var number = 0
    for line in bytes.split(separator: 0x0A, omittingEmptySubsequences: false) {
      number += 1
      let line = line.last == 0x0D ? line.dropLast() : line
      if line.allSatisfy({ $0 == 0x20 }) { continue }
      events.append(try event(line, number))
    }
    return events
  }

  private static func event(_ line: ArraySlice<UInt8>, _ number: Int) throws(GoldenFileError) -> GoldenEvent {
    let object: JSONObject
    do {
      object = try JSONParser.object(of: line, nesting: CassetteLimits.nesting)
    } catch {
      throw GoldenFileError(line: number, what: "is not a JSON object")
    }
    guard case .integer(let exchange)? = object["exchange"], let exchange = Int(exactly: exchange),
      exchange >= 1
    else {
      throw GoldenFileError(line: number, what: "has no \"exchange\" from 1")
    }
    func text(_ key: String, default: String?) throws(GoldenFileError) -> String? {
      switch object[key] {
      case .string(let text)?: return text
      case nil, .null?: return `default`
      default: throw GoldenFileError(line: number, what: "has a \"\(key)\" that is not a string")
      }
    }
    guard let data = try text("data", default: nil) else {
      throw GoldenFileError(line: number, what: "has no \"data\"")
    }
    return GoldenEvent(
      exchange: exchange, type: try text("type", default: nil) ?? "message", data: data,
      lastEventID: try text("lastEventId", default: nil) ?? "", id: try text("id", default: nil))
  }
}

/// A golden file that can't be read.
public struct GoldenFileError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The line, from 1.
  public let line: Int
  let what: String

  /// Where and what, and the next step.
  public var description: String {
    "line \(line) of the golden file \(what): write the file anew with `wiretape check --update`"
  }
}
