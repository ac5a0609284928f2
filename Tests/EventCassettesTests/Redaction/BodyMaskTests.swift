import ServerSentEvents
import Testing

@testable import EventCassettes

/// Runs records through a filter and gives back what comes out, step by step.
struct FilterRun {
  var filter: RedactionFilter
  var output: [CassetteRecord] = []

  init(
    rules: RedactionRules = .standard, headers: [HeaderField] = [], type: String = "text/event-stream",
    url: String = "http://h/e"
  ) throws {
    filter = try RedactionFilter(rules: rules)
    take(.header(Samples.header))
    take(.request(Cassette.Request(url: url, headers: headers)))
    take(.response(Cassette.Response(headers: [HeaderField("Content-Type", type)])))
  }

  mutating func take(_ record: CassetteRecord) { filter.take(record, into: &output) }
  mutating func chunk(_ bytes: some Sequence<UInt8>) { take(.chunk(Cassette.Chunk(bytes: Array(bytes)))) }
  mutating func chunk(_ text: String) { chunk(text.utf8) }
  mutating func end() { take(.end(Cassette.End(cause: .complete))) }

  var chunks: [[UInt8]] {
    output.compactMap { if case .chunk(let chunk) = $0 { chunk.bytes } else { nil } }
  }
  var text: String { String(decoding: chunks.flatMap { $0 }, as: UTF8.self) }
}

