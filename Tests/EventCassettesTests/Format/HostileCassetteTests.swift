import ServerSentEvents
import Testing

@testable import EventCassettes

/// What may come of any bytes at all: an error, or records that are a beginning of the true ones.
@Suite struct HostileCassetteTests {
  private func fault(_ bytes: [UInt8], limits: CassetteLimits = .default) -> CassetteError? {
    do {
      _ = try read(bytes, limits: limits)
      return nil
    } catch {
      return error as? CassetteError
    }
  }

  @Test("cut off anywhere, it reads as unfinished up to the last whole record, or is no cassette yet")
  func truncation() throws {
    let bytes = try Samples.bytes()
    for length in 0..<bytes.count {
      do {
        let (records, status) = try read(Array(bytes[..<length]))
        #expect(Samples.records.starts(with: records), "at \(length)")
        guard case .unfinished(torn: true, _) = status else {
          Issue.record("at \(length): \(status)")
          continue
        }
      } catch let error as CassetteError {
        #expect(error.code == .notACassette, "at \(length)")
      }
    }
  }

  @Test("cut off between members it is unfinished and not torn")
  func cutBetweenMembers() throws {
    let first = try Samples.bytes(of: Array(Samples.records[0...4]))
    let (records, status) = try read(first)
    #expect(records.count == 5)
    #expect(status == .unfinished(torn: false, lost: 0))
  }

  @Test("every flipped bit is an error with its place, or leaves a tear", arguments: [0, 6])
  func bitFlips(level: Int) throws {
    let bytes = try Samples.bytes(level: level)
    for index in bytes.indices {
      for bit in 0..<8 {
        var flipped = bytes
        flipped[index] ^= 1 << UInt8(bit)
        do {
          let (records, status) = try read(flipped)
          // Deflate has padding bits that mean nothing.
          if status == .finished, records == Samples.records { continue }
          // A flip in a block's head can turn the end of the stream into its middle; then it looks torn.
          guard case .unfinished(torn: true, _) = status else {
            Issue.record("byte \(index), bit \(bit) went unseen")
            continue
          }
        } catch let error as CassetteError {
          #expect(error.place != nil, "byte \(index), bit \(bit)")
        }
      }
    }
  }

  @Test("a fault is told with the member's offset and the record's number")
  func place() throws {
    let first = try Samples.member(Samples.w + Samples.q + Samples.s)
    let second = try Samples.member(Samples.d + Samples.s)
    let error = fault(first + second)
    #expect(error?.code == .outOfOrder)
    #expect(error?.place == CassetteError.Place(memberOffset: first.count, record: 5))
    #expect("\(error!)".contains("member at byte \(first.count), record 5: "))
  }

