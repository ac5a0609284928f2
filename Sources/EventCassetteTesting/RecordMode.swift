// Whether a test may write cassettes and golden files. Argument over scope over environment, so that one call, one suite or one run
// can be told; a run that wrote anything has failed, so nobody commits a recording that was never compared.

import Foundation

/// When cassettes and golden files are written.
public enum RecordMode: String, Hashable, Sendable, CaseIterable {
  /// Never: a missing file is a failure.
  case never
  /// Where there is none.
  case missing
  /// Always, over what is there.
  case all

  /// The mode of the present scope, if one was set with `withRecordMode` or the trait.
  @TaskLocal static var scoped: RecordMode?

  /// The mode that an environment asks for: `never` where `CI` is set, else what `WIRETAPE_RECORD` says (`never`,
  /// `missing` or `all`), else `missing`. A word it doesn't know counts as `never`, for that writes nothing.
  public static func mode(in environment: [String: String]) -> RecordMode {
    if let ci = environment["CI"], !ci.isEmpty, ci != "false", ci != "0" { return .never }
    guard let word = environment["WIRETAPE_RECORD"], !word.isEmpty else { return .missing }
    return RecordMode(rawValue: word) ?? .never
  }

  static func effective(_ argument: RecordMode?) -> RecordMode {
    argument ?? scoped ?? mode(in: ProcessInfo.processInfo.environment)
  }

  /// Why the effective mode is `never`, and what to do about it.
  static func reasonForNever(_ argument: RecordMode?) -> String {
    (argument ?? scoped) == nil
      ? reasonForNever(in: ProcessInfo.processInfo.environment) : "the test’s own record mode is never"
  }

  static func reasonForNever(in environment: [String: String]) -> String {
    if let ci = environment["CI"], mode(in: ["CI": ci]) == .never {
      return "CI is set; run it where it isn’t"
    }
    let word = environment["WIRETAPE_RECORD"] ?? ""
    return RecordMode(rawValue: word) == .never
      ? "WIRETAPE_RECORD is never" : "WIRETAPE_RECORD is ‘\(word)’, but must be never, missing or all"
  }
}

/// Sets the record mode for everything that is checked inside.
public func withRecordMode<Result>(_ mode: RecordMode, _ body: () throws -> Result) rethrows -> Result {
  try RecordMode.$scoped.withValue(mode, operation: body)
}

/// Sets the record mode for everything that is checked inside.
public func withRecordMode<Result>(
  _ mode: RecordMode, _ body: () async throws -> Result
) async rethrows -> Result {
  try await RecordMode.$scoped.withValue(mode, operation: body)
}
