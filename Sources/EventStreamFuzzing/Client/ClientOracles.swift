// What must hold for the client's state machine whatever happens to it, in any order.

import ServerSentEvents

extension Oracle {
  /// Every oracle for the client. Inputs are scripts, a fact a line.
  public static let clients: [Oracle] = [clientRules, clientDeterminism]

  /// Holds the client's state machine to every oracle. `nil` if all hold.
  public static func checkClient(_ input: [UInt8]) -> Finding? {
    for oracle in clients {
      if let finding = oracle.check(input) { return finding }
    }
    return nil
  }

  static let clientRules = Oracle(
    name: "clientRules",
    statement:
      "One connection at a time, none while something holds it, the right last event ID, nothing after the end."
  ) { input in
    ClientWorld(ClientScript(input), bytewise: false).breach.map {
      Finding(oracle: "clientRules", delivery: "whole", expected: $0.expected, got: $0.got)
    }
  }

  static let clientDeterminism = Oracle(
    name: "clientDeterminism",
    statement: "The same facts give the same actions, however the bytes among them are cut."
  ) { input in
    let script = ClientScript(input)
    let (first, second) = (ClientWorld(script, bytewise: false), ClientWorld(script, bytewise: true))
    // When an ID that came without an event is stored depends on chunks, and may: only the last one counts, and that not
    // where what came behind it in its chunk was given up.
    func withoutStores(_ world: ClientWorld) -> [EventSourceStateMachine.Action] {
      let actions = world.trace.filter { if case .storeLastEventID = $0 { false } else { true } }
      if world.hasGivenUpDeliveries { return actions }
      return actions + [.storeLastEventID(world.machine.processedLastEventID)]
    }
    let (firstTrace, secondTrace) = (withoutStores(first), withoutStores(second))
    guard firstTrace != secondTrace else { return nil }
    let index = zip(firstTrace, secondTrace).prefix { $0 == $1 }.count
    func describe(_ trace: [EventSourceStateMachine.Action]) -> String {
      index < trace.count ? "action \(index): \(trace[index])" : "no action \(index)"
    }
    return Finding(
      oracle: "clientDeterminism", delivery: "bytes:1", expected: describe(firstTrace),
      got: describe(secondTrace))
  }
}
