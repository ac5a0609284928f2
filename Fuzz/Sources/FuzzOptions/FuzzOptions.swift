// Inputs are a line of text, read as everything that has a text form, and after it the bytes that a plan is to cut.
//
// UNSAFE, and why: libFuzzer's C call comes in here and is handed on; LibFuzzer.swift deals with the pointer.

import EventCassetteServer
import EventStreamFuzzing
import LibFuzzer

private let faults = TextForm("fault") { try FaultSpec(parsing: $0) }

/// Traps with the finding if an oracle does not hold for the input.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  unsafe test(start, count) { Oracle.checkOptions($0) ?? faults.check(Oracle.optionText(of: $0)) }
}
