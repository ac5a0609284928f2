// Inputs are plain event streams: how each is cut follows from its content, so that any artifact is a fixture as it is.
//
// UNSAFE, and why: libFuzzer's C calls come in here and are handed on; LibFuzzer.swift deals with the pointers.

import EventStreamFuzzing
import LibFuzzer

/// Whether each input goes through some oracles alone, as `Fuzz/run` asks for while it fuzzes. Otherwise, so when an
/// artifact is reproduced or made smaller, it is all of them.
private let checksSome = environment("FUZZ_SOME_ORACLES") != nil

/// Traps with the finding if an oracle does not hold for the input.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  unsafe test(start, count, checksSome ? Oracle.checkSome : Oracle.check)
}

/// libFuzzer's own mutation, for a custom mutator to call.
@_silgen_name("LLVMFuzzerMutate")
private func libFuzzerMutate(_ start: UnsafeMutablePointer<UInt8>, _ count: Int, _ most: Int) -> Int

/// Every fourth mutation knows lines and fields; the others are libFuzzer's own, which find what nobody thought of.
@_cdecl("LLVMFuzzerCustomMutator")
public func mutate(_ start: UnsafeMutablePointer<UInt8>, _ count: Int, _ most: Int, _ seed: UInt32) -> Int {
  guard seed % 4 == 0 else { return unsafe libFuzzerMutate(start, count, most) }
  return unsafe mutateInPlace(start, count, most) { StreamMutator.mutate($0, seed: UInt64(seed)) }
}
