// `wiretape inspect` on cassettes made for the purpose, and on everything that is none.

import EventCassettes
import Foundation
import ScratchFolders
import ServerSentEvents
import Testing

@testable import WiretapeCommands

struct InspectVerbTests {
  /// A session of two exchanges, two chunks and a comment; `trailer` false leaves it unfinished.
  func makeCassette(in folder: ScratchFolder, trailer: Bool = true) throws -> String {
    let path = folder.path("s.cassette")
    var writer = try CassetteWriter(creating: path)
    let type = [HeaderField("Content-Type", "text/event-stream")]
    try writer.write(
      .header(
        Cassette.Header(recorder: "test 1", recordedAt: "2026-01-02T03:04:05Z", labels: ["b": "2", "a": "1"]))
    )
    try writer.write(.request(Cassette.Request(url: "http://h/e")))
    try writer.write(.response(Cassette.Response(delay: 1000, headers: type)))
    try writer.write(.chunk(Cassette.Chunk(delay: 2000, bytes: Array("id: 1\ndata: a\n\n:c\n".utf8))))
    try writer.write(.chunk(Cassette.Chunk(delay: 500_000, bytes: Array("error: oh\u{1B}\n\ndata: b".utf8))))
    try writer.write(.end(Cassette.End(delay: 10, cause: .reset, detail: "gone")))
    try writer.write(.request(Cassette.Request(delay: 3_000_000, url: "http://h/e")))
    try writer.write(.response(Cassette.Response(delay: 1000, status: 204)))
    try writer.write(.end(Cassette.End(delay: 5, cause: .complete)))
    if trailer { try writer.finish() }
    try writer.close()
    return path
  }

  @Test("the JSON summary, byte for byte")
  func json() async throws {
    let folder = try ScratchFolder()
    let path = try makeCassette(in: folder)
    let run = await wiretape("inspect", "--json", path)
    let size = try Data(contentsOf: URL(fileURLWithPath: path)).count
    #expect(run.code == .success)
    #expect(
      run.lines == [
        #"{"format":1,"finished":true,"timing":"recorded","recordedAt":"2026-01-02T03:04:05Z","exchanges":["#
          + #"{"method":"GET","url":"http://h/e","status":200,"cause":"reset","chunks":2,"bytes":37,"events":1,"durationUs":503010},"#
          + #"{"method":"GET","url":"http://h/e","status":204,"cause":"complete","chunks":0,"bytes":0,"events":0,"durationUs":1005}],"#
          + #""chunks":2,"bytes":37,"events":1,"comments":1,"durationUs":3504015,"fileBytes":\#(size),"redaction":null,"#
          + #""labels":{"a":"1","b":"2"},"warnings":["#
          + #"{"exchange":1,"offset":18,"what":"the unknown field \"error\" is ignored"},"#
          + #"{"exchange":1,"offset":30,"what":"the last block has no blank line: it is discarded"}]}"#
      ])
  }

  @Test("lists of exchanges, chunks and events")
  func lists() async throws {
    let path = try makeCassette(in: ScratchFolder())
    let folder = try ScratchFolder()
    let kept = try makeCassette(in: folder)
    _ = path
    #expect(
      await wiretape("inspect", "--events", "--json", kept).lines == [
        #"{"kind":"event","type":"message","data":"a","lastEventId":"1","id":"1","exchange":1,"atUs":3000,"offset":15}"#
      ])
    #expect(
      await wiretape("inspect", "--chunks", "--json", kept).lines == [
        #"{"kind":"chunk","exchange":1,"atUs":3000,"offset":0,"bytes":18}"#,
        #"{"kind":"chunk","exchange":1,"atUs":503000,"offset":18,"bytes":19}"#,
      ])
    #expect(await wiretape("inspect", "--exchanges", "--json", kept).lines.count == 2)
    #expect(await wiretape("inspect", "--chunks", kept).output.contains("error: oh\\u{1B}\\n\\n"))
    #expect(await wiretape("inspect", "--chunks", "--events", kept).code == .usage)
  }

  @Test("the summary for people has a picture and says what is unfinished")
  func text() async throws {
    let folder = try ScratchFolder()
    let run = await wiretape("inspect", try makeCassette(in: folder, trailer: false), columns: 60)
    #expect(run.code == .success)
    #expect(run.output.contains(" · unfinished\n"))
    #expect(run.output.contains("█"))
    #expect(run.output.contains("redaction was off"))
    for line in run.lines { #expect(!line.contains("\u{1B}")) }
    let json = try await wiretape("inspect", "--json", folder.path("s.cassette")).objects()
    #expect(json[0]["finished"] as? Bool == false)
  }

  @Test("what is no cassette")
  func noCassettes() async throws {
    let folder = try ScratchFolder()
    for (name, bytes) in [("text", Array("data: a\n\n".utf8)), ("empty", [])] {
      let run = await wiretape("inspect", try folder.write(name, bytes))
      #expect(run.code == .badData)
      #expect(run.diagnostics.contains("“wiretape parse” reads raw event-stream bytes"), "\(run.diagnostics)")
    }
    #expect(await wiretape("inspect", folder.path("none")).code == .noInput)
    #expect(await wiretape("inspect", folder.url.path).code == .noInput)
  }

  @Test("a truncated cassette reads to its last record; a corrupt one is bad data with its place")
  func damage() async throws {
    let folder = try ScratchFolder()
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: makeCassette(in: folder))))
    let torn = await wiretape("inspect", "--json", try folder.write("torn", bytes.dropLast(20)))
    #expect(torn.code == .success)
    #expect(torn.output.contains(#""finished":false"#))
    var flipped = bytes
    flipped[bytes.count - 5] ^= 1
    let corrupt = await wiretape("inspect", try folder.write("corrupt", flipped))
    #expect(corrupt.code == .badData)
    #expect(corrupt.diagnostics.contains("member at byte 0, record "), "\(corrupt.diagnostics)")
  }

  @Test(
    "durations and sizes",
    arguments: [
      (0, "0 µs"), (999, "999 µs"), (1500, "1.5 ms"), (2_000_000, "2 s"), (12_345_678, "12.35 s"),
      (1_203, "1.2 ms"), (1_205, "1.21 ms"), (999_994, "999.99 ms"), (999_996, "1 s"),
      (59_996_000, "1 min 0 s"),
      (3_599_600_000, "1 h 0 min"), (.max, "2562047788 h 1 min"),
      (75_000_000, "1 min 15 s"),
      (7_260_000_000, "2 h 1 min"),
    ] as [(Int64, String)])
  func durations(microseconds: Int64, text: String) { #expect(durationText(microseconds) == text) }

  @Test("bins grow wider with time and keep their sums")
  func bins() {
    var bins = TimingBins()
    bins.add(1, at: 0)
    bins.add(1 << 20, at: 3_600_000_000)
    let row = bins.row(columns: 10, until: 3_600_000_000)
    #expect(row.count == 10)
    #expect(row.first == "▁")
    #expect(row.last == "█")
    #expect(row.dropFirst().dropLast().allSatisfy { $0 == " " })
  }
}
