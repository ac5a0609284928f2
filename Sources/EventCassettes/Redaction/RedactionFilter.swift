// The streaming filter between a recorder (or a reader) and the writer: records in, the same records out, masked.
// It holds back the records whose bytes are not decided yet, and all that come after them; order and delays stay.

import ServerSentEvents

/// Masks the secrets in a stream of records.
///
/// Header values and URLs get `[FILTERED]`; in bodies every mask has the length of what it hides, so offsets and chunk
/// boundaries stay. What can't be masked: a secret in a body before anything told that it is one (unless it stands in the
/// bytes that still wait); a secret spread over several events, or in any other coding than plain, percent-encoded or
/// JSON-escaped (base64, compressed bodies); values shorter than 8 bytes where they turn up again; names that no rule
/// lists. Masking is by names and values, not by meaning. Of a value longer than 64 bytes each piece of 64 that it is looked
/// for by is masked alone, too.
public struct RedactionFilter {
  /// A record that waits; for one with body bytes, the position in its body behind them.
  private struct Waiting {
    var record: CassetteRecord
    var end: Int?
  }

  private let mask: HeadMask
  private let names: SecretNames
  private let patterns: PatternMask
  private var secrets = SecretSet()
  private var inHeads = HeadMask.Found()
  private var inBodies = BodyMask.Found()
  private var body: BodyMask?
  private var waiting: [Waiting] = []
  /// The header is held until the first other record, so that it can name what that one's masking found.
  private var header: Cassette.Header? { didSet { holdsHeader = header != nil } }
  private var holdsHeader = false  // looking at a large optional copies it, and this is asked for every chunk
  private var earlier: Cassette.Redaction?

  /// Creates a filter.
  ///
  /// - Throws: ``CassetteError`` `badRule` for a pattern that doesn't compile.
  public init(rules: RedactionRules) throws(CassetteError) {
    mask = HeadMask(rules)
    names = SecretNames(rules)
    patterns = try PatternMask(rules.patterns)
  }

  /// What was masked so far in the present recording, together with what its header said before.
  public var redaction: Cassette.Redaction {
    var own = Cassette.Redaction(
      headers: inHeads.headers.sorted(), query: inHeads.query.sorted(), keys: inBodies.keys.sorted(),
      echoes: inBodies.echoes)
    own.matches = inBodies.matches
    own.unsearched = inBodies.unsearched
    return earlier.merged(with: own) ?? own
  }

  /// Takes a record in and appends what can be written by now to `output`.
  public mutating func take(_ record: CassetteRecord, into output: inout [CassetteRecord]) {
    switch record {
    case .header(let header):
      finish(into: &output)
      inHeads = HeadMask.Found()
      inBodies = BodyMask.Found()
      earlier = header.redaction
      self.header = header
    case .request(var request):
      finishBody(into: &output)
      request.url = mask.masked(url: request.url, &inHeads)
      request.headers = mask.masked(request.headers, &inHeads)
      learn()
      request.url = masked(request.url)
      request.headers = masked(request.headers)
      request.other = masked(request.other)
      // What doesn't say what it is may be either: the mask looks at the first byte.
      let isForm = request.headers["Content-Type"]?.lowercased().contains("x-www-form-urlencoded") ?? true
      body = makeBody(isForm ? .form : .plain)
      put(.request(request), into: &output)
    case .response(var response):
      finishBody(into: &output)
      response.headers = mask.masked(response.headers, &inHeads)
      learn()
      let type = response.headers["Content-Type"]?.lowercased() ?? ""
      response.headers = masked(response.headers)
      response.other = masked(response.other)
      // Only what says that it is JSON is taken as it is: event streams are sent under any type.
      body = makeBody(type.contains("json") ? .plain : .eventStream)
      put(.response(response), into: &output)
    case .requestBody(let bytes): takeBody(record, bytes, into: &output)
    case .chunk(let chunk): takeBody(record, chunk.bytes, into: &output)
    case .end(var end):
      finishBody(into: &output)
      body = nil
      end.detail = masked(end.detail)
      end.other = masked(end.other)
      put(.end(end), into: &output)
    case .note(var note):
      note.other = masked(note.other)
      put(.note(note), into: &output)
    case .unknown(let kind, let payload):
      put(.unknown(kind: kind, payload: masked(payload)), into: &output)
    case .trailer(var trailer):
      finishBody(into: &output)
      trailer.other = masked(trailer.other)
      let all = trailer.redaction.merged(with: redaction) ?? redaction
      trailer.other["redaction"] = .object(CassetteFormats.written.json(of: all))
      put(.trailer(trailer), into: &output)
    }
  }

