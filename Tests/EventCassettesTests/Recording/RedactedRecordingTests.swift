import ServerSentEvents
import Testing

@testable import EventCassettes

/// Secrets never reach the disk: not in the end, and not at any moment before.
@Suite struct RedactedRecordingTests {
  @Test(
    "at every step what was written holds no secret, and what is decided is there",
    arguments: [1, 3, 16, 1_000])
  func everyStep(size: Int) throws {
    let secrets = ["s3cr3t-token-0123456789", "hunter2hunter2", "cookie-value-abcdef"]
    let body = """
      event: hello
      data: {"user":"me","password":"\(secrets[1])"}

      : \(secrets[0]) again
      data: {"text":"\(secrets[1]) and \(secrets[2])"}

      id: \(secrets[0])
      data: {"deep":{"secret":["\(secrets[1])",{"n":12345678901}]}}

      """
    var recorder = try CassetteRecorder(to: CassetteWriter(inMemoryAtLevel: 0), header: Samples.header)
    try recorder.begin(
      EventStreamRequest(
        url: "https://u:\(secrets[1])@h/e?access_token=\(secrets[0])",
        headers: [
          HeaderField("Authorization", "Bearer \(secrets[0])"), HeaderField("Cookie", "sid=\(secrets[2])"),
        ],
        body: Array(#"{"password":"\#(secrets[1])"}"#.utf8)), at: .zero)
    try recorder.record(StampedTransportFact(at: .zero, .response(EventStreamResponse(status: 200))))
    let bytes = Array(body.utf8)
    var time: Int64 = 0
    for start in stride(from: 0, to: bytes.count, by: size) {
      time += 300
      let piece = Array(bytes[start..<min(start + size, bytes.count)])
      try recorder.record(StampedTransportFact(at: .milliseconds(time), .bytes(piece)))
      let text = String(decoding: recorder.bytes, as: UTF8.self)
      for secret in secrets { #expect(!text.contains(secret), "after \(start) bytes") }
    }
    try recorder.finish(at: .milliseconds(time))
    let cassette = try Cassette(bytes: recorder.bytes)
    let written = String(decoding: cassette.exchanges[0].body, as: UTF8.self)
    for secret in secrets { #expect(!written.contains(secret)) }
    #expect(written.utf8.count == bytes.count)
    #expect(cassette.exchanges[0].chunks.map(\.bytes.count).dropLast().allSatisfy { $0 == size })
    #expect(written.contains(#""n":11111111111"#) && written.contains("event: hello\n"))
    let redaction = try #require(cassette.redaction)
    #expect(redaction.headers == ["authorization", "cookie"])
    #expect(redaction.keys == ["password", "secret"])
    #expect(redaction.query == ["access_token", "user info"])
    #expect(redaction.echoes == 4)
  }

  @Test("without rules nothing is changed and nothing is claimed")
  func off() throws {
    var recorder = try CassetteRecorder(
      to: CassetteWriter(inMemoryAtLevel: 0), header: Samples.header, redaction: nil)
    let request = EventStreamRequest(url: "http://h/?key=k", headers: [HeaderField("Cookie", "a=b")])
    try recorder.begin(request, at: .zero)
    try recorder.finish(at: .zero)
    let cassette = try Cassette(bytes: recorder.bytes)
    #expect(cassette.exchanges[0].request.headers == request.headers)
    #expect(cassette.exchanges[0].request.url == request.url)
    #expect(cassette.redaction == nil)
  }
}
