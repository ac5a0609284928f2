// The streaming filter between a recorder (or a reader) and the writer: records in, the same records out, masked.
// It may hold records back until it is decided what of them is secret; their order and delays stay as they are.

/// Masks the secrets in a stream of records.
public struct RedactionFilter {
  private let mask: HeadMask
  private var found = HeadMask.Found()
  private var keys: Set<String> = []
  private var echoes: Int64 = 0
  /// The header is held until the first other record, so that it can name what that one's masking found.
  private var header: Cassette.Header?
  private var earlier: Cassette.Redaction?

  /// Creates a filter.
  ///
  /// - Throws: ``CassetteError`` `badRule` for a pattern that doesn't compile.
  public init(rules: RedactionRules) throws(CassetteError) {
    mask = HeadMask(rules)
  }

  /// What was masked so far in the present recording, together with what its header said before.
  public var redaction: Cassette.Redaction {
    let own = Cassette.Redaction(
      headers: found.headers.sorted(), query: found.query.sorted(), keys: keys.sorted(), echoes: echoes)
    return earlier.merged(with: own) ?? own
  }

  /// Takes a record in and appends what can be written by now to `output`.
  public mutating func take(_ record: CassetteRecord, into output: inout [CassetteRecord]) {
    if case .header(let header) = record {
      finish(into: &output)
      found = HeadMask.Found()
      keys = []
      echoes = 0
      earlier = header.redaction
      self.header = header
      return
    }
    var record = record
    switch record {
    case .request(var request):
      request.url = mask.masked(url: request.url, &found)
      request.headers = mask.masked(request.headers, &found)
      record = .request(request)
    case .response(var response):
      response.headers = mask.masked(response.headers, &found)
      record = .response(response)
    case .trailer(var trailer):
      let all = trailer.redaction.merged(with: redaction) ?? redaction
      trailer.other["redaction"] = .object(CassetteFormat1.json(of: all))
      record = .trailer(trailer)
    case .header, .requestBody, .chunk, .end, .note, .unknown: break
    }
    releaseHeader(into: &output)
    output.append(record)
  }

  /// Gives out everything held back: the stream ends here.
  public mutating func finish(into output: inout [CassetteRecord]) {
    releaseHeader(into: &output)
  }

  private mutating func releaseHeader(into output: inout [CassetteRecord]) {
    guard var header else { return }
    header.redaction = redaction
    output.append(.header(header))
    self.header = nil
  }
}
