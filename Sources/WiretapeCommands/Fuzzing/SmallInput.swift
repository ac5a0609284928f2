// An input that fails, on its way to a person and into a test: run once more, made small, and kept in the form in which
// it fails by itself.

import EventCassettes
import Foundation

/// An input that fails, made small.
struct SmallInput: Sendable {
  let bytes: [UInt8]
  let originalCount: Int
  /// How the small one fails.
  let failure: FuzzFailure
  /// What a person must know beyond that.
  let notes: [String]

  /// Runs a file, and makes it small if it fails.
  init(of file: String, _ target: FuzzTarget, time: Duration, _ context: CommandContext) async throws {
    var input = Array(FileManager.default.contents(atPath: file) ?? Data())
    originalCount = input.count
    guard let first = try await target.reproduce(file).failure else {
      throw CommandError(
        .badData, "\(file): it does not fail any more: there is nothing to make small or to hold",
        next: "Was the fault fixed? “wiretape fuzz run” looks for others.")
    }
    // What an oracle made of the input rather than the input, where an oracle takes it for the same fault.
    if let stream = first.stream, let failure = try await Self.failure(of: stream, target),
      failure.stream == nil, failure.signature == first.signature
    {
      input = stream
    }
    let reducer = CrashReducer(target: target, failure: first, clock: context.clock, time: time)
    if !reducer.isPossible {
      try context.diagnostics.line(
        "a \(first.kind.rawValue) takes too long to be tried often: the input stays as it is")
    }
    let small = try await reducer.reduced(input)
    let again = try await Self.failure(of: small, target)
    guard let again, !reducer.isPossible || again.signature == first.signature else {
      // Another fault than the one that was found must not take its place.
      let how = again.map { "fails in another way (\(brief($0.headline)))" } ?? "did not fail once more"
      (bytes, failure) = (input, first)
      notes = [
        "the input stays as it is: what was made of it \(how). Does the parser keep state between streams?"
      ]
      return
    }
    if let stream = again.stream, let plain = try await Self.failure(of: stream, target), plain.isAlike(again)
    {
      (bytes, failure) = (stream, plain)
      notes =
        plain.signature == again.signature
        ? []
        : [
          "kept is the stream that \(again.oracle) made of the input: it fails by itself, and \(plain.oracle) sees it"
        ]
      return
    }
    (bytes, failure) = (small, again)
    guard again.stream != nil, let form = again.form else {
      notes = []
      return
    }
    notes = [
      "the input fails only \(form): a test must run the oracles, as it does on each file of Corpus/regressions"
    ]
  }

  private static func failure(of bytes: [UInt8], _ target: FuzzTarget) async throws -> FuzzFailure? {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("wiretape-\(UUID().uuidString)")
      .path
    defer { try? FileManager.default.removeItem(atPath: path) }
    try writeFile(path, overwriting: false) { write in try write(bytes) }
    return try await target.reproduce(path).failure
  }
}

extension FuzzFailure {
  /// Whether it is one of the input as it stands in which the same is wrong as in another.
  fileprivate func isAlike(_ other: FuzzFailure) -> Bool {
    kind == .finding && stream == nil && difference == other.difference
  }
}
