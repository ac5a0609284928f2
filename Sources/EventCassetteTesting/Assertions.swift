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
