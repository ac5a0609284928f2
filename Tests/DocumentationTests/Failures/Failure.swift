// One row of the tables of failures: what goes wrong, and the words that a user reads then.

import Foundation
import ScratchFolders
import Testing

/// An error or a finding that a user can meet.
struct Failure: CustomTestStringConvertible, Sendable {
  /// The type and its code, as `CassetteError.damaged`; just the type where it has no codes.
  let name: String
  /// What the user did.
  let input: String
  /// What the user reads: what happened, where, and what to do next. Paths are below `FOLDER`.
  let message: String
  /// Does it: throws the error, or returns what it says.
  let cause: @Sendable (ScratchFolder) async throws -> String

  init(
    _ name: String, _ input: String, _ message: String,
    _ cause: @escaping @Sendable (ScratchFolder) async throws -> String
  ) {
    self.name = name
    self.input = input
    self.message = message
    self.cause = cause
  }

  var testDescription: String { "\(name): \(input)" }

  /// Every row, library by library.
  static let all = client + app + cassettes + replay + server + tests + fuzzing
}

/// The row's input went through without an error.
struct NothingFailed: Error {}
