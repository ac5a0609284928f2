// The calls that fail a test. Each is its check and one line: what to say to which framework is TestFailure.

public import EventCassettes
public import ServerSentEvents

/// Asserts that a cassette gives the same events under every plan, and that they are the golden ones.
///
/// ```swift
/// func testOrders() { assertReplays("order-status") }       // XCTest
/// @Test func orders() { assertReplays("order-status") }     // Swift Testing
/// ```
///
/// Parameters as in ``checkReplay(_:options:replay:record:filePath:)``.
public func assertReplays(
  _ name: String, options: CheckOptions = .testing, replay: ReplayOptions = ReplayOptions(),
  record: RecordMode? = nil, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
  line: UInt = #line, column: UInt = #column
) {
  let check = checkReplay(name, options: options, replay: replay, record: record, filePath: "\(filePath)")
  TestFailure(fileID: fileID, filePath: filePath, line: line, column: column).report(check)
}

/// Asserts that another parser gives our parser's events for a cassette, under every plan.
///
/// ```swift
/// assertReplays("llm-tokens", with: { MyParser() })
/// ```
public func assertReplays<Parser: EventStreamParsing>(
  _ name: String, options: CheckOptions = .testing, comparing fields: ComparedFields = .all,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
  column: UInt = #column,
  with makeParser: @escaping () -> Parser
) where Parser.Output == ServerSentEvent {
  let check = checkReplay(
    name, options: options, comparing: fields, filePath: "\(filePath)", with: makeParser)
  TestFailure(fileID: fileID, filePath: filePath, line: line, column: column).report(check)
}

/// The same for a parser that is an `Equatable` value: single splits cost less, and short streams are proved.
public func assertReplays<Parser: EventStreamParsing & Equatable>(
  _ name: String, options: CheckOptions = .testing, comparing fields: ComparedFields = .all,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
  column: UInt = #column,
  with makeParser: @escaping () -> Parser
) where Parser.Output == ServerSentEvent {
  let check = checkReplay(
    name, options: options, comparing: fields, filePath: "\(filePath)", with: makeParser)
  TestFailure(fileID: fileID, filePath: filePath, line: line, column: column).report(check)
}

/// The same for a closure: `makeFeed` makes one for each stream, that takes chunks and gives events.
///
/// ```swift
/// assertReplays("llm-tokens", comparing: [.data]) {
///   let parser = TheirParser()
///   return { chunk in parser.feed(Data(chunk)).map { ServerSentEvent(data: $0.data) } }
/// }
/// ```
public func assertReplays(
  _ name: String, options: CheckOptions = .testing, comparing fields: ComparedFields = .all,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
  column: UInt = #column,
  feeding makeFeed: @escaping () -> (_ chunk: [UInt8]) -> [ServerSentEvent]
) {
  let check = checkReplay(
    name, options: options, comparing: fields, filePath: "\(filePath)", feeding: makeFeed)
  TestFailure(fileID: fileID, filePath: filePath, line: line, column: column).report(check)
}

/// Runs a client on the test's cassette: on virtual time where there is one; else over a real transport, which is
/// recorded, and the test fails, saying where that was written.
///
/// ```swift
/// let states = try await withCassette("Cassettes/orders", over: URLSessionEventStreamTransport()) { environment in
///   var states: [String] = []
///   for try await event in EventSource(request, environment: environment) { states.append(event.data) }
///   return states
/// }
/// ```
///
/// What is asked must be what was asked when it was recorded: whatever else is asked fails the test.
///
/// - Parameters:
///   - name: the cassette, as in ``checkReplay(_:options:replay:record:filePath:)``; a new one goes to the folder `Cassettes`
///     beside the test's source, or beside the source where there is no such folder. `nil` for a name made of file and
///     function, `OrderTests/testOrders`.
///   - value: tells the cases of a parameterised test apart where there is no name.
///   - transport: what asks the real server when it is recorded.
///   - plan: where bodies are cut when it is played.
///   - matching: what of a request must fit.
///   - redaction: what is masked when it is recorded; `nil` for nothing.
///   - record: when it is recorded; `nil` for what the scope or the environment says (`WIRETAPE_RECORD`, `CI`).
///   - fileID: the test's file, for the automatic name and the failure.
///   - filePath: the test's source, beside which the cassette is.
///   - function: the test, for the automatic name.
///   - line: where the failure is shown.
///   - column: where in that line.
///   - body: the client's run, with the transport and clock that it must use.
/// - Returns: what the body returned.
/// - Throws: as ``runOnCassette(_:case:over:plan:matching:redaction:record:fileID:filePath:function:_:)``.
@discardableResult
public func withCassette<Result>(
  _ name: String? = nil, case value: String? = nil, over transport: any EventStreamTransport,
  plan: ChunkBoundaryPlan = .recorded, matching: RequestMatching = .all,
  redaction: RedactionRules? = .standard, record: RecordMode? = nil, fileID: StaticString = #fileID,
  filePath: StaticString = #filePath, function: StaticString = #function, line: UInt = #line,
  column: UInt = #column, _ body: (EventSourceEnvironment) async throws -> Result
) async throws -> Result {
  let run = try await runOnCassette(
    name, case: value, over: transport, plan: plan, matching: matching, redaction: redaction, record: record,
    fileID: "\(fileID)", filePath: "\(filePath)", function: "\(function)", body)
  if let message = run.failure {
    TestFailure(fileID: fileID, filePath: filePath, line: line, column: column).report(message)
  }
  return run.result
}
