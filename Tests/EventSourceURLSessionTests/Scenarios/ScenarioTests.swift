// One table of scenarios, two ways to play it.

import ServerSentEvents
import Testing

@Suite("Client scenarios")
struct ScenarioTests {
  /// A few at a time: each mostly waits, but all at once would make a small machine late for all.
  private static let turnstile = Turnstile(places: 6)

  @Test("the table is there")
  func tableIsThere() {
    #expect(Scenario.all.count == 77)
  }

  @Test("through the state machine on a virtual clock", arguments: Scenario.all)
  func simulated(_ scenario: Scenario) {
    let findings = scenario.findings(ScenarioSimulation.play(scenario), countsLateness: true)
    #expect(findings.isEmpty, "\(findings.joined(separator: "\n"))")
  }

  @Test("over real HTTP through URLSession", arguments: Scenario.all)
  func overHTTP(_ scenario: Scenario) async throws {
    await Self.turnstile.enter()
    let seen: Observation
    do {
      seen = try await ScenarioOverHTTP.play(scenario)
    } catch {
      await Self.turnstile.leave()
      throw error
    }
    await Self.turnstile.leave()
    let findings = scenario.findings(seen, countsLateness: false)
    #expect(findings.isEmpty, "\(findings.joined(separator: "\n"))")
  }
}

private actor Turnstile {
  private var places: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(places: Int) { self.places = places }

  func enter() async {
    if places > 0 { places -= 1 } else { await withCheckedContinuation { waiting.append($0) } }
  }

  func leave() {
    if waiting.isEmpty { places += 1 } else { waiting.removeFirst().resume() }
  }
}
