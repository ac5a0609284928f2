// libFuzzer's way in to the oracles for the parser. Inputs are plain event streams: how each is cut follows from its
// content, so that any artifact is a fixture as it is.
//
// UNSAFE, and why: libFuzzer calls through C with a pointer and a length, which are copied into an array at once; the
// mutator writes back at most the length that it was given.

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

/// libFuzzer's own mutation, for a custom mutator to call.
@_silgen_name("LLVMFuzzerMutate")
private func libFuzzerMutate(_ start: UnsafeMutablePointer<UInt8>, _ count: Int, _ most: Int) -> Int

/// Every fourth mutation knows lines and fields; the others are libFuzzer's own, which find what nobody thought of.
@_cdecl("LLVMFuzzerCustomMutator")
public func mutate(_ start: UnsafeMutablePointer<UInt8>, _ count: Int, _ most: Int, _ seed: UInt32) -> Int {
  guard seed % 4 == 0 else { return unsafe libFuzzerMutate(start, count, most) }
  let input = unsafe Array(UnsafeBufferPointer(start: start, count: count))
  let mutated = StreamMutator.mutate(input, seed: UInt64(seed)).prefix(most)
  for (index, byte) in mutated.enumerated() { unsafe start[index] = byte }
  return mutated.count
}
