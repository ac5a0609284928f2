// Random lives: whatever happens in whatever order, the promises hold.

import Testing

@testable import ServerSentEvents

@Suite("Ten thousand random inputs")
struct StateMachinePropertyTests {
  struct Life: Sendable, CustomTestStringConvertible {
    var seed: UInt64
    var policy: ReconnectionPolicy
    var delivery: EventSourceConfiguration.Delivery
    var testDescription: String { "seed \(seed), \(policy.rules), \(delivery)" }
  }

  static let lives: [Life] = (1...12).flatMap { seed in
    [ReconnectionPolicy.standard, .resilient].flatMap { policy in
      [EventSourceConfiguration.Delivery.events, .signals].map {
        Life(seed: seed, policy: policy, delivery: $0)
      }
    }
  }

  /// One connection and one timer at most; none while inactive, offline, blocked or before the server wants it; nothing
  /// from an old connection; every event once and in order, none lost between delivery and stored ID.
  @Test("keep every promise, whatever happens in whatever order", arguments: lives)
  func promises(_ life: Life) {
    var world = RandomWorld(seed: life.seed, policy: life.policy, delivery: life.delivery)
    world.live(inputs: 10_000)
    #expect(world.breaches.isEmpty, "\(world.breaches.joined(separator: "\n"))")
    // A life in which nothing happened proves nothing.
    for (what, least) in [
      "connect": 200, "event": 300, "stale": 50, "timer": 100, "consumed": 500, "stop": 5,
    ] {
      #expect(world.counts[what, default: 0] >= least, "only \(world.counts[what, default: 0]) × \(what)")
    }
  }
}
