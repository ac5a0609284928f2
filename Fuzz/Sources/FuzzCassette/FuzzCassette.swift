// libFuzzer's way in to the oracles for cassettes. Inputs are the inflated records, which the oracles put into gzip
// members (a fuzzer can't guess checksums); inputs that begin as gzip are taken as they are.
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
  if let finding = Oracle.checkCassette(input) { fatalError("finding: \(finding)") }
  return 0
}
