// A test's client on its cassette: played where there is one, recorded over the real transport where there is none.
// Which transport that is the test says; nothing here knows of a network.

public import EventCassettes
import Foundation
public import ServerSentEvents

/// What became of a client's run on a cassette.
public struct CassetteRun<Result> {
  /// What the run gave.
  public var result: Result
  /// The cassette's path.
  public var cassette: String
  /// Whether it was recorded in this run. The run has failed then.
  public var isRecorded: Bool
  /// What failed, with the next step, for people; `nil` if nothing did.
  public var failure: String?
}

/// Runs a client on a cassette: on virtual time where there is one; else over a real transport, which is recorded.
///
/// Parameters as in ``withCassette(_:case:over:plan:matching:redaction:record:fileID:filePath:function:line:column:_:)``,
/// which fails the test where this one gives a failure.
///
/// - Throws: what the body throws, unless the cassette did not fit; `ReplayMismatch` then. An error that names the place
///   where there is no cassette and none may be recorded, or where recording it came to nothing.
public func runOnCassette<Result>(
  _ name: String? = nil, case value: String? = nil, over transport: any EventStreamTransport,
  plan: ChunkBoundaryPlan = .recorded, matching: RequestMatching = .all,
  redaction: RedactionRules? = .standard, record: RecordMode? = nil, fileID: String = #fileID,
  filePath: String = #filePath, function: String = #function,
  _ body: (EventSourceEnvironment) async throws -> Result
) async throws -> CassetteRun<Result> {
  let name = name ?? CassetteName.automatic(fileID: fileID, function: function, case: value)
  let mode = RecordMode.effective(record)
  var found: String?
  do {
    found = try CassetteLocation.path(of: name, besideTest: filePath)
  } catch {
    if mode == .never {
      throw CassetteNotFound(
        name: error.name, looked: error.looked, advice: .toRecord(because: RecordMode.reasonForNever(record)))
    }
  }
  if let found, mode != .all {
    return try await playCassette(found, plan, matching, body)
  }
  let place = try CassetteLocation.placeToRecord(name, besideTest: filePath)
  return try await recordCassette(place, transport, redaction, body)
}

private func playCassette<Result>(
  _ path: String, _ plan: ChunkBoundaryPlan, _ matching: RequestMatching,
  _ body: (EventSourceEnvironment) async throws -> Result
) async throws -> CassetteRun<Result> {
  let clock = VirtualClock(advancesItself: true)
  let transport = ReplayTransport(
    try Cassette(contentsOf: path), name: path, plan: plan, clock: clock, matching: matching)
  let result: Result
  do {
    result = try await body(EventSourceEnvironment(transport: transport, clock: clock))
  } catch {
    // What follows from a request that the cassette has no answer for says less than that.
    if let mismatch = await transport.mismatches.first { throw mismatch }
    throw error
  }
  let mismatches = await transport.mismatches.map { "\n  \($0)" }.joined()
  return CassetteRun(
    result: result, cassette: path, isRecorded: false,
    failure: mismatches.isEmpty ? nil : "the cassette has no answer for what was asked:" + mismatches)
}

private func recordCassette<Result>(
  _ path: String, _ transport: any EventStreamTransport, _ redaction: RedactionRules?,
  _ body: (EventSourceEnvironment) async throws -> Result
) async throws -> CassetteRun<Result> {
  try RecordedPlaces.shared.claim(path)
  let header = Cassette.Header(
    recorder: "EventCassetteTesting", recordedAt: Cassette.Header.timestampNow())
  let recording = try CassetteRecording(inMemory: header, redaction: redaction)
  let client = FirstAnswerTransport(around: recording.transport(around: transport, recordingFirst: true))
  let result: Result
  do {
    result = try await body(EventSourceEnvironment(transport: client))
  } catch {
    // What follows from a server that isn't there says less than that.
    if let connection = client.noAnswer { throw NothingRecorded(path: path, unanswered: connection) }
    throw error
  }
  try await recording.finish()
  // Only what came to something replaces what may be there.
  let bytes = await recording.bytes
  let cassette = try Cassette(bytes: bytes)
  guard cassette.exchanges.contains(where: { $0.response != nil }) else {
    throw NothingRecorded(path: path, unanswered: client.noAnswer)
  }
  let place = URL(fileURLWithPath: path)
  try FileManager.default.createDirectory(
    at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
  try Data(bytes).write(to: place, options: .atomic)
  // What was recorded is for its owner alone, until he has looked at it.
  try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
  return CassetteRun(
    result: result, cassette: path, isRecorded: true,
    failure: FailureMessage(path: path, cassette: cassette).recorded())
}

/// A recording that came to nothing.
struct NothingRecorded: Error, CustomStringConvertible {
  let path: String
  /// The connection that nobody answered; none where nothing connected.
  let unanswered: FirstAnswerTransport.NoAnswer?

  var description: String {
    guard let unanswered else {
      return
        "no cassette was recorded, for nothing connected through the environment’s transport; \(path) is as it was"
    }
    return
      "no cassette was recorded, for no answer came from \(unanswered.url) (\(unanswered.reason)); \(path) is as it was. "
      + "Start the server, and run the test again"
  }
}

/// The places that this run of the tests has recorded: two recordings in one place are a mistake, for the second one
/// would go unseen over the first.
final class RecordedPlaces: Sendable {
  static let shared = RecordedPlaces()

  private let paths = Locked<Set<String>>([])

  func claim(_ path: String) throws {
    guard paths.withLock({ $0.insert(path.lowercased()).inserted }) else {
      throw PlaceTaken(path: path)
    }
  }

  struct PlaceTaken: Error, CustomStringConvertible {
    let path: String

    var description: String {
      "\(path) was already recorded in this run: give each test a name of its own, and each case of a test a `case:`"
    }
  }
}
