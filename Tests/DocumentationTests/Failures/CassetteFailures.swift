// What goes wrong with a cassette and its file.

import EventCassettes
import Foundation
import ScratchFolders
import ServerSentEvents

extension Failure {
  static let cassettes: [Failure] = [
    reading(
      "notACassette", "a text file",
      "orders.cassette: member at byte 0, record 1: this is not a cassette: it doesn't begin as one (gzip with a plain head); `wiretape record` makes cassettes",
      Array("data: hi\n\n".utf8)),
    reading(
      "unknownFormat", "a cassette of a later version",
      "orders.cassette: member at byte 0, record 1: this cassette has format 9, and this version reads format 1: get a newer one",
      GzipFile.member(#"{"format":9}"#, "W")),
    reading(
      "damaged", "a cassette with one byte changed",
      "orders.cassette: member at byte 0, record 2: a gzip member whose checksum differs from its content; `wiretape recover` keeps every record before the fault"
    ) {
      var bytes = GzipFile.member(GzipFile.header, "W")
      bytes[bytes.count - 6] ^= 1
      return bytes
    },
    reading(
      "outOfOrder", "a chunk before its request",
      "orders.cassette: member at byte 125, record 2: a chunk before its response head; `wiretape recover` keeps every record before the fault",
      GzipFile.member(GzipFile.header, "W") + GzipFile.member("\0a", "D")),
    reading(
      "totalsDiffer", "a trailer that counts an exchange too many",
      "orders.cassette: member at byte 125, record 2: the trailer's totals differ from what was read; `wiretape recover` keeps every record before the fault",
      GzipFile.member(GzipFile.header, "W")
        + GzipFile.member(#"{"bytes":0,"chunks":0,"crc32":"00000000","exchanges":1}"#, "Z")),
    Failure(
      "CassetteError.overLimit", "a cassette that inflates to more than was allowed",
      "FOLDER/orders.cassette: member at byte 0, record 1: more than 100 bytes when inflated; raise the limit if this is meant"
    ) { folder in
      let path = try makeCassette(in: folder)
      _ = try Cassette(contentsOf: path, limits: CassetteLimits(inflated: 100))
      throw NothingFailed()
    },
    Failure(
      "CassetteError.noSuchFile", "a mistyped name",
      "FOLDER/ordres.cassette: there is no such file; check the name and the folder"
    ) { folder in
      _ = try Cassette(contentsOf: folder.url.path + "/ordres.cassette")
      throw NothingFailed()
    },
    Failure(
      "CassetteError.unreadable", "a link to itself",
      "FOLDER/orders.cassette: Too many levels of symbolic links; give a file or a pipe that may be read"
    ) { folder in
      let path = folder.url.path + "/orders.cassette"
      try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: path)
      _ = try Cassette(contentsOf: path)
      throw NothingFailed()
    },
    Failure("CassetteError.isFolder", "a folder's name", "FOLDER: this is a folder; name a file in it") {
      folder in
      _ = try Cassette(contentsOf: folder.url.path)
      throw NothingFailed()
    },
    Failure(
      "CassetteError.exists", "the name of a cassette that is there",
      "FOLDER/orders.cassette: this exists already; take another name, or ask for it to be overwritten"
    ) { folder in
      let path = try makeCassette(in: folder)
      _ = try CassetteWriter(creating: path)
      throw NothingFailed()
    },
    Failure(
      "CassetteError.inUse", "two writers of one file",
      "FOLDER/orders.cassette: another program is writing this file; wait for it or take another name"
    ) { folder in
      let path = folder.url.path + "/orders.cassette"
      let first = try CassetteWriter(creating: path)
      _ = try CassetteWriter(creating: path, overwriting: true)
      _ = first
      throw NothingFailed()
    },
    Failure(
      "CassetteError.cannotOpen", "a folder that is not there",
      "FOLDER/none/orders.cassette: there is no such folder; create it first"
    ) { folder in
      _ = try CassetteWriter(creating: folder.url.path + "/none/orders.cassette")
      throw NothingFailed()
    },
    Failure(
      "CassetteError.noSpace", "a full disk",
      "/dev/full: no room to write (No space left on device); make room, or write elsewhere"
    ) { _ in
      var writer = try CassetteWriter(creating: "/dev/full", overwriting: true)
      try writer.write(.header(header))
      try writer.finish()
      throw NothingFailed()
    },
    Failure(
      "CassetteError.removed", "a cassette deleted while it is recorded",
      "FOLDER/orders.cassette: the file was removed while it was being written: nothing of it is left; record again, into a folder that stays"
    ) { folder in
      let path = folder.url.path + "/orders.cassette"
      var writer = try CassetteWriter(creating: path)
      try writer.write(.header(header))
      try FileManager.default.removeItem(atPath: path)
      try writer.finish()
      throw NothingFailed()
    },
    Failure(
      "CassetteError.inputOutput", "a file that can't be read on",
      "/proc/self/mem: Input/output error; look after the disk and the permissions"
    ) { _ in
      _ = try Cassette(contentsOf: "/proc/self/mem")
      throw NothingFailed()
    },
    Failure(
      "CassetteError.closed", "a record after the end",
      "writing failed before: the writer is closed; make a new writer"
    ) { _ in
      var writer = try CassetteWriter(inMemoryAtLevel: 6)
      try writer.close()
      try writer.write(.header(header))
      throw NothingFailed()
    },
    Failure(
      "CassetteError.badRule", "a pattern with a mistake",
      #"the pattern "a(" is no regular expression: expected ')'"#
    ) { _ in
      _ = try CassetteRecorder(
        to: CassetteWriter(inMemoryAtLevel: 6), header: header, redaction: RedactionRules(patterns: ["a("]))
      throw NothingFailed()
    },
    Failure(
      "CassetteError.nothingSelected", "a part past the end",
      "nothing lies in the part asked for; `wiretape inspect` shows what there is"
    ) { folder in
      var reader = try CassetteReader(contentsOf: makeCassette(in: folder))
      var writer = try CassetteWriter(inMemoryAtLevel: 6)
      _ = try CassetteRewriting.trim(
        from: &reader, to: &writer, CassetteTrimmer.Selection(exchange: 7), allowsNothing: false)
      throw NothingFailed()
    },
    Failure(
      "CassetteError.notImportable", "a line that is no JSON object",
      "FOLDER/orders.jsonl: line 2: JSON that is not an object; check that it is in the format that was asked for"
    ) { folder in
      try folder.write("orders.jsonl", "{\"data\":\"a\"}\n[]\n")
      var writer = try CassetteWriter(inMemoryAtLevel: 6)
      try CassetteImporter.jsonl.run(
        contentsOf: folder.url.path + "/orders.jsonl", to: &writer, recorder: "test",
        recordedAt: header.recordedAt)
      throw NothingFailed()
    },

    golden(
      "a line that is no JSON",
      "line 1 of the golden file is not a JSON object: write the file anew with `wiretape check --update`",
      "data: a"),
    golden(
      "a line without an exchange",
      #"line 1 of the golden file has no "exchange" from 1: write the file anew with `wiretape check --update`"#,
      #"{"data":"a"}"#),
    golden(
      "a line without data",
      #"line 1 of the golden file has no "data": write the file anew with `wiretape check --update`"#,
      #"{"exchange":1}"#),
    golden(
      "a line whose type is a number",
      #"line 1 of the golden file has a "type" that is not a string: write the file anew with `wiretape check --update`"#,
      #"{"exchange":1,"data":"a","type":1}"#),
  ]

  static let header = Cassette.Header(recorder: "test 1", recordedAt: "2026-01-02T03:04:05Z")

  /// A cassette with two events, the second after a reconnect.
  static func makeCassette(in folder: ScratchFolder, name: String = "orders.cassette") throws -> String {
    let path = folder.url.path + "/" + name
    var writer = try CassetteWriter(creating: path)
    try writer.write(.header(header))
    for number in 1...2 {
      let headers = number == 1 ? [] : [HeaderField("Last-Event-ID", "1")]
      try writer.write(.request(Cassette.Request(url: "http://127.0.0.1/orders", headers: headers)))
      try writer.write(
        .response(Cassette.Response(headers: [HeaderField("Content-Type", "text/event-stream")])))
      try writer.write(
        .chunk(Cassette.Chunk(bytes: Array("id: \(number)\r\ndata: order \(number)\r\n\r\n".utf8))))
      try writer.write(.end(Cassette.End(delay: 1000, cause: number == 1 ? .complete : .cancelled)))
    }
    try writer.finish()
    try writer.close()
    return path
  }

  private static func reading(_ code: String, _ input: String, _ message: String, _ bytes: [UInt8]) -> Failure
  {
    reading(code, input, message) { bytes }
  }

  private static func reading(
    _ code: String, _ input: String, _ message: String, _ bytes: @escaping @Sendable () -> [UInt8]
  ) -> Failure {
    Failure("CassetteError.\(code)", input, message) { _ in
      _ = try Cassette(bytes: bytes(), name: "orders.cassette")
      throw NothingFailed()
    }
  }

  private static func golden(_ input: String, _ message: String, _ line: String) -> Failure {
    Failure("GoldenFileError", input, message) { _ in
      _ = try GoldenFile.events(in: Array(line.utf8))
      throw NothingFailed()
    }
  }
}

/// Gzip members made by hand, for cassettes that the writer refuses to write: stored, not compressed.
enum GzipFile {
  static let header =
    #"{"format":1,"labels":{},"recordedAt":"2026-01-02T03:04:05Z","recorder":"test 1","timing":"recorded"}"#

  /// A member with one record of fewer than 128 bytes.
  static func member(_ payload: String, _ kind: Character) -> [UInt8] {
    let content = [kind.asciiValue ?? 0, UInt8(payload.utf8.count)] + Array(payload.utf8)
    let count = UInt16(content.count)
    let sizes = [UInt8(count & 0xFF), UInt8(count >> 8), UInt8(~count & 0xFF), UInt8(~count >> 8)]
    let tail = [crc32(content), UInt32(content.count)].flatMap { number in
      (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
    return [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255, 1] + sizes + content + tail
  }

  private static func crc32(_ bytes: [UInt8]) -> UInt32 {
    var crc: UInt32 = ~0
    for byte in bytes {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
    }
    return ~crc
  }
}
