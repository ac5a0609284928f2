// A parser with one of the classic faults, for `Fuzz/planted`: how long until it is found, with and without what helps?
// The environment says which fault (PLANTED_FAULT; none: the parser is right) and whether the mutator is on
// (PLANTED_MUTATOR=0: it is not).
//
// UNSAFE, and why: libFuzzer's C calls come in here and are handed on; LibFuzzer.swift deals with the pointers.

import EventStreamFuzzing
import LibFuzzer
import StepCounter

private let fault = environment("PLANTED_FAULT").map { name in
  guard let fault = Fault(rawValue: name) else {
    fatalError(
      "there is no fault \(name); there are: \(Fault.allCases.map(\.rawValue).joined(separator: " "))")
  }
  return fault
}
private let hasMutator = environment("PLANTED_MUTATOR") != "0"
private let growth = GrowthOracle(steps: steps_made)
private let subject = ParserSubject {
  var parser = PlantedParser(fault)
  return { chunk in parser.feed(chunk) }
}

/// Traps with the finding if an oracle does not hold for the input. Growth, which takes long, is looked at for the one
/// fault that it is about.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  unsafe test(start, count) { input in
    fault == .copiesBuffer ? growth.check(input, subject.work) : subject.check(input)
  }
}

/// libFuzzer's own mutation, for a custom mutator to call.
@_silgen_name("LLVMFuzzerMutate")
private func libFuzzerMutate(_ start: UnsafeMutablePointer<UInt8>, _ count: Int, _ most: Int) -> Int

/// As in FuzzParser.
@_cdecl("LLVMFuzzerCustomMutator")
public func mutate(_ start: UnsafeMutablePointer<UInt8>, _ count: Int, _ most: Int, _ seed: UInt32) -> Int {
  guard hasMutator, seed % 4 == 0 else { return unsafe libFuzzerMutate(start, count, most) }
  return unsafe mutateInPlace(start, count, most) { StreamMutator.mutate($0, seed: UInt64(seed)) }
}