  /// Gives out everything held back: the stream ends here.
  public mutating func finish(into output: inout [CassetteRecord]) {
    finishBody(into: &output)
    body = nil
    releaseHeader(into: &output)
  }

  // MARK: Bodies

  private func makeBody(_ kind: BodyMask.Kind) -> BodyMask {
    BodyMask(kind, names: names, patterns: patterns)
  }

  private mutating func takeBody(
    _ record: CassetteRecord, _ bytes: [UInt8], into output: inout [CassetteRecord]
  ) {
    body?.append(bytes, &secrets, &inBodies)
    guard let end = body?.end else { return put(record, into: &output) }
    if waiting.isEmpty, body?.decided == end {  // nearly always
      releaseHeader(into: &output)
      output.append(masked(record))
    } else {
      waiting.append(Waiting(record: record, end: end))
      release(into: &output)
    }
  }

  /// A record with the body's next bytes, which are decided, as they are masked.
  private mutating func masked(_ record: CassetteRecord) -> CassetteRecord {
    switch record {
    case .chunk(let chunk):
      if let masked = body?.take(chunk.bytes.count) {
        return .chunk(Cassette.Chunk(delay: chunk.delay, bytes: masked))
      }
    case .requestBody(let bytes):
      if let masked = body?.take(bytes.count) { return .requestBody(masked) }
    default: break
    }
    return record
  }

  private mutating func finishBody(into output: inout [CassetteRecord]) {
    if body != nil {
      body?.finish(&secrets, &inBodies)
      release(into: &output)
    }
  }

  /// Writes out the records whose bytes are all decided.
  private mutating func release(into output: inout [CassetteRecord]) {
    if waiting.isEmpty { return }
    let decided = body?.decided ?? .max
    var count = 0
    while count < waiting.count, waiting[count].end ?? 0 <= decided {
      releaseHeader(into: &output)
      output.append(masked(waiting[count].record))
      count += 1
    }
    if count == waiting.count { waiting.removeAll(keepingCapacity: true) } else { waiting.removeFirst(count) }
  }

  private mutating func put(_ record: CassetteRecord, into output: inout [CassetteRecord]) {
    if waiting.isEmpty {
      releaseHeader(into: &output)
      output.append(record)
    } else {
      waiting.append(Waiting(record: record, end: nil))
    }
  }

  private mutating func releaseHeader(into output: inout [CassetteRecord]) {
    guard holdsHeader, var header else { return }
    for (name, value) in header.labels { header.labels[name] = masked(value) }
    header.redaction = redaction
    output.append(.header(header))
    self.header = nil
  }

  // MARK: Texts

  private mutating func learn() {
    for secret in inHeads.secrets { _ = secrets.add(Array(secret.utf8)) }
    inHeads.secrets.removeAll(keepingCapacity: true)
  }

  private mutating func masked(_ text: String) -> String {
    guard let (masked, count) = secrets.masked(text) else { return text }
    inBodies.echoes += Int64(count)
    return masked
  }

  private mutating func masked(_ fields: [HeaderField]) -> [HeaderField] {
    fields.map { HeaderField($0.name, masked($0.value)) }
  }

  private mutating func masked(_ object: JSONObject) -> JSONObject {
    if secrets.isEmpty { return object }
    var object = object
    for member in object.members { object[member.key] = masked(member.value) }
    return object
  }

  private mutating func masked(_ value: JSONValue) -> JSONValue {
    switch value {
    case .string(let text): .string(masked(text))
    case .array(let values): .array(values.map { masked($0) })
    case .object(let object): .object(masked(object))
    case .null, .bool, .integer, .number: value
    }
  }

  /// Bytes of a kind that nobody knows keep their length.
  private mutating func masked(_ payload: [UInt8]) -> [UInt8] {
    if secrets.isEmpty { return payload }
    var mask = BodyMask(.plain, names: .none, patterns: patterns)
    mask.append(payload, &secrets, &inBodies)
    mask.finish(&secrets, &inBodies)
    return mask.take(payload.count) ?? payload
  }
}
