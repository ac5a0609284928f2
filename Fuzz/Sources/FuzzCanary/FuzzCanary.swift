// A parser with a planted fault. It proves the set-up: `Fuzz/run --canary` fails unless the fuzzer finds it. The fault
// hides behind a name that no seed and no dictionary holds, so it takes coverage feedback to get there, and
// behind a cut, so it takes the deliveries.
//
// UNSAFE, and why: libFuzzer calls through C with a pointer and a length, which are copied into an array at once.

import EventStreamFuzzing
import ServerSentEvents

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

private let canary = ParserSubject {
  var parser = EventStreamParser()
  return { chunk in
    parser.append(chunk).compactMap { output in
      guard case .event(let event) = output else { return nil }
      let wasCut = event.data.utf8.count > chunk.count
      return ParserSubject.Event(
        type: event.type, data: wasCut && isCursed(event.type) ? "" : event.data, lastEventID: event.lastEventID)
    }
  }
}

/// Compared letter by letter: each one is a branch of its own for the coverage to see.
@inline(never)
private func isCursed(_ type: String) -> Bool {
  var letters = type.utf8.makeIterator()
  guard letters.next() == UInt8(ascii: "Q") else { return false }
  guard letters.next() == UInt8(ascii: "z") else { return false }
  guard letters.next() == UInt8(ascii: "7") else { return false }
  return true
}

@_cdecl("LLVMFuzzerInitialize")
public func initialize(
  _ count: UnsafeMutablePointer<CInt>?,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>?
) -> CInt {
  for number in [SIGILL, SIGTRAP] { unsafe signal(number, SIG_DFL) }
  return 0
}

@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = unsafe Array(UnsafeBufferPointer(start: start, count: count))
  if let finding = canary.check(input) { fatalError("finding: \(finding)") }
  return 0
}
