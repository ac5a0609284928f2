// Swift Testing's way to say what a test or a suite works on: the cassette is read once, before the test, and is there
// as `Cassette.current`; a missing or damaged one fails the test before its body runs, unless the trait knows what to
// record a missing one from.

#if canImport(Testing)
  public import EventCassettes
  public import ServerSentEvents
  public import Testing

  extension EventSourceEnvironment {
    /// What the client of the running test must use if its trait is `.cassette("name", over: transport)`: the transport and
    /// the clock that play the cassette, or those that record it.
    public static var current: EventSourceEnvironment? { CassetteTrait.environment }
  }

  extension Cassette {
    /// The cassette of the running test's `.cassette("name")` trait, if it has one.
    public static var current: Cassette? { CassetteTrait.current }
  }

  /// Gives a test its cassette, and a record mode.
  ///
  /// ```swift
  /// @Test(.cassette("order-status"))
  /// func orders() throws {
  ///   let cassette = try #require(Cassette.current)
  ///   …
  /// }
  /// ```
  public struct CassetteTrait: TestTrait, SuiteTrait, TestScoping {
    @TaskLocal static var current: Cassette?
    @TaskLocal static var environment: EventSourceEnvironment?

    let name: String
    let record: RecordMode?
    /// What a missing cassette is recorded from, and where the failure of that is shown.
    let recording: (transport: any EventStreamTransport, plan: ChunkBoundaryPlan, location: SourceLocation)?
    let filePath: String

    /// Traits of a suite hold for each of its tests.
    public var isRecursive: Bool { true }

    /// Reads the cassette, and runs the test with it; or runs the test while it is recorded.
    @concurrent public func provideScope(
      for test: Test, testCase: Test.Case?, performing function: @Sendable @concurrent () async throws -> Void
    ) async throws {
      // A suite itself runs nothing; its tests each come here.
      guard testCase != nil else { return try await function() }
      guard let record else { return try await run(function) }
      try await RecordMode.$scoped.withValue(record) { try await run(function) }
    }

    private func run(_ function: @Sendable @concurrent () async throws -> Void) async throws {
      guard let recording else {
        let path: String
        do { path = try CassetteLocation.path(of: name, besideTest: filePath) } catch {
          throw CassetteNotFound(name: error.name, looked: error.looked, advice: .trait)
        }
        return try await Self.$current.withValue(try Cassette(contentsOf: path)) { try await function() }
      }
      let run = try await runOnCassette(
        name, over: recording.transport, plan: recording.plan, filePath: filePath
      ) { environment in
        // There is none yet while it is recorded.
        let isPlayed = environment.transport is ReplayTransport
        let cassette =
          isPlayed
          ? try Cassette(contentsOf: CassetteLocation.path(of: name, besideTest: filePath)) : nil
        try await Self.$current.withValue(cassette) {
          try await Self.$environment.withValue(environment) { try await function() }
        }
      }
      if let message = run.failure {
        Issue.record(Comment(rawValue: message), sourceLocation: recording.location)
      }
    }
  }

  extension Trait where Self == CassetteTrait {
    /// The test works on this cassette: see ``CassetteTrait``.
    ///
    /// - Parameters:
    ///   - name: the cassette, beside the test's source as for ``assertReplays(_:options:replay:record:fileID:filePath:line:column:)``.
    ///   - record: when files are written in the test; `nil` leaves it to the environment.
    ///   - filePath: the test's source.
    public static func cassette(
      _ name: String, record: RecordMode? = nil, filePath: String = #filePath
    ) -> Self { CassetteTrait(name: name, record: record, recording: nil, filePath: filePath) }

    /// The test's client plays this cassette; where there is none it runs over a real transport, which is recorded, and
    /// the test fails, saying where that was written. The client must use `EventSourceEnvironment.current`.
    ///
    /// ```swift
    /// @Test(.cassette("Cassettes/orders", over: URLSessionEventStreamTransport()))
    /// func orders() async throws {
    ///   let environment = try #require(EventSourceEnvironment.current)
    ///   for try await event in EventSource(EventStreamRequest(url: "https://…"), environment: environment) { … }
    /// }
    /// ```
    ///
    /// It is ``withCassette(_:case:over:plan:matching:redaction:record:fileID:filePath:function:line:column:_:)`` around the
    /// whole test. `Cassette.current` is there only when the cassette is played. Each case of a parameterised test would
    /// record the same place, which is refused: there, call that function with a `case:`.
    ///
    /// - Parameters:
    ///   - name: the cassette, beside the test's source.
    ///   - transport: what asks the real server when it is recorded.
    ///   - plan: where bodies are cut when it is played.
    ///   - record: when it is recorded; `nil` leaves it to the environment (`WIRETAPE_RECORD`, `CI`).
    ///   - filePath: the test's source.
    ///   - sourceLocation: where the failure is shown.
    public static func cassette(
      _ name: String, over transport: any EventStreamTransport, plan: ChunkBoundaryPlan = .recorded,
      record: RecordMode? = nil, filePath: String = #filePath,
      sourceLocation: SourceLocation = #_sourceLocation
    ) -> Self {
      CassetteTrait(
        name: name, record: record, recording: (transport, plan, sourceLocation), filePath: filePath)
    }
  }
#endif