@Suite struct BodyMaskTests {
  static let streams: [(String, String, String)] = [
    ("a text", #"{"password":"hunter2","a":1}"#, #"{"password":"*******","a":1}"#),
    ("a number", #"{"secret":-12.5e+30,"a":12}"#, #"{"secret":-11.1e+11,"a":12}"#),
    (
      "words", #"{"secret":null,"api_key":true,"passwd":false,"a":"b"}"#,
      #"{"secret":null,"api_key":true,"passwd":false,"a":"b"}"#
    ),
    (
      "everything below", #"{"secret":{"a":"x","b":[1,true,null,"yy",{"c":"z"}]},"d":"e"}"#,
      #"{"secret":{"a":"*","b":[1,true,null,"**",{"c":"*"}]},"d":"e"}"#
    ),
    (
      "spelling of names", #"{"Api-Key":"a","ACCESS_TOKEN":"b","pass\u0077ord":"c","refreshToken":"d"}"#,
      #"{"Api-Key":"*","ACCESS_TOKEN":"*","pass\u0077ord":"*","refreshToken":"*"}"#
    ),
    (
      "other names", #"{"passwords":"a","token":"b","x":"password","y":"c"}"#,
      #"{"passwords":"a","token":"b","x":"password","y":"c"}"#
    ),
    (
      "names with their owner's",
      #"{"openai_api_key":"a","github_token":"b","NewPassword":"c","next_token":"d"}"#,
      #"{"openai_api_key":"*","github_token":"*","NewPassword":"*","next_token":"d"}"#
    ),
    ("escapes", #"{"password":"a\"b\\","x":"y"}"#, #"{"password":"******","x":"y"}"#),
    ("white space", "{ \"password\" :\t\"ab\" }", "{ \"password\" :\t\"**\" }"),
    ("letters of several bytes", #"{"password":"é😀"}"#, #"{"password":"******"}"#),
    (
      "JSON in a string", #"{"arguments":"{\"password\":\"hun\\\"ter\\\\\",\"n\":\"v\"}","b":"c"}"#,
      #"{"arguments":"{\"password\":\"**************\",\"n\":\"v\"}","b":"c"}"#
    ),
    (
      "JSON in a string in a string",
      #"{"a":"{\"b\":\"{\\\"password\\\":\\\"x\\\",\\\"c\\\":\\\"d\\\"}\"}"}"#,
      #"{"a":"{\"b\":\"{\\\"password\\\":\\\"*\\\",\\\"c\\\":\\\"d\\\"}\"}"}"#
    ),
    (
      "pretty JSON in a string", #"{"a":"{\n \"secret\":\n {\"b\":\"x\"}\n}","c":"d"}"#,
      #"{"a":"{\n \"secret\":\n {\"b\":\"*\"}\n}","c":"d"}"#
    ),
    (
      "a string cut off in a string", #"{"a":"{\"password\":\"abc","b":"c"}"#,
      #"{"a":"{\"password\":\"***","b":"c"}"#
    ),
    ("JSON in text", #"say "hi {"password":"x y"} and"#, #"say "hi {"password":"***"} and"#),
    ("a value that is none", #"{"password": hunter2, "a":"b"}"#, #"{"password": hunter2, "a":"b"}"#),
    ("an empty value", #"{"password":"","a":"b"}"#, #"{"password":"","a":"b"}"#),
  ]

  /// Every way to hand a stream over that is tried: whole, each split, byte by byte.
  static func cuts(_ bytes: [UInt8]) -> [[ArraySlice<UInt8>]] {
    [[bytes[...]]] + (1..<max(bytes.count, 1)).map { [bytes[..<$0], bytes[$0...]] } + [
      bytes.indices.map { bytes[$0...$0] }
    ]
  }

  /// Checks one stream under all cuts: the masked text, and that each chunk keeps its length.
  private func check(
    _ input: String, _ expected: String, type: String = "text/event-stream",
    rules: RedactionRules = .standard,
    headers: [HeaderField] = [], _ name: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    for cut in Self.cuts(Array(input.utf8)) {
      var run = try FilterRun(rules: rules, headers: headers, type: type)
      for piece in cut { run.chunk(piece) }
      run.end()
      #expect(run.text == expected, "\(name), cut at \(cut[0].count)", sourceLocation: sourceLocation)
      #expect(run.chunks.map(\.count) == cut.map(\.count), "\(name)", sourceLocation: sourceLocation)
      if run.text != expected { return }
    }
  }

  @Test(
    "members with secret names are masked in data, in comments, in other lines and in JSON bodies",
    arguments: streams.indices)
  func members(index: Int) throws {
    let (name, json, masked) = Self.streams[index]
    try check("data: \(json)\n\n", "data: \(masked)\n\n", "\(name), data")
    try check(
      "event: x\r\nid: 1\r\ndata:\(json)\r\n\r\n", "event: x\r\nid: 1\r\ndata:\(masked)\r\n\r\n",
      "\(name), CRLF")
    try check(": \(json)\r\r", ": \(masked)\r\r", "\(name), comment")
    try check("error: \(json)\n", "error: \(masked)\n", "\(name), other line")
    try check(json, masked, "\(name), body under the event stream's type")
    try check(json, masked, type: "application/json", "\(name), JSON body")
  }

  static let lines: [(String, String, String)] = [
    (
      "pretty JSON over data lines",
      "data: {\ndata:  \"secret\": {\ndata: \"a\":\ndata: \"xyz\"\ndata: }, \"b\": \"c\"\ndata: }\n\n",
      "data: {\ndata:  \"secret\": {\ndata: \"a\":\ndata: \"***\"\ndata: }, \"b\": \"c\"\ndata: }\n\n"
    ),
    (
      "another line between", "data: {\"password\":\nevent: \"x\"\nretry: 5\n: \"no\"\ndata: \"yes\"}\n\n",
      "data: {\"password\":\nevent: \"x\"\nretry: 5\n: \"no\"\ndata: \"***\"}\n\n"
    ),
    (
      "a value broken over lines", "data: {\"password\":\"ab\r\ndata: cd\",\"a\":\"b\"}\r\n\r\n",
      "data: {\"password\":\"**\r\ndata: **\",\"a\":\"b\"}\r\n\r\n"
    ),
    (
      "a value that never ends ends with its event", "data: {\"password\":\"ab\n\ndata: \"cd\"\n\n",
      "data: {\"password\":\"**\n\ndata: \"cd\"\n\n"
    ),
    ("an id is no JSON", "id: {\"password\":\"x\"}\ndata: 1\n\n", "id: {\"password\":\"x\"}\ndata: 1\n\n"),
    ("a mark before", "\u{FEFF}data: {\"password\":\"x\"}\n\n", "\u{FEFF}data: {\"password\":\"*\"}\n\n"),
    (
      "a data line without colon", "data\ndata: {\"password\":\ndata\ndata: \"x\"}\n\n",
      "data\ndata: {\"password\":\ndata\ndata: \"*\"}\n\n"
    ),
    ("only one space goes", "data:  \"password\" : \"x\"\n\n", "data:  \"password\" : \"*\"\n\n"),
    (
      "a pretty body under the event stream's type", "{\n  \"password\": \"x\",\n  \"retry\": 5\n}\n",
      "{\n  \"password\": \"*\",\n  \"retry\": 5\n}\n"
    ),
    ("no blank line at the end", "data: {\"password\":\"x", "data: {\"password\":\"*"),
  ]

  @Test("lines are joined as the standard joins them", arguments: lines.indices)
  func joinedLines(index: Int) throws {
    try check(Self.lines[index].1, Self.lines[index].2, Self.lines[index].0)
  }

  static let echoes: [(String, String, String)] = [
    (
      "a member's value", "data: {\"access_token\":\"abcdefgh12\"}\n\ndata: got abcdefgh12, abcdefgh1\n\n",
      "data: {\"access_token\":\"**********\"}\n\ndata: got **********, abcdefgh1\n\n"
    ),
    (
      "in an id and a comment", "data: {\"secret\":\"abcdefgh12\"}\n\nid: abcdefgh12\n: xabcdefgh12x\n\n",
      "data: {\"secret\":\"**********\"}\n\nid: **********\n: x**********x\n\n"
    ),
    (
      "short values are left", "data: {\"secret\":\"abcdefg\"}\n\ndata: abcdefg\n\n",
      "data: {\"secret\":\"*******\"}\n\ndata: abcdefg\n\n"
    ),
    (
      "percent-encoded",
      "data: {\"secret\":\"a/b?c d&é\"}\n\ndata: a%2Fb%3Fc%20d%26%C3%A9 a%2fb%3fc%20d%26%c3%a9\n\n",
      "data: {\"secret\":\"**********\"}\n\ndata: ********************** **********************\n\n"
    ),
    (
      "JSON-escaped", "data: {\"secret\":\"ab\\\"cd\\\\efgh\"}\n\ndata: ab\"cd\\efgh ab\\\"cd\\\\efgh\n\n",
      "data: {\"secret\":\"************\"}\n\ndata: ********** ************\n\n"
    ),
    (
      "as the encoders of other languages spell it",
      #"data: {"secret":"zü/rich & <x>+9"}\#n\#ndata: z\u00fc/rich & <x>+9|\#n\#ndata: z\u00FC/rich & <x>+9|\#n\#ndata: z\u00fc\/rich & <x>+9|\#n\#ndata: zü/rich \u0026 \u003cx\u003e+9|\#n\#ndata: z\u00FC/rich \u0026 \u003Cx\u003E\u002B9|\#n\#ndata: z%C3%BC/rich%20%26%20%3Cx%3E%2B9|\#n\#ndata: z%C3%BC/rich%20&%20%3Cx%3E+9|\#n\#ndata: z%C3%BC%2Frich+%26+%3Cx%3E%2B9|\#n\#n"#,
      #"data: {"secret":"****************"}\#n\#ndata: ********************|\#n\#ndata: ********************|\#n\#ndata: *********************|\#n\#ndata: *******************************|\#n\#ndata: ****************************************|\#n\#ndata: ********************************|\#n\#ndata: ****************************|\#n\#ndata: ******************************|\#n\#n"#
    ),
    (
      "a number", "data: {\"secret\":123456789}\n\ndata: {\"n\":123456789}\n\n",
      "data: {\"secret\":111111111}\n\ndata: {\"n\":111111111}\n\n"
    ),
    (
      "line ends stay", "data: {\"secret\":\"abcdefgh\\nijklmnop\"}\n\ndata: abcdefgh\ndata: ijklmnop\n\n",
      "data: {\"secret\":\"******************\"}\n\ndata: ********\ndata: ********\n\n"
    ),
    (
      "overlapping", "data: {\"secret\":\"abababab\"}\n\ndata: ababababab-\n\n",
      "data: {\"secret\":\"********\"}\n\ndata: **********-\n\n"
    ),
    (
      "one in the other",
      "data: {\"secret\":[\"abcdefgh\",\"abcdefghijkl\"]}\n\ndata: abcdefghij abcdefghijkl\n\n",
      "data: {\"secret\":[\"********\",\"************\"]}\n\ndata: ********ij ************\n\n"
    ),
    (
      "broken off", "data: {\"secret\":\"abcdefghijkl\"}\n\ndata: abcdefghij",
      "data: {\"secret\":\"************\"}\n\ndata: **********"
    ),
    (
      "hardly begun", "data: {\"secret\":\"abcdefghijkl\"}\n\ndata: abcdefg",
      "data: {\"secret\":\"************\"}\n\ndata: abcdefg"
    ),
  ]

  @Test("a masked value is masked wherever it turns up after it was known", arguments: echoes.indices)
  func echoed(index: Int) throws {
    try check(Self.echoes[index].1, Self.echoes[index].2, Self.echoes[index].0)
  }

  @Test("credentials of the request are masked where the server repeats them")
  func fromHeads() throws {
    let headers = [
      HeaderField("Authorization", "Bearer tok-12345678"),
      HeaderField("Proxy-Authorization", "Basic dXNlcjpwYXNzd29yZA=="),
    ]
    try check(
      "data: tok-12345678 user:password dXNlcjpwYXNzd29yZA== password\n\n",
      "data: ************ ************* ******************** ********\n\n", headers: headers, "credentials")
  }

  @Test("patterns are matched in an event's joined data, and what they find is looked for")
  func patterns() throws {
    let rules = RedactionRules(patterns: ["[0-9]{4}-[0-9]{4}", "a\nb", "é+"])
    try check(
      "data: x 1234-5678\ndata: é a\ndata: b 1\n\nid: 1234-5678\ndata: 12\ndata: 34-5678\n\n",
      "data: x *********\ndata: ** *\ndata: * 1\n\nid: *********\ndata: 12\ndata: 34-5678\n\n", rules: rules,
      "pattern")
    #expect(throws: CassetteError(.badRule, "")) {
      try RedactionFilter(rules: RedactionRules(patterns: ["("]))
    }
    // Bytes that are not UTF-8 don't move what is masked.
    var run = try FilterRun(rules: RedactionRules(patterns: ["b+"]))
    run.chunk(Array("data: a".utf8) + [0xFF, 0xC3, 0xE2, 0x82] + Array("bbb\u{E9}b\n\n".utf8))
    run.end()
    #expect(run.chunks[0] == Array("data: a".utf8) + [0xFF, 0xC3, 0xE2, 0x82] + Array("***\u{E9}*\n\n".utf8))
  }

  @Test("data in which a pattern takes too long is masked whole, and so is all after it")
  func slowPattern() throws {
    var found = BodyMask.Found()
    var secrets = SecretSet()
    // About a second of work that nobody waits for.
    let patterns = try PatternMask(["(?:a+)+$", "id-[0-9]+"], patience: .zero)
    var mask = BodyMask(.eventStream, names: .none, patterns: patterns)
    let text = "id: 7\ndata: aaaaaaaaaaaaaab\r\ndata:b\n: c\n\ndata: short\n\n"
    mask.append(Array(text.utf8), &secrets, &found)
    mask.finish(&secrets, &found)
    let masked = mask.take(text.utf8.count).map { String(decoding: $0, as: UTF8.self) }
    #expect(masked == "id: 7\ndata: ***************\r\ndata:*\n: c\n\ndata: *****\n\n")
    #expect(found.unsearched == 2)
  }

  @Test("a secret with syntax in it changes no line end, no field's name and no event")
  func syntaxInSecrets() throws {
    let secrets = [
      "data: abcdefgh", "abcdefgh\r\n\r\ndata: x", ": comment-1", "event: tick", "id: 12345678",
      "\n\n\n\n\n\n\n\n\n",
    ]
    let stream =
      "event: tick\nid: 12345678\ndata: abcdefgh\r\n\r\n: comment-1\ndata: x\ndata:data: abcdefgh\n\n\n\n\n\n\n\n\n\n"
    for secret in secrets {
      var quoted: [UInt8] = []
      JSONValue.appendCanonical(secret, to: &quoted)
      let text = "data: {\"password\":\(String(decoding: quoted, as: UTF8.self))}\n\n" + stream
      for size in [1, 3, 1_000] {
        var run = try FilterRun(headers: [HeaderField("X-Api-Key", secret)])
        for start in stride(from: 0, to: text.utf8.count, by: size) {
          run.chunk(Array(text.utf8)[start..<min(start + size, text.utf8.count)])
        }
        run.end()
        #expect(run.text.utf8.count == text.utf8.count)
        #expect(Self.structure(run.text) == Self.structure(text), "\(secret)")
      }
    }
  }

  /// Where lines end, and what stands before each line's first colon.
  private static func structure(_ text: String) -> [[UInt8]] {
    Array(text.utf8).split(omittingEmptySubsequences: false) { $0 == 0x0A || $0 == 0x0D }.map {
      Array($0.prefix { $0 != UInt8(ascii: ":") }) + [UInt8(truncatingIfNeeded: $0.count)]
    }
  }

  @Test(
    "secret items of URLs in text are masked",
    arguments: [
      (
        "see https://h/cb?a=1&access_token=abcdefgh.ijk&b=2 now",
        "see https://h/cb?a=1&access_token=************&b=2 now"
      ),
      (#"{"next":"https:\/\/h\/?Api-Key=abc","b":1}"#, #"{"next":"https:\/\/h\/?Api-Key=***","b":1}"#),
      (#"{"u":"/x?a=b\u0026token=abcd\u0026c=d"}"#, #"{"u":"/x?a=b\u0026token=****\u0026c=d"}"#),
      ("<a href='/?x&amp;sig=a%2Fb&amp;y=z'>", "<a href='/?x&amp;sig=*****&amp;y=z'>"),
      ("[app](app://cb#state=1&access%5Ftoken=abc)", "[app](app://cb#state=1&access%5Ftoken=***)"),
      ("what?token = abc or token=abc&key=abc", "what?token = abc or token=abc&key=abc"),
      ("/?token= x", "/?token= x"), ("/?q=token=abc", "/?q=token=abc"),
    ])
  func urlsInText(text: String, expected: String) throws {
    try check(
      "data: \(text)\n\n: \(text)\nx\(text)\n\n", "data: \(expected)\n\n: \(expected)\nx\(expected)\n\n",
      "text")
    var run = try FilterRun(type: "application/json")
    run.chunk(text)
    run.end()
    #expect(run.text == expected)
  }

  @Test(
    "secret items of a line of data that is a form are masked, and what only looks like one is not",
    arguments: [
      ("a=b&token=abcd&c=d", "a=b&token=****&c=d"), ("password=hunter2", "password=*******"),
      ("Access%5FToken=a%2Fb&x=y", "Access%5FToken=*****&x=y"), ("a=&sig=a(\"b", "a=&sig=****"),
      ("password=a b&token=c", "password=* b&token=c"), ("key=left", "key=left"),
      ("token=abc&a=b", "token=abc&a=b"), ("a token=abc&key=abc", "a token=abc&key=abc"),
      ("a&token=abc", "a&token=abc"), ("\"a=b&token=abc", "\"a=b&token=abc"),
      ("if(a=b&token=abc)", "if(a=b&token=abc)"),
    ])
  func formInData(text: String, expected: String) throws {
    try check(
      "data: \(text)\ndata:\(text)\n\nevent: x\ndata: \(text)",
      "data: \(expected)\ndata:\(expected)\n\nevent: x\ndata: \(expected)", "form")
  }

  @Test("a secret of a form in data is masked where it turns up again, as spelled and as meant")
  func formEcho() throws {
    try check(
      "data: a=b&token=a%2Bcdefghi\n\ndata: a+cdefghi\n\n",
      "data: a=b&token=***********\n\ndata: *********\n\n", "echo")
  }

  @Test("a secret of a URL in text is masked where it turns up again")
  func urlEcho() throws {
    try check(
      "data: /?token=a%2Bcdefghi\n\ndata: a+cdefghi\n\n", "data: /?token=***********\n\ndata: *********\n\n",
      "echo")
  }

  @Test("only undecided bytes are held back, and notes wait behind them")
  func heldBack() throws {
    var run = try FilterRun(headers: [HeaderField("X-Api-Key", "abcdefghijkl")])
    #expect(run.output.count == 3)
    run.chunk("data: xyz")
    #expect(run.chunks.count == 1, "nothing of this can be a secret's beginning")
    run.chunk("data: abc")
    #expect(run.chunks.count == 1)
    run.take(.note(Cassette.Note(event: .background)))
    #expect(run.output.count == 4)
    run.chunk("defghijk")
    #expect(run.output.count == 4)
    run.chunk("l\n\n")
    #expect(run.output.count == 8)
    #expect(run.text == "data: xyzdata: ************\n\n")
    run.chunk("abcdefgh")
    run.chunk("-")
    #expect(run.text == "data: xyzdata: ************\n\nabcdefgh-")
    run.chunk(#"data: {"password":"x"#)
    #expect(run.text.hasSuffix(#""password":"*"#), "inside a value a byte is decided at once")
  }

  @Test("with patterns an event is held until it ends, at most 64 KiB of it")
  func heldForPatterns() throws {
    var run = try FilterRun(rules: RedactionRules(patterns: ["zz"]))
    run.chunk(": comment\n")
    #expect(run.chunks.count == 1)
    run.chunk("data: z")
    run.chunk("z\n")
    #expect(run.chunks.count == 1)
    run.chunk("\n")
    #expect(run.text == ": comment\ndata: **\n\n")
    run.chunk("data: " + String(repeating: "a", count: PatternMask.mostBytes - 1))
    #expect(run.chunks.count == 4)
    run.chunk("a")
    #expect(run.chunks.count == 6)
  }

  @Test("request bodies are masked, and their secrets looked for in the answer")
  func requestBody() throws {
    var filter = try RedactionFilter(rules: .standard)
    var output: [CassetteRecord] = []
    filter.take(.header(Samples.header), into: &output)
    filter.take(.request(Cassette.Request(method: "POST", url: "u")), into: &output)
    filter.take(.requestBody(Array(#"{"password":"abcd"#.utf8)), into: &output)
    filter.take(.requestBody(Array(#"efgh","a":"b"}"#.utf8)), into: &output)
    filter.take(.response(Cassette.Response(headers: [HeaderField("X-Echo", "abcdefgh")])), into: &output)
    filter.take(.chunk(Cassette.Chunk(bytes: Array("data: abcdefgh\n\n".utf8))), into: &output)
    filter.take(.end(Cassette.End(cause: .reset, detail: "at abcdefgh")), into: &output)
    filter.take(.trailer(Cassette.Trailer()), into: &output)
    #expect(output[2] == .requestBody(Array(#"{"password":"****"#.utf8)))
    #expect(output[3] == .requestBody(Array(#"****","a":"b"}"#.utf8)))
    #expect(output[4] == .response(Cassette.Response(headers: [HeaderField("X-Echo", "[FILTERED]")])))
    #expect(output[5] == .chunk(Cassette.Chunk(bytes: Array("data: ********\n\n".utf8))))
    #expect(output[6] == .end(Cassette.End(cause: .reset, detail: "at [FILTERED]")))
    guard case .trailer(let trailer) = output[7] else {
      Issue.record("no trailer")
      return
    }
    #expect(trailer.redaction == Cassette.Redaction(keys: ["password"], echoes: 3))
  }

  @Test("masking twice changes nothing more")
  func idempotent() throws {
    for (_, stream, _) in Self.echoes {
      var once = try FilterRun()
      once.chunk(stream)
      once.end()
      var twice = try FilterRun()
      twice.chunk(once.text)
      twice.end()
      #expect(twice.text == once.text)
    }
  }

  @Test("no rules mask nothing")
  func noRules() throws {
    for (_, json, _) in Self.streams {
      try check("data: \(json)\n\n", "data: \(json)\n\n", rules: RedactionRules(), "none")
    }
  }

  @Test("a hostile stream of secrets is remembered in bounded memory, the newer ones first")
  func manySecrets() throws {
    var secrets = SecretSet()
    for index in 0..<SecretSet.mostEntries + 2_000 { _ = secrets.add(Array("secret-number-\(index)".utf8)) }
    func finds(_ text: String) -> Bool { secrets.masked(text) != nil }
    #expect(finds("x secret-number-\(SecretSet.mostEntries + 1_999) x"))
    #expect(!finds("secret-number-1 "))
  }
}
