// Inputs are the inflated records of a cassette, which the oracles put into gzip members (a fuzzer can't guess checksums);
// inputs that begin as gzip are taken as they are.
//
// UNSAFE, and why: libFuzzer's C call comes in here and is handed on; LibFuzzer.swift deals with the pointer.

import EventStreamFuzzing
import LibFuzzer

/// Traps with the finding if an oracle does not hold for the input.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  unsafe test(start, count, Oracle.checkCassette)
}
