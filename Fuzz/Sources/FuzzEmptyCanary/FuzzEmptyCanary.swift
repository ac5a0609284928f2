// A target that does nothing with its input: what libFuzzer itself costs, for the speeds of the others as ratios.
//
// UNSAFE, and why: libFuzzer's C call comes in here and is handed on; LibFuzzer.swift deals with the pointer.

import LibFuzzer

/// Copies the input and returns.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  unsafe test(start, count) { _ in nil }
}
