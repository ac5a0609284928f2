// `wiretape parse`: the conformance cases through the tool's own JSON, and everything else it says.

import Foundation
import ScratchFolders
import Testing

@testable import WiretapeCommands

struct ParseVerbTests {
  /// The cases of Corpus/conformance/parser.jsonl.
  struct Case: Decodable, CustomTestStringConvertible {
    struct Event: Decodable, Equatable {
      var type: String
      var data: String
      var lastEventId: String

      /// Bytes, not canonical equivalence.
      static func == (a: Event, b: Event) -> Bool {
        [a.type, a.data, a.lastEventId].map { Array($0.utf8) }
          == [b.type, b.data, b.lastEventId].map { Array($0.utf8) }
      }
    }
    struct Expectation: Decodable {
      var events: [Event]
      var finalLastEventId: String
    }
    var name: String
    var input_b64: Data
    var expect: Expectation
    var testDescription: String { name }
  }

  static let cases: [Case] = {
    let file = packageRoot.appendingPathComponent("Corpus/conformance/parser.jsonl")
    let lines = (try? Data(contentsOf: file))?.split(separator: 0x0A) ?? []
    return lines.compactMap { try? JSONDecoder().decode(Case.self, from: $0) }
  }()

  struct Line: Decodable {
    var kind: String
    var type: String?
    var data: String?
    var lastEventId: String?
    var offset: Int?
    var events: Int?
    var bytes: Int?
  }

  @Test("the conformance cases come out as JSON lines, whole and byte by byte")
  func conformance() async throws {
    #expect(Self.cases.count > 100)
    for one in Self.cases where one.input_b64.count < 100_000 {
      let bytes = [UInt8](one.input_b64)
      let whole = await wiretape("parse", "--json", "-", input: [bytes])
      let cut = await wiretape("parse", "--json", "-", input: bytes.map { [$0] })
      #expect(whole.output == cut.output, "\(one.name)")
      let lines = try whole.lines.map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
      let events = lines.filter { $0.kind == "event" }.map {
        Case.Event(type: $0.type ?? "", data: $0.data ?? "", lastEventId: $0.lastEventId ?? "")
      }
      #expect(whole.code == .success)
      #expect(events == one.expect.events, "\(one.name)")
      #expect(lines.last?.kind == "end")
      #expect(lines.last?.events == events.count)
      #expect(lines.last?.bytes == bytes.count)
      #expect(
        lines.last?.lastEventId?.utf8.elementsEqual(one.expect.finalLastEventId.utf8) == true, "\(one.name)")
    }
  }

  @Test("a cassette is no stream, and is told to be compressed")
  func cassette() async throws {
    let run = await wiretape("parse", "-", input: [[0x1F, 0x8B, 0x08, 0x00]])
    #expect(run.code == .success)
    #expect(run.diagnostics.contains("this is compressed, such as a cassette"))
  }

  @Test("JSON lines, byte for byte")
  func json() async {
    let stream = "\u{FEFF}: hb\nretry: 3000\nid: 7\nevent: e\ndata: \"a\\/\"\ndata: \u{1}é\r\n\r\ndata: x\n\n"
    let run = await wiretape("parse", "--json", "--all", "-", input: [Array(stream.utf8)])
    #expect(
      run.lines == [
        #"{"kind":"comment","comment":" hb"}"#,
        #"{"kind":"retry","ms":3000}"#,
        #"{"kind":"event","type":"e","data":"\"a\\/\"\n\u0001é","lastEventId":"7","id":"7","offset":59}"#,
        #"{"kind":"event","type":"message","data":"x","lastEventId":"7","id":null,"offset":69}"#,
        #"{"kind":"end","events":2,"lastEventId":"7","retry":3000,"bytes":69}"#,
      ])
    let events = await wiretape("parse", "--json", "-", input: [Array(stream.utf8)])
    #expect(events.lines == Array(run.lines.dropFirst(2)))
  }

  @Test("an unfinished block is discarded, and said to be")
  func unfinished() async {
    let run = await wiretape("parse", "--json", "-", input: [Array("data: a\n\ndata: b\n".utf8)])
    #expect(run.code == .success)
    #expect(run.lines.count == 2)
    #expect(run.diagnostics.contains("a last block of 8 bytes has no blank line"))
  }

  @Test("text for people shows no control characters of the stream")
  func hostileText() async {
    let run = await wiretape(
      "parse", "-", "--all", input: [Array("event: \u{1B}]0;x\u{7}\ndata: \u{1B}[2J\n:\u{9B}\n\n".utf8)])
    #expect(
      !run.output.unicodeScalars.contains {
        $0.value < 0x20 && $0 != "\n" || (0x7F...0x9F).contains($0.value)
      })
    #expect(run.output.contains("\\u{1B}[2J"))
  }

  @Test("no such file, a folder, an empty file")
  func badFiles() async throws {
    let folder = try ScratchFolder()
    let missing = await wiretape("parse", folder.path("none"))
    #expect(missing.code == .noInput)
    #expect(missing.diagnostics.contains("none: there is no such file"))
    let directory = await wiretape("parse", folder.url.path)
    #expect(directory.code == .noInput)
    #expect(directory.diagnostics.contains("this is a folder"))
    let empty = await wiretape("parse", "--json", try folder.write("empty", []))
    #expect(empty.code == .success)
    #expect(empty.lines == [#"{"kind":"end","events":0,"lastEventId":"","retry":null,"bytes":0}"#])
  }

  @Test("a line past the limit ends with bad data, after the events before it")
  func limit() async {
    let flood = Array(repeating: [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 16), count: 257)
    let run = await wiretape("parse", "--json", "-", input: [Array("data: a\n\ndata:".utf8)] + flood)
    #expect(run.code == .badData)
    #expect(run.lines.count == 1)
    #expect(run.diagnostics.contains("longer than 16777216 bytes"))
  }
}
