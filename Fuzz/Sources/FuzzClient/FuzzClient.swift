// libFuzzer's way in to the oracles for the client's state machine. Inputs are scripts as lines of text, a fact a line
// (the kinds are listed at ClientScript), so that a finding can be read as it is.
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
  if let finding = Oracle.checkClient(input) { fatalError("finding: \(finding)") }
  return 0
}
