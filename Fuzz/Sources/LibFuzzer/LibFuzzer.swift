// What every fuzz target has to do with libFuzzer, which calls through C: take the input, trap with a finding, leave the
// signals alone.
//
// UNSAFE, and why: libFuzzer calls through C with a pointer and a length, which are copied into an array at once; a
// mutator writes back at most the length that it was given.

public import EventStreamFuzzing

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

/// Runs one input through a check, and traps with what it finds.
public func test(_ start: UnsafePointer<UInt8>?, _ count: Int, _ check: (_ input: [UInt8]) -> Finding?)
  -> CInt
{
  let input = unsafe Array(UnsafeBufferPointer(start: start, count: count))
  if let finding = check(input) { fatalError("finding: \(finding)") }
  return 0
}

/// Replaces an input in its place by a mutation of it, cut to what there is room for. Returns its length.
public func mutateInPlace(
  _ start: UnsafeMutablePointer<UInt8>, _ count: Int, _ most: Int, _ mutation: (_ input: [UInt8]) -> [UInt8]
) -> Int {
  let mutated = mutation(unsafe Array(UnsafeBufferPointer(start: start, count: count))).prefix(most)
  for (index, byte) in mutated.enumerated() { unsafe start[index] = byte }
  return mutated.count
}

/// The value of an environment variable, by which a script tells a target what to do.
public func environment(_ name: String) -> String? {
  unsafe getenv(name).map { unsafe String(cString: $0) }
}
