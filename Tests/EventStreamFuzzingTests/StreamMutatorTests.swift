// The mutator: that it is a function of input and seed, and that its streams hold the oracles like any others.

import EventStreamFuzzing
import Testing

@Suite struct StreamMutatorTests {
  @Test("the same stream and seed give the same mutation, and most seeds change something")
  func isDeterministic() {
    let stream = Array("id: 1\r\ndata: a\n\ndata: b\r\r".utf8)
    let mutations = (0..<200 as Range<UInt64>).map { StreamMutator.mutate(stream, seed: $0) }
    #expect(mutations == (0..<200 as Range<UInt64>).map { StreamMutator.mutate(stream, seed: $0) })
    #expect(mutations.filter { $0 != stream }.count > 150)
    #expect(Set(mutations).count > 150)
  }

  @Test("chains of mutations hold all oracles")
  func holdsOracles() {
    var stream: [UInt8] = []
    for seed in 0..<150 as Range<UInt64> {
      stream = Array(StreamMutator.mutate(stream, seed: seed).prefix(300))
      #expect(Oracle.check(stream) == nil, "seed \(seed): \(stream)")
    }
  }
}
