// libFuzzer's way in to the oracles for the parser. Inputs are plain event streams: how each is cut follows from its
// content, so that any artifact is a fixture as it is.
//
// UNSAFE, and why: libFuzzer calls through C with a pointer and a length, which are copied into an array at once.

import EventStreamFuzzing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Whether each input goes through some oracles alone, as `Fuzz/run` asks for while it fuzzes. Otherwise, so when an
/// artifact is reproduced or made smaller, it is all of them.
private let checksSome = unsafe getenv("FUZZ_SOME_ORACLES") != nil

/// Gives the signals back to libFuzzer: with Swift's own handlers in place it would write no artifact.
@_cdecl("LLVMFuzzerInitialize")
public func initialize(
  _ count: UnsafeMutablePointer<CInt>?,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>?
) -> CInt {
  for number in [SIGILL, SIGTRAP] { signal(number, SIG_DFL) }
  return 0
}

/// Traps with the finding if an oracle does not hold for the input.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = unsafe Array(UnsafeBufferPointer(start: start, count: count))
  if let finding = checksSome ? Oracle.checkSome(input) : Oracle.check(input) {
    fatalError("finding: \(finding)")
  }
  return 0
}