  static let records: [(String, [UInt8], CassetteError.Code)] = [
    ("a chunk before its response", Samples.q + Samples.d, .outOfOrder),
    ("a second response", Samples.q + Samples.s + Samples.s, .outOfOrder),
    ("a request while one is open", Samples.q + Samples.q, .outOfOrder),
    ("a body after the response", Samples.q + Samples.s + Samples.record("B", "x"), .outOfOrder),
    ("an end without a request", Samples.x, .outOfOrder),
    ("a second header", Samples.w, .outOfOrder),
    ("a trailer in an exchange", Samples.q + trailer(exchanges: 1), .outOfOrder),
    ("a note after the trailer", trailer() + Samples.record("N", #"{"delay":0,"event":"x"}"#), .outOfOrder),
    ("an unknown kind after the trailer", trailer() + Samples.record("y", ""), .outOfOrder),
    ("totals that differ", trailer(exchanges: 1), .totalsDiffer),
    (
      "a checksum that differs",
      Samples.q + Samples.s + Samples.d + Samples.x + trailer(exchanges: 1, chunks: 1, bytes: 1),
      .totalsDiffer
    ),
    ("a record that runs past its member", Array(Samples.q.dropLast()), .damaged),
    ("half a length", [UInt8(ascii: "Q"), 0x80], .damaged),
    ("an overlong length", [UInt8(ascii: "y"), 0x80, 0x00], .damaged),
    ("a length of six bytes", [UInt8(ascii: "y"), 0x80, 0x80, 0x80, 0x80, 0x80, 0x01], .damaged),
    ("a record of more than 64 MiB", [UInt8(ascii: "y"), 0x81, 0x80, 0x80, 0x20], .overLimit),
    ("JSON of more than 1 MiB", [UInt8(ascii: "N"), 0x81, 0x80, 0x40], .overLimit),
    ("a lying length within the limit", [UInt8(ascii: "y"), 0x80, 0x80, 0x80, 0x20], .damaged),
    ("a kind that is not ASCII", [0xC3, 0], .damaged),
    ("a chunk without bytes", Samples.q + Samples.s + Samples.record("D", [0]), .damaged),
    ("a chunk without anything", Samples.q + Samples.s + Samples.record("D", []), .damaged),
    ("a chunk's overlong delay", Samples.q + Samples.s + Samples.record("D", [0x80, 0, 65]), .damaged),
    (
      "a chunk's delay of 2^63",
      Samples.q + Samples.s + Samples.record("D", [UInt8](repeating: 0x80, count: 9) + [1, 65]), .damaged
    ),
    (
      "a chunk's delay beyond 64 bits",
      Samples.q + Samples.s + Samples.record("D", [UInt8](repeating: 0xFF, count: 9) + [2, 65]), .damaged
    ),
    ("a negative delay", note(#"{"delay":-1,"event":"x"}"#), .damaged),
    ("a delay of 2^53", note(#"{"delay":9007199254740992,"event":"x"}"#), .damaged),
    ("a delay with a fraction", note(#"{"delay":1.0,"event":"x"}"#), .damaged),
    ("a delay that is a text", note(#"{"delay":"1","event":"x"}"#), .damaged),
    ("a note without a delay", note(#"{"event":"x"}"#), .damaged),
    ("a key given twice", note(#"{"delay":1,"event":"x","event":"y"}"#), .damaged),
    ("JSON that is an array", note("[]"), .damaged),
    ("no JSON at all", note(""), .damaged),
    ("JSON that breaks off", note(#"{"delay":1,"event":"x""#), .damaged),
    ("bytes after the JSON", note(#"{"delay":1,"event":"x"}}"#), .damaged),
    ("half a surrogate pair", note(#"{"delay":1,"event":"\ud800"}"#), .damaged),
    (
      "JSON that is not UTF-8",
      Samples.record("N", Array(#"{"delay":1,"event":""#.utf8) + [0xFF, 0x22, 0x7D]), .damaged
    ),
    ("a number that is none", note(#"{"delay":01,"event":"x"}"#), .damaged),
    (
      "JSON 65 deep",
      note(
        #"{"delay":1,"event":"x","o":"# + String(repeating: "[", count: 64)
          + String(repeating: "]", count: 64) + "}"), .damaged
    ),
    ("JSON a million deep", note(String(repeating: "[", count: 1 << 20)), .damaged),
    (
      "a status that is no number",
      Samples.q + Samples.record("S", #"{"delay":0,"headers":[],"status":"200"}"#), .damaged
    ),
    (
      "headers that are no pairs",
      Samples.record("Q", #"{"delay":0,"headers":[["a"]],"method":"GET","url":"u"}"#), .damaged
    ),
    (
      "a trailer's checksum in capitals",
      Samples.record("Z", #"{"bytes":0,"chunks":0,"crc32":"0000000A","exchanges":0}"#), .damaged
    ),
  ]

  private static func note(_ json: String) -> [UInt8] { Samples.record("N", json) }

  private static func trailer(exchanges: Int = 0, chunks: Int = 0, bytes: Int = 0) -> [UInt8] {
    Samples.record(
      "Z", #"{"bytes":\#(bytes),"chunks":\#(chunks),"crc32":"00000000","exchanges":\#(exchanges)}"#)
  }

  @Test("what a record may not be is an error with its place", arguments: records.indices)
  func badRecords(index: Int) throws {
    let (name, content, code) = Self.records[index]
    let error = fault(try Samples.member(Samples.w + content))
    #expect(error?.code == code, "\(name): \(error.map(String.init(describing:)) ?? "read without an error")")
    #expect(error?.place != nil)
  }

  @Test("JSON exactly 64 deep, in any order and with white space, is read")
  func acceptable() throws {
    let deep =
      #"{ "o":"# + String(repeating: "[", count: 63) + String(repeating: "]", count: 63)
      + #", "event":"x" ,"delay":1}"#
    let (records, _) = try read(Samples.member(Samples.w + Self.note(deep)))
    #expect(records.count == 2)
  }

  static let files: [(String, [UInt8])] = [
    ("an empty file", []),
    ("plain text", Array("data: hello\n\n".utf8)),
    ("zeros", [UInt8](repeating: 0, count: 4_096)),
    ("gzip with a name", [0x1F, 0x8B, 8, 8, 0, 0, 0, 0, 0, 255, 97, 0]),
    ("a first record that is no header", (try? Samples.member(Samples.q)) ?? []),
    ("only empty members", ((try? Samples.member([])) ?? []) + ((try? Samples.member([])) ?? [])),
    ("half a header", (try? Samples.bytes(of: [Samples.records[0]]).prefix(30)).map(Array.init) ?? []),
  ]

  @Test("what is no cassette is said to be none", arguments: files.indices)
  func noCassette(index: Int) {
    #expect(fault(Self.files[index].1)?.code == .notACassette, "\(Self.files[index].0)")
  }

  @Test("empty members are nothing; anything else between or after members is an error")
  func between() throws {
    let empty = try Samples.member([])
    let bytes = try Samples.bytes()
    #expect(try read(empty + bytes + empty + empty).status == .finished)
    for garbage in [[0], [0, 0, 0, 0], Array("text".utf8), [UInt8](repeating: 0, count: 512)] as [[UInt8]] {
      let error = fault(bytes + garbage)
      #expect(error?.code == .damaged)
      #expect(
        error?.place == CassetteError.Place(memberOffset: bytes.count, record: Samples.records.count + 1))
      #expect(fault(bytes + garbage + bytes)?.code == .damaged)
    }
    #expect(fault(bytes + [0x1F])?.code == nil, "a torn head is a tear")
  }

  @Test("another format is named together with ours")
  func otherFormat() throws {
    let error = fault(try Samples.member(Samples.record("W", #"{"format":2,"new":true}"#)))
    #expect(error?.code == .unknownFormat)
    #expect(error?.message.contains("format 2") == true && error?.message.contains("format 1") == true)
    #expect(fault(try Samples.member(Samples.record("W", #"{"format":"1"}"#)))?.code == .unknownFormat)
    #expect(fault(try Samples.member(Samples.record("W", "{}")))?.code == .damaged)
  }

  @Test("a wrong checksum or length of a member is an error")
  func memberTail() throws {
    let bytes = try Samples.bytes()
    for place in 1...8 {
      var wrong = bytes
      wrong[wrong.count - place] ^= 0x40
      #expect(fault(wrong)?.code == .damaged)
    }
  }

  @Test("a bomb stops at the cap, whether of one record or of many")
  func bombs() throws {
    let zeros = [UInt8](repeating: 0, count: 8 << 20)
    let one = try Samples.member(Samples.w + Samples.record("y", zeros))
    #expect(one.count < 20_000)
    #expect(fault(one, limits: CassetteLimits(inflated: 1 << 20))?.code == .overLimit)
    let many = try Samples.member(Samples.w + zeros)  // kind 0, length 0, four million times
    #expect(fault(many, limits: CassetteLimits(inflated: 1 << 20))?.code == .overLimit)
  }

  @Test("a cassette that would take more memory whole than allowed is refused, and reads record by record")
  func heldMemory() throws {
    var writer = try CassetteWriter(inMemoryAtLevel: 1)
    for record in Samples.records.prefix(4) { try writer.write(record) }
    for _ in 0..<20_000 { try writer.write(.chunk(Cassette.Chunk(bytes: [0x0A]))) }
    try writer.close()
    let error = #expect(throws: CassetteError.self) {
      try Cassette(bytes: writer.bytes, limits: CassetteLimits(held: 1 << 20))
    }
    #expect(error?.code == .overLimit && error?.message.contains("1 MiB of memory") == true)
    #expect(fault(writer.bytes, limits: CassetteLimits(held: 1 << 20)) == nil)
  }

  @Test("an empty file is told from one that is no cassette")
  func emptyFile() {
    #expect(fault([])?.message.contains("nothing was recorded") == true)
    #expect(fault(GzipMember.head)?.message.contains("nothing was recorded") == false)
  }

  @Test("after an error every call gives it again")
  func sticky() throws {
    var reader = try CassetteReader(bytes: try Samples.member(Samples.w + Samples.d))
    _ = try reader.next()
    var codes: [CassetteError.Code?] = []
    for _ in 0..<2 {
      do { _ = try reader.next() } catch { codes.append(error.code) }
    }
    #expect(codes == [.outOfOrder, .outOfOrder])
  }

  @Test("a thousand seeded mutations never trap")
  func mutations() throws {
    let content =
      Samples.w + Samples.q + Samples.s + Samples.d + Samples.record("N", #"{"delay":1,"event":"é"}"#)
      + Samples.x
    var state: UInt64 = 42
    func random(_ below: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % below
    }
    for _ in 0..<1_000 {
      var mutated = content
      for _ in 0...random(4) {
        switch random(3) {
        case 0: mutated[random(mutated.count)] = UInt8(random(256))
        case 1: mutated.remove(at: random(mutated.count))
        default: mutated.insert(UInt8(random(256)), at: random(mutated.count))
        }
      }
      _ = fault(try Samples.member(mutated, level: 1))
    }
  }
}
