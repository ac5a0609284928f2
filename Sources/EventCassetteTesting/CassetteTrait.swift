// Swift Testing's way to say what a test or a suite works on: the cassette is read once, before the test, and is there
// as `Cassette.current`; a missing or damaged one fails the test before its body runs.

#if canImport(Testing)
  public import EventCassettes
  public import Testing

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

    let name: String
    let record: RecordMode?
    let filePath: String

    /// Traits of a suite hold for each of its tests.
    public var isRecursive: Bool { true }

    /// Reads the cassette, and runs the test with it.
    @concurrent public func provideScope(
      for test: Test, testCase: Test.Case?, performing function: @Sendable @concurrent () async throws -> Void
    ) async throws {
      // A suite itself runs nothing; its tests each come here.
      guard testCase != nil else { return try await function() }
      let cassette = try Cassette(contentsOf: CassetteLocation.path(of: name, besideTest: filePath))
      try await Self.$current.withValue(cassette) {
        guard let record else { return try await function() }
        try await RecordMode.$scoped.withValue(record) { try await function() }
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
    ) -> Self { CassetteTrait(name: name, record: record, filePath: filePath) }
  }
#endif
