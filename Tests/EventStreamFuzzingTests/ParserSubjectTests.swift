// The oracles for anyone's parser: ours passes, and parsers with the faults that are common in the wild don't.

import EventStreamFuzzing
import ServerSentEvents
import Testing

@Suite struct ParserSubjectTests {
  @Test("our own parser holds all that is asked of any parser")
  func ours() throws {
    for input in try CorpusInput.files(in: "seeds") + CorpusInput.files(in: "regressions") {
      #expect(ParserSubject.wiretape.check(input.bytes) == nil, "\(input.name)")
    }
    var streams = StreamGenerator(seed: 77)
    for _ in 0..<100 { #expect(ParserSubject.wiretape.check(streams.next()) == nil) }
  }

  /// A fault as a change to the bytes before, or to the events after, an otherwise right parser.
  struct Faulty: Sendable, CustomTestStringConvertible {
    var what: String
    var finds: String
    var chunk: @Sendable ([UInt8]) -> [UInt8] = { $0 }
    var event: @Sendable (ServerSentEvent) -> ParserSubject.Event? = {
      .init(type: $0.type, data: $0.data, lastEventID: $0.lastEventID)
    }
    var testDescription: String { what }

    var subject: ParserSubject {
      ParserSubject {
        var parser = EventStreamParser()
        return { bytes in
          parser.append(chunk(bytes)).compactMap {
            if case .event(let item) = $0 { event(item) } else { nil }
          }
        }
      }
    }
  }

  @Test("a finding shows what can't be seen")
  func unseen() {
    let subject = ParserSubject {
      var parser = EventStreamParser()
      return { chunk in
        parser.append(chunk).compactMap {
          if case .event(let event) = $0 {
            .init(type: event.type, data: event.data + "\u{FEFF}")
          } else {
            nil
          }
        }
      }
    }
    let finding = subject.check(Array("data: e\u{301}\n\n".utf8))
    #expect(finding?.expected == #"event 0: type "message", data "e\u{301}", last event ID """#)
    #expect(finding?.got == #"event 0: type "message", data "e\u{301}\u{FEFF}""#)
  }

  static let faults: [Faulty] = [
    Faulty(
      what: "decodes each chunk for itself", finds: "byteOrderMark",
      chunk: { Array(String(decoding: $0, as: UTF8.self).utf8) }),
    Faulty(
      what: "knows CR LF only within a chunk", finds: "reference",
      chunk: { $0.first == 0x0A && $0.count > 1 ? [0x0A, 0x0A] + $0.dropFirst() : $0 }),
    Faulty(what: "doesn't know CR", finds: "lineEnds", chunk: { $0.map { $0 == 0x0D ? 0x20 : $0 } }),
    Faulty(
      what: "drops events without data", finds: "reference",
      event: { $0.data.isEmpty ? nil : .init(type: $0.type, data: $0.data) }),
    Faulty(
      what: "trims data", finds: "reference",
      event: { .init(type: $0.type, data: String($0.data.drop { $0 == " " })) }),
    Faulty(
      what: "forgets the ID of earlier events", finds: "reference",
      event: { .init(type: $0.type, data: $0.data, lastEventID: $0.id ?? "") }),
    Faulty(
      what: "normalises text", finds: "reference",
      event: { .init(type: $0.type, data: $0.data == "\u{E9}" ? "e\u{301}" : $0.data) }),
  ]

  @Test("common faults are found on the seeds and random streams", arguments: faults)
  func finds(fault: Faulty) throws {
    var inputs = try CorpusInput.files(in: "seeds").map(\.bytes)
    var streams = StreamGenerator(seed: 5)
    inputs += (0..<200).map { _ in streams.next() }
    let finding = inputs.lazy.compactMap { fault.subject.check($0) }.first
    #expect(finding?.oracle == fault.finds)
    #expect(finding?.description.contains("split: ") == true)
  }

  @Test("a parser that doesn't tell the last event ID isn't blamed for that")
  func withoutID() {
    let subject = ParserSubject {
      var parser = EventStreamParser()
      return { chunk in
        parser.append(chunk).compactMap {
          if case .event(let event) = $0 { .init(type: event.type, data: event.data) } else { nil }
        }
      }
    }
    #expect(subject.check(Array("id: 1\ndata: a\n\n".utf8)) == nil)
  }

  @Test("a finding names the delivery in the plan language")
  func namesTheDelivery() throws {
    let subject = ParserSubject {
      var parser = EventStreamParser()
      return { chunk in
        parser.append(chunk.isEmpty ? [0x20] : chunk).compactMap {
          if case .event(let event) = $0 { .init(type: event.type, data: event.data) } else { nil }
        }
      }
    }
    let finding = try #require(subject.check(Array("data: a\n\n".utf8)))
    #expect(finding.delivery.hasPrefix("at:"))
  }

  @Test("a finding that one cut shows names that one alone")
  func namesOneCut() throws {
    let subject = ParserSubject {
      var parser = EventStreamParser()
      return { chunk in
        parser.append(Array(String(decoding: chunk, as: UTF8.self).utf8)).compactMap {
          if case .event(let event) = $0 { .init(type: event.type, data: event.data) } else { nil }
        }
      }
    }
    // Too long to be cut at every offset from the start: many cuts at once find it.
    let stream = Array(("data: " + String(repeating: "a", count: 80) + "é\n\n").utf8)
    let finding = try #require(subject.check(stream))
    #expect(finding.delivery == "at:87")
  }

  /// A parser of LF alone, which also takes a line without a colon for none.
  private static let lineFeedsOnly = ParserSubject {
    var text = ""
    return { chunk in
      text += String(decoding: chunk, as: UTF8.self)
      var events: [ParserSubject.Event] = []
      var blocks = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)[...]
      var data: [String] = []
      while blocks.count > 1, let line = blocks.popFirst().map({ String($0) }) {
        if line.hasPrefix("data:") { data.append(line.dropFirst(5).drop { $0 == " " }.description) }
        guard line.isEmpty else { continue }
        if !data.isEmpty { events.append(.init(data: data.joined(separator: "\n"))) }
        data = []
        text = blocks.map { String($0) }.joined(separator: "\n")
      }
      return events
    }
  }

