// The records of a cassette as values, the same for every format version. How a version spells them is in that
// version's own file (CassetteFormat1.swift). Delays are microseconds since the record before that has one.

public import ServerSentEvents

/// One record of a cassette, in the order of the file.
///
/// A chunk lies in the value itself, and what is large and rare beside it: nearly all records are chunks, and each is
/// handed on a few times.
public enum CassetteRecord: Hashable, Sendable {
  /// `W`: the header, first of its recording.
  indirect case header(Cassette.Header)
  /// `Q`: a request; opens an exchange.
  indirect case request(Cassette.Request)
  /// `B`: bytes of the request's body.
  case requestBody([UInt8])
  /// `S`: the response head.
  indirect case response(Cassette.Response)
  /// `D`: one chunk of the response body.
  case chunk(Cassette.Chunk)
  /// `X`: the end of the exchange.
  indirect case end(Cassette.End)
  /// `N`: a note.
  indirect case note(Cassette.Note)
  /// `Z`: the trailer of a finished recording.
  indirect case trailer(Cassette.Trailer)
  /// A kind that this version doesn't know, kept as it is.
  case unknown(kind: UInt8, payload: [UInt8])

  /// The delay of records that have one: microseconds since the one before it that has.
  public var delay: Int64? {
    get {
      switch self {
      case .request(let request): request.delay
      case .response(let response): response.delay
      case .chunk(let chunk): chunk.delay
      case .end(let end): end.delay
      case .note(let note): note.delay
      case .header, .requestBody, .trailer, .unknown: nil
      }
    }
    set {
      guard let newValue else { return }
      switch self {
      case .request(var value): value.delay = newValue; self = .request(value)
      case .response(var value): value.delay = newValue; self = .response(value)
      case .chunk(var value): value.delay = newValue; self = .chunk(value)
      case .end(var value): value.delay = newValue; self = .end(value)
      case .note(var value): value.delay = newValue; self = .note(value)
      case .header, .requestBody, .trailer, .unknown: break
      }
    }
  }
}

extension Cassette {
  /// The header of a recording.
  public struct Header: Hashable, Sendable {
    /// What recorded: program and version.
    public var recorder: String
    /// When the recording began: RFC 3339, UTC.
    public var recordedAt: String
    /// Where the delays come from.
    public var timing: Timing
    /// What was masked, as far as it was known when the header was written; the trailer has the whole of it.
    public var redaction: Redaction?
    /// The recorder's labels.
    public var labels: [String: String]
    /// The client that recorded, where it was one of ours.
    public var client: Client?
    /// Members that this version doesn't know.
    public var other: JSONObject

    /// Creates a header.
    public init(
      recorder: String, recordedAt: String, timing: Timing = .recorded, redaction: Redaction? = nil,
      labels: [String: String] = [:], client: Client? = nil, other: JSONObject = [:]
    ) {
      self.recorder = recorder
      self.recordedAt = recordedAt
      self.timing = timing
      self.redaction = redaction
      self.labels = labels
      self.client = client
      self.other = other
    }
  }

  /// Where a recording's delays come from. Texts that this version doesn't know are kept.
  public struct Timing: RawRepresentable, Hashable, Sendable {
    /// The text in the file.
    public var rawValue: String
    /// Creates one from its text.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Measured while recording.
    public static let recorded = Timing(rawValue: "recorded")
    /// Made up.
    public static let synthetic = Timing(rawValue: "synthetic")
    /// Not known, as after an import.
    public static let unknown = Timing(rawValue: "unknown")
  }

  /// What was masked in a recording.
  public struct Redaction: Hashable, Sendable {
    /// Names of masked header fields, lower case, sorted.
    public var headers: [String]
    /// Names of masked query items (`user info` stands for a URL's user and password), sorted.
    public var query: [String]
    /// Names of masked JSON members, sorted.
    public var keys: [String]
    /// How often a masked value turned up again elsewhere.
    public var echoes: Int64
    /// Members that this version doesn't know.
    public var other: JSONObject

    /// Creates the record.
    public init(
      headers: [String] = [], query: [String] = [], keys: [String] = [], echoes: Int64 = 0,
      other: JSONObject = [:]
    ) {
      self.headers = headers
      self.query = query
      self.keys = keys
      self.echoes = echoes
      self.other = other
    }

    /// How often a pattern of the rules matched. The file names it only if one did.
    public var matches: Int64 {
      get { if case .integer(let count)? = other["matches"] { count } else { 0 } }
      set { other["matches"] = newValue == 0 ? nil : .integer(newValue) }
    }

    /// How often an event's data was masked whole, since a pattern took too long to find. The file names it only if it was.
    public var unsearched: Int64 {
      get { if case .integer(let count)? = other["unsearched"] { count } else { 0 } }
      set { other["unsearched"] = newValue == 0 ? nil : .integer(newValue) }
    }
  }

  /// The client that recorded.
  public struct Client: Hashable, Sendable {
    /// `eventSource` or `oneShot`.
    public var mode: String
    /// `standard` or `resilient`.
    public var policy: String
    /// The reconnection time it began with, in milliseconds.
    public var initialRetryMs: Int64
    /// Members that this version doesn't know.
    public var other: JSONObject

