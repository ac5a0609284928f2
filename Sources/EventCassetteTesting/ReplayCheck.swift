// The checks themselves, apart from any test framework: they find, read, compare, write golden files where that is
// asked for, and give a result whose message is ready to be shown.

public import EventCassettes
import Foundation
public import ServerSentEvents

/// The result of a check.
public struct ReplayCheck: Sendable {
  /// What failed, with the next step, for people; `nil` if nothing did.
  public var failure: String?
  /// The cassette's path; `nil` if none was found.
  public var cassette: String?
  /// What the check of the cassette said, if it came that far. `nil` for checks of another parser.
  public var report: CassetteVerifier.Report?
  /// What the chunkings gave, if it came that far.
  public var chunking: ChunkingReport?
  /// The golden file that was written, if one was. The check has failed then.
  public var recorded: String?
  /// A failing stream made as small as could be, with a test function for it; for checks of another parser.
  public var reproduction: Reproduction?
  /// The test function, for XCTest; it calls the parser as the check was given it.
  public var reproductionTest: String?

  /// Whether nothing failed.
  public var passed: Bool { failure == nil }
}

extension CheckOptions {
  /// What tests use unless told otherwise: all plans, with a budget of 4 MiB, for tests are mostly built without
  /// optimization, where that is a second or so.
  public static let testing = CheckOptions(budget: 4 << 20)
}

/// Replays a cassette through our parser and client under all plans, and compares its events with the golden file
/// beside it (`x.events.jsonl`).
///
/// - Parameters:
///   - name: the cassette, beside the test's source: `"order-status"` is `order-status.cassette` or
///     `Cassettes/order-status.cassette` there. Folders and absolute paths are fine.
///   - options: the plans and the budget.
///   - replay: the client's settings.
///   - record: when the golden file is written; `nil` for what the scope or the environment says.
///   - filePath: the test's source.
public func checkReplay(
  _ name: String, options: CheckOptions = .testing, replay: ReplayOptions = ReplayOptions(),
  record: RecordMode? = nil, filePath: String = #filePath
) -> ReplayCheck {
  var result = ReplayCheck()
  do {
    let path = try CassetteLocation.path(of: name, besideTest: filePath)
    result.cassette = path
    let cassette = try Cassette(contentsOf: path)
    let goldenPath = GoldenFile.path(forCassette: path)
    let mode = RecordMode.effective(record)
    let golden = mode == .all ? nil : try goldenEvents(at: goldenPath)
    let report = try CassetteVerifier.check(cassette, golden: golden, options: options, replay: replay)
    result.report = report
    result.chunking = report.chunking
    let message = FailureMessage(path: path, cassette: cassette)
    if let finding = report.finding {
      result.failure = message.split(finding, rerun: message.command(finding.split))
    } else if let difference = report.goldenDifference {
      result.failure = message.golden(difference, path: goldenPath)
    } else if !report.passed {
      result.failure = message.client(report.replayFindings)
    } else if golden == nil {
      guard mode != .never else {
        result.failure = message.noGolden(goldenPath, RecordMode.reasonForNever(record))
        return result
      }
      guard report.isFinished else {
        result.failure = message.unfinished()
        return result
      }
      try Data(GoldenFile.bytes(of: report.events)).write(
        to: URL(fileURLWithPath: goldenPath), options: .atomic)
      result.recorded = goldenPath
      result.failure = message.recorded(report.events.count, goldenPath)
    }
  } catch {
    result.failure = "\(result.cassette == nil ? "" : "\(name): ")\(error)"
  }
  return result
}

/// Puts a cassette's bodies through another parser under all plans, and compares its events with ours, each exchange as
/// a stream of its own.
///
/// - Parameters:
///   - name: the cassette, as in ``checkReplay(_:options:replay:record:filePath:)``.
///   - options: the plans and the budget.
///   - fields: what of each event is compared.
///   - filePath: the test's source.
///   - makeParser: makes the parser at the start of a stream.
public func checkReplay<Parser: EventStreamParsing>(
  _ name: String, options: CheckOptions = .testing, comparing fields: ComparedFields = .all,
  filePath: String = #filePath, with makeParser: @escaping () -> Parser
) -> ReplayCheck where Parser.Output == ServerSentEvent {
  checkParser(name, filePath, fields, makeParser) { bodies in
    ParserCheck.check(bodies, options: options, comparing: fields, makeParser: makeParser)
  }
}

/// The same for a parser that is an `Equatable` value: single splits cost less, and short streams are proved.
public func checkReplay<Parser: EventStreamParsing & Equatable>(
  _ name: String, options: CheckOptions = .testing, comparing fields: ComparedFields = .all,
  filePath: String = #filePath, with makeParser: @escaping () -> Parser
) -> ReplayCheck where Parser.Output == ServerSentEvent {
  checkParser(name, filePath, fields, makeParser) { bodies in
    ParserCheck.check(bodies, options: options, comparing: fields, makeParser: makeParser)
  }
}

/// The same for a closure: `makeFeed` makes one for each stream, that takes chunks and gives events.
public func checkReplay(
  _ name: String, options: CheckOptions = .testing, comparing fields: ComparedFields = .all,
  filePath: String = #filePath, feeding makeFeed: @escaping () -> (_ chunk: [UInt8]) -> [ServerSentEvent]
) -> ReplayCheck {
  checkReplay(name, options: options, comparing: fields, filePath: filePath) { ClosureParser(makeFeed()) }
}

private func checkParser<Parser: EventStreamParsing>(
  _ name: String, _ filePath: String, _ fields: ComparedFields, _ makeParser: @escaping () -> Parser,
  _ run: ([ExchangeBody]) -> ChunkingReport
) -> ReplayCheck where Parser.Output == ServerSentEvent {
  var result = ReplayCheck()
  do {
    let path = try CassetteLocation.path(of: name, besideTest: filePath)
    result.cassette = path
    let cassette = try Cassette(contentsOf: path)
    let bodies = cassette.bodies()
    let report = run(bodies)
    result.chunking = report
    if let finding = report.finding {
      let message = FailureMessage(path: path, cassette: cassette)
      result.reproduction =
        ParserCheck.minimized(finding, in: bodies, comparing: fields, tries: 2_000, makeParser: makeParser)?
        .reproduction
      let isClosure = Parser.self == ClosureParser.self
      result.reproductionTest = result.reproduction?.xctest(
        named: "SmallestFailure", makeParser: isClosure ? "MyParser()" : "\(Parser.self)()",
        calling: isClosure ? .feed : .eventStreamParsing)
      result.failure = message.split(
        finding, smallest: result.reproduction?.escaped, rerun: message.call(name, finding.split))
    }
  } catch {
    result.failure = "\(result.cassette == nil ? "" : "\(name): ")\(error)"
  }
  return result
}

private func goldenEvents(at path: String) throws -> [GoldenEvent]? {
  guard FileManager.default.fileExists(atPath: path) else { return nil }
  return try GoldenFile.events(in: Array(Data(contentsOf: URL(fileURLWithPath: path))))
}