  @Test("a finding tells in which form the input fails, and has the stream that fails")
  func form() throws {
    let finding = try #require(Self.lineFeedsOnly.check(Array("id: 9\n\ndata: a\n\n".utf8)))
    #expect(finding.oracle == "lineEnds")
    #expect(finding.form == "with CR LF line ends")
    #expect(finding.stream == Array("id: 9\r\n\r\ndata: a\r\n\r\n".utf8))
    #expect(finding.rule == "Lines end in LF, CR LF or CR; the events are the same.")
    #expect(finding.description.contains(#"stream: "id: 9\r\n\r\ndata: a\r\n\r\n""#))
  }

  @Test(
    "the stream that fails is put down to its form, where it passes without; what else fails is not",
    arguments: [
      ("data: a\r\n\r\n", "lineEnds", "with CR LF line ends"),
      ("data: a\r\r", "lineEnds", "with CR line ends"),
      ("data: a\r\n\n", "lineEnds", "with mixed line ends"), ("data\n\n", "reference", nil),
      ("data\r\n\r\n", "reference", nil),
      ("\u{FEFF}data: a\n\n", "byteOrderMark", "with a byte order mark in front"),
    ] as [(String, String, String?)])
  func cause(stream: String, oracle: String, form: String?) throws {
    let finding = try #require(Self.lineFeedsOnly.check(Array(stream.utf8)))
    #expect(finding.oracle == oracle)
    #expect(finding.form == form)
    #expect(finding.stream == nil, "it is the input itself")
  }
}