    /// Creates the record.
    public init(mode: String, policy: String, initialRetryMs: Int64, other: JSONObject = [:]) {
      self.mode = mode
      self.policy = policy
      self.initialRetryMs = initialRetryMs
      self.other = other
    }
  }

  /// A request.
  public struct Request: Hashable, Sendable {
    /// Microseconds since the record before.
    public var delay: Int64
    /// The method.
    public var method: String
    /// The URL as sent, masked where redaction was on.
    public var url: String
    /// The header fields in order.
    public var headers: [HeaderField]
    /// Members that this version doesn't know.
    public var other: JSONObject

    /// Creates a request.
    public init(
      delay: Int64 = 0, method: String = "GET", url: String, headers: [HeaderField] = [],
      other: JSONObject = [:]
    ) {
      self.delay = delay
      self.method = method
      self.url = url
      self.headers = headers
      self.other = other
    }
  }

  /// A response head.
  public struct Response: Hashable, Sendable {
    /// Microseconds since the record before.
    public var delay: Int64
    /// The status code.
    public var status: Int
    /// The header fields in order.
    public var headers: [HeaderField]
    /// Whether the transport undid a content encoding that the headers still name.
    public var decoded: Bool
    /// Members that this version doesn't know.
    public var other: JSONObject

    /// Creates a response head.
    public init(
      delay: Int64 = 0, status: Int = 200, headers: [HeaderField] = [], decoded: Bool = false,
      other: JSONObject = [:]
    ) {
      self.delay = delay
      self.status = status
      self.headers = headers
      self.decoded = decoded
      self.other = other
    }
  }

  /// One chunk of a body, as delivered.
  public struct Chunk: Hashable, Sendable {
    /// Microseconds since the record before.
    public var delay: Int64
    /// The bytes; at least one.
    public var bytes: [UInt8]

    /// Creates a chunk.
    public init(delay: Int64 = 0, bytes: [UInt8]) {
      self.delay = delay
      self.bytes = bytes
    }
  }

  /// How an exchange ended.
  public struct End: Hashable, Sendable {
    /// Microseconds since the record before.
    public var delay: Int64
    /// The cause as it stands in the file; one that this version doesn't know is kept.
    public var causeText: String
    /// For people.
    public var detail: String
    /// Members that this version doesn't know.
    public var other: JSONObject

    /// The cause; a text that this version doesn't know reads as `unknown`.
    public var cause: ConnectionEnd { ConnectionEnd(rawValue: causeText) ?? .unknown }

    /// Creates an end.
    public init(delay: Int64 = 0, cause: ConnectionEnd, detail: String = "", other: JSONObject = [:]) {
      self.init(delay: delay, causeText: cause.rawValue, detail: detail, other: other)
    }

    init(delay: Int64, causeText: String, detail: String, other: JSONObject) {
      self.delay = delay
      self.causeText = causeText
      self.detail = detail
      self.other = other
    }
  }

  /// A note between the other records.
  public struct Note: Hashable, Sendable {
    /// What the note tells.
    public struct Event: RawRepresentable, Hashable, Sendable {
      /// The text in the file.
      public var rawValue: String
      /// Creates one from its text; a recorder may have names of its own.
      public init(rawValue: String) { self.rawValue = rawValue }
      /// The network went.
      public static let networkLost = Event(rawValue: "networkLost")
      /// The network is back.
      public static let networkRestored = Event(rawValue: "networkRestored")
      /// The app went to the background.
      public static let background = Event(rawValue: "background")
      /// The app came to the foreground.
      public static let foreground = Event(rawValue: "foreground")
      /// The client's credentials changed.
      public static let credentialsChanged = Event(rawValue: "credentialsChanged")
      /// The recorder could not keep up: what it lost is told in the note's other members.
      public static let overflow = Event(rawValue: "overflow")
    }

    /// Microseconds since the record before.
    public var delay: Int64
    /// What the note tells.
    public var event: Event
    /// Anything else.
    public var other: JSONObject

    /// Creates a note.
    public init(delay: Int64 = 0, event: Event, other: JSONObject = [:]) {
      self.delay = delay
      self.event = event
      self.other = other
    }
  }

  /// The trailer of a finished recording: the totals of its exchanges. Bytes are those of its chunks.
  public struct Trailer: Hashable, Sendable {
    /// The number of exchanges.
    public var exchanges: Int64
    /// The number of chunks.
    public var chunks: Int64
    /// The number of bytes in all chunks.
    public var bytes: Int64
    /// The CRC-32 of the bytes of all chunks in order.
    public var crc32: UInt32
    /// Members that this version doesn't know, and `redaction`: what was masked in the whole recording.
    public var other: JSONObject

    /// Creates a trailer.
    public init(
      exchanges: Int64 = 0, chunks: Int64 = 0, bytes: Int64 = 0, crc32: UInt32 = 0, other: JSONObject = [:]
    ) {
      self.exchanges = exchanges
      self.chunks = chunks
      self.bytes = bytes
      self.crc32 = crc32
      self.other = other
    }
  }
}
