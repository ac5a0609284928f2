import ServerSentEvents
import Testing

@testable import EventCassettes

/// Random JSON, randomly spelled, randomly spread over data lines and chunks, against a mask of the parsed value.
@Suite struct MaskPropertyTests {
  private struct Random {
    var state: UInt64
    mutating func below(_ count: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % count
    }
    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }
  }

  private static let secretNames = ["password", "Api_Key", "secret", "refreshToken"]
  private static let plainNames = ["a", "token", "name", "passwords", "x\"y", "é"]
  private static let texts = [
    "", "v", "ab\"c", "back\\slash", "é😀", "{\"password\":", "a/b\nc", "\u{1}", "true", "\"", "\\",
  ]

  private func value(_ random: inout Random, depth: Int) -> JSONValue {
    switch random.below(depth > 3 ? 4 : 6) {
    case 0: return .null
    case 1: return .bool(random.below(2) == 0)
    case 2:
      return random.below(2) == 0
        ? .integer(Int64(random.below(100_000)) - 5_000) : .number(random.pick(["1.5", "-2e10", "0.25E-3"]))
    case 3: return .string(random.pick(Self.texts))
    case 4: return .array((0..<random.below(4)).map { _ in value(&random, depth: depth + 1) })
    default:
      var object: JSONObject = [:]
      for _ in 0..<random.below(4) {
        let name = random.below(3) == 0 ? random.pick(Self.secretNames) : random.pick(Self.plainNames)
        object[name] = value(&random, depth: depth + 1)
      }
      return .object(object)
    }
  }

  /// One of the many spellings of a value, with line ends between tokens.
  private func spell(_ value: JSONValue, _ random: inout Random) -> String {
    func space() -> String { random.pick(["", "", "", " ", "\n", " \n\t"]) }
    func text(_ text: String) -> String {
      let spelled = String(decoding: JSONValue.string(text).canonicalBytes, as: UTF8.self)
      return random.below(3) == 0 ? spelled.replacing("/", with: "\\/") : spelled
    }
    switch value {
    case .string(let string): return text(string)
    case .array(let values):
      return "[" + values.map { space() + spell($0, &random) + space() }.joined(separator: ",") + "]"
    case .object(let object):
      return "{"
        + object.members.map {
          space() + text($0.key) + space() + ":" + space() + spell($0.value, &random) + space()
        }
        .joined(separator: ",") + "}"
    default: return String(decoding: value.canonicalBytes, as: UTF8.self)
    }
  }

  /// The mask by the parsed value: what the lexer must agree with. Numbers lose their value, so only their kind counts.
  private func masked(_ value: JSONValue, _ isSecret: Bool) -> JSONValue {
    switch value {
    case .null, .bool: value
    case .integer, .number: isSecret ? .string("number") : value
    case .string(let text): isSecret ? .string(text.isEmpty ? "" : "masked") : value
    case .array(let values): .array(values.map { masked($0, isSecret) })
    case .object(let object):
      .object(
        object.members.reduce(into: JSONObject()) { result, member in
          let folded = RedactionRules.folded(member.key.utf8)
          let names = ["password", "apikey", "secret", "refreshtoken"].map { Array($0.utf8) }
          result[member.key] = masked(member.value, isSecret || names.contains(folded))
        })
    }
  }

  /// The same shape of what came out: stars are a masked text, ones a masked number.
  private func shape(_ value: JSONValue, like model: JSONValue) -> JSONValue {
    switch (value, model) {
    case (.string(let text), .string("masked")) where text.utf8.allSatisfy { $0 == UInt8(ascii: "*") }: model
    case (.integer(let number), .string("number")) where "\(number)".allSatisfy { "-1".contains($0) }: model
    case (.number(let text), .string("number")) where text.allSatisfy { "-+.eE1".contains($0) }: model
    case (.array(let values), .array(let models)) where values.count == models.count:
      .array(zip(values, models).map { shape($0, like: $1) })
    case (.object(let object), .object(let models)):
      .object(
        object.members.reduce(into: JSONObject()) {
          $0[$1.key] = shape($1.value, like: models[$1.key] ?? .null)
        })
    default: value
    }
  }

  @Test(
    "what the lexer masks is what the parsed value says, wherever lines and chunks are cut", arguments: 0..<20
  )
  func random(seed: Int) throws {
    var random = Random(state: UInt64(seed) &* 977 &+ 1)
    // No echoes here: values are short or repeat on purpose.
    for _ in 0..<40 {
      var object: JSONObject = ["z": .string("end")]
      for name in ["password", "a", "b"] where random.below(2) == 0 {
        object[name] = value(&random, depth: 0)
      }
      let json = JSONValue.object(object)
      let spelled = spell(json, &random)
      let end = random.pick(["\n", "\r\n", "\r"])
      let stream =
        spelled.split(separator: "\n", omittingEmptySubsequences: false).map {
          "data:" + (random.below(2) == 0 || $0.hasPrefix(" ") ? " " : "") + $0 + end
        }.joined() + end
      let bytes = Array(stream.utf8)
      var run = try FilterRun(rules: RedactionRules(keys: Set(Self.secretNames)))
      var start = 0
      while start < bytes.count {
        let length = min(1 + random.below(30), bytes.count - start)
        run.chunk(bytes[start..<start + length])
        start += length
      }
      run.end()
      let output = run.chunks.flatMap { $0 }
      #expect(output.count == bytes.count)
      let events = EventStreamParser.events(in: output)
      #expect(events.count == 1)
      let got = try JSONParser.value(of: Array(events[0].data.utf8)[...])
      let model = masked(json, false)
      #expect(shape(got, like: model) == model, "\(spelled)")
      if shape(got, like: model) != model { return }
    }
  }

  @Test(
    "a request's body is what its first byte says, whatever it is called",
    arguments: [
      (#"{"api_key":"hunter2222","b":"x&password=1"}"#, #"{"api_key":"**********","b":"x&password=1"}"#),
      ("\u{FEFF} \n\t[{\"password\":\"hunter2222\"}]", "\u{FEFF} \n\t[{\"password\":\"**********\"}]"),
      (#"a=1&json={"password":"hunter2222"}&b=2"#, #"a=1&json={"password":"**********"}&b=2"#),
      (" api_key=hunter2222&b=2", " api_key=**********&b=2"),
    ])
  func called(body: String, masked: String) throws {
    for type in ["application/x-www-form-urlencoded", nil] {
      for size in [1, 4, 100] {
        var filter = try RedactionFilter(rules: .standard)
        var output: [CassetteRecord] = []
        filter.take(.header(Samples.header), into: &output)
        let headers = type.map { [HeaderField("Content-Type", $0)] } ?? []
        filter.take(.request(Cassette.Request(method: "POST", url: "u", headers: headers)), into: &output)
        let bytes = Array(body.utf8)
        for start in stride(from: 0, to: bytes.count, by: size) {
          filter.take(.requestBody(Array(bytes[start..<min(start + size, bytes.count)])), into: &output)
        }
        filter.finish(into: &output)
        let sent = output.flatMap { record -> [UInt8] in
          if case .requestBody(let bytes) = record { bytes } else { [] }
        }
        #expect(String(decoding: sent, as: UTF8.self) == masked)
      }
    }
  }

  @Test("form bodies are masked by item, and what was in them is looked for")
  func forms() throws {
    for size in [1, 4, 100] {
      var filter = try RedactionFilter(rules: .standard)
      var output: [CassetteRecord] = []
      filter.take(.header(Samples.header), into: &output)
      let form = [HeaderField("Content-Type", "application/x-www-form-urlencoded; charset=utf-8")]
      filter.take(.request(Cassette.Request(method: "POST", url: "u", headers: form)), into: &output)
      let body = Array("grant=x&refresh%5Ftoken=abc%2Bdefgh&Password=p%26q&b=c&token".utf8)
      for start in stride(from: 0, to: body.count, by: size) {
        filter.take(.requestBody(Array(body[start..<min(start + size, body.count)])), into: &output)
      }
      filter.take(.response(Cassette.Response()), into: &output)
      filter.take(.chunk(Cassette.Chunk(bytes: Array("data: abc+defgh abc%2Bdefgh\n\n".utf8))), into: &output)
      filter.take(.end(Cassette.End(cause: .complete)), into: &output)
      let sent = output.flatMap { record -> [UInt8] in
        if case .requestBody(let bytes) = record { bytes } else { [] }
      }
      #expect(
        String(decoding: sent, as: UTF8.self)
          == "grant=x&refresh%5Ftoken=***********&Password=*****&b=c&token")
      let answered = output.flatMap { record -> [UInt8] in
        if case .chunk(let chunk) = record { chunk.bytes } else { [] }
      }
      #expect(String(decoding: answered, as: UTF8.self) == "data: ********* ***********\n\n")
    }
  }
}
