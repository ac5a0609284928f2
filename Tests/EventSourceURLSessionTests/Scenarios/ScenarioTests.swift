// One table of scenarios, two ways to play it.

import ServerSentEvents
import Testing

@Suite("Client scenarios")
struct ScenarioTests {
  @Test("the table is there")
  func tableIsThere() {
    #expect(Scenario.all.count == 77)
  }

  @Test("through the state machine on a virtual clock", arguments: Scenario.all)
  func simulated(_ scenario: Scenario) {
    let findings = scenario.findings(ScenarioSimulation.play(scenario))
    #expect(findings.isEmpty, "\(findings.joined(separator: "\n"))")
  }

  @Test("over real HTTP through URLSession", arguments: Scenario.all)
  func overHTTP(_ scenario: Scenario) async throws {
    let findings = scenario.findings(try await ScenarioOverHTTP.play(scenario))
    #expect(findings.isEmpty, "\(findings.joined(separator: "\n"))")
  }
}
