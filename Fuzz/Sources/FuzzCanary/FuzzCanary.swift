// A parser with a planted fault. It proves the set-up: `Fuzz/run --canary` fails unless the fuzzer finds it. The fault
// hides behind a combination that the only seed doesn't have, which takes the dictionary and the mutations; and behind
// a cut, which takes the deliveries.
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
        type: event.type, data: wasCut && event.data.utf8.starts(with: "[".utf8) ? "" : event.data)
    }
  }
}

/// Gives the signals back to libFuzzer: with Swift's own handlers in place it would write no artifact.
@_cdecl("LLVMFuzzerInitialize")
public func initialize(
  _ count: UnsafeMutablePointer<CInt>?,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>?
) -> CInt {
  for number in [SIGILL, SIGTRAP] { signal(number, SIG_DFL) }
  return 0
}

/// Traps if the planted fault shows.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = unsafe Array(UnsafeBufferPointer(start: start, count: count))
  // Two deliveries alone, not all the oracles: this is about the set-up, and should take seconds.
  let whole = canary.events(in: input)
  let cut = canary.events(in: input, .byteByByte(input.count))
  if whole != cut { fatalError("finding: the planted fault, \(whole) against \(cut)") }
  return 0
}
