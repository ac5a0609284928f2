// The one source of pseudo-random numbers of this module. Its own, because a seed that stands in a bug report must
// mean the same on every platform and in every version.

/// The SplitMix64 generator: a counter that steps by the golden ratio, and a finalizer over it.
///
/// Seed 0 gives 0xE220A8397B1DCDAF first. The sequence never changes.
public struct SplitMix64: RandomNumberGenerator, Hashable, Sendable {
  private var state: UInt64

  /// Creates a generator; every seed is fine.
  public init(seed: UInt64) { state = seed }

  /// The next 64 bits.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// A number from 0 up to, not including, `bound`. The method is part of the promise (the standard library's may
  /// change): the high half of the 128-bit product, whose bias is below 2⁻³² for the bounds that are used here.
  mutating func next(below bound: UInt64) -> UInt64 { next().multipliedFullWidth(by: bound).high }
}
