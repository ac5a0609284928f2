// Inputs are short event streams, of which long ones are made: the work for them has to grow with their length and no
// faster. A step is a comparison or a byte moved; StepCounter counts them.
//
// UNSAFE, and why: libFuzzer's C call comes in here and is handed on; LibFuzzer.swift deals with the pointer.

import EventStreamFuzzing
import LibFuzzer
import StepCounter

private let growth = GrowthOracle(steps: steps_made)

/// Traps with the finding if an oracle does not hold for the input.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  unsafe test(start, count) { growth.check($0) }
}
