// A parser with a planted fault. It proves the set-up: `Fuzz/run --canary` fails unless the fuzzer finds it. The fault
// hides behind a combination that the only seed doesn't have, which takes the dictionary and the mutations; and behind
// a cut, which takes the deliveries.
//
// UNSAFE, and why: libFuzzer's C call comes in here and is handed on; LibFuzzer.swift deals with the pointer.

import EventStreamFuzzing
import LibFuzzer
import ServerSentEvents

private let canary = ParserSubject {
  var parser = EventStreamParser()
  return { chunk in
    parser.append(chunk).compactMap { output in
      guard case .event(let event) = output else { return nil }
      let wasCut = event.data.utf8.count > chunk.count
      return ParserSubject.Event(
        type: event.type, data: wasCut && event.data.utf8.starts(with: "[".utf8) ? "" : event.data)
    }
  }
}

/// Traps if the planted fault shows. Two deliveries alone, not all the oracles: this is about the set-up, and should
/// take seconds.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  unsafe test(start, count) { input in
    let (whole, cut) = (canary.events(in: input), canary.events(in: input, .byteByByte(input.count)))
    guard whole != cut else { return nil }
    return Finding(oracle: "the planted fault", delivery: "bytes:1", expected: "\(whole)", got: "\(cut)")
  }
}
