// Inputs are scripts as lines of text, a fact a line (the kinds are listed at ClientScript), so that a finding can be read
// as it is.
//
// UNSAFE, and why: libFuzzer's C call comes in here and is handed on; LibFuzzer.swift deals with the pointer.

import EventStreamFuzzing
import LibFuzzer

/// Traps with the finding if an oracle does not hold for the input.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  unsafe test(start, count, Oracle.checkClient)
}
