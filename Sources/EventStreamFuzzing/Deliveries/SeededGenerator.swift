// Randomness that a seed gives again on every machine: findings name the seed, so it may never change. The numbers are
// SplitMix64's; here are the choices that the generators of inputs make with them.

import EventCassettes

/// SplitMix64: small, fast, and the same everywhere. Not for secrets.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var numbers: SplitMix64

  /// A generator for a seed.
  public init(seed: UInt64) { numbers = SplitMix64(seed: seed) }

  /// A generator whose seed is a hash (FNV-1a) of the bytes, so that what follows is a function of the content.
  public init(hashing bytes: some Sequence<UInt8>) {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    self.init(seed: hash)
  }

  /// The next 64 bits.
  public mutating func next() -> UInt64 { numbers.next() }

  /// A number from 0 up to, not including, `bound` (which must be positive). The slight bias is of no matter here,
  /// and unlike `Int.random(in:using:)` the result can't change with the standard library.
  public mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

  /// One of the elements (there must be one).
  public mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }
}
