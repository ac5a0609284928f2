// Which exit code and advice each library's error becomes. One place, so that the contract can be read off it.

import ChildProcesses
import EventCassetteServer
import EventCassettes

extension CommandError {
  /// What to tell the user about any error that came out of a verb.
  init(explaining error: any Error) {
    switch error {
    case let error as CommandError: self = error
    case let error as CassetteError: self = Self.explain(error)
    case let error as ChildProcessError: self = Self.explain(error)
    case let error as LoopbackServerError: self.init(.cannotCreate, error.description, next: "")
    case let error as CassetteServerError:
      let isOfTheCassette = error.code == .notResumable || error.code == .noExchanges
      self.init(isOfTheCassette ? .badData : .usage, error.description, next: "")
    case let error as RecordingProxyError: self.init(.usage, error.description, next: "")
    case let error as UsageProblem:
      self.init(.usage, error.message, next: "“wiretape help” shows what there is.")
    default: self.init(.ioError, "\(error)", next: "")
    }
  }

  private static func explain(_ error: ChildProcessError) -> CommandError {
    switch error {
    case .cannotStart(let program, let reason):
      CommandError(
        .unavailable, "\(program): it can’t be run: \(reason)",
        next: "Check that it is there and may be run.")
    case .cannotWriteLog(let log):
      CommandError(.cannotCreate, "\(log): the log can’t be written", next: "Check the folder and the disk.")
    }
  }

  /// The same for a cassette that goes on being what it was when writing failed.
  init(keeping error: CassetteError) {
    self.init(explaining: error)
    if error.code == .noSpace || error.code == .inputOutput, let file = error.file, exists(file) {
      next = "What was written until then is kept, and can be read."
    }
  }

  // What can be done with the tool takes the place of what can be done with the library.
  private static func explain(_ error: CassetteError) -> CommandError {
    let text = error.locatedMessage
    switch error.code {
    case .noSuchFile: return CommandError(.noInput, text, next: "Check the name and the folder.")
    case .isFolder: return CommandError(.noInput, text, next: "")
    case .notACassette:
      return CommandError(
        .badData, text,
        next: "“wiretape record” makes cassettes; “wiretape parse” reads raw event-stream bytes.")
    case .unknownFormat: return CommandError(.badData, text, next: "A newer wiretape may read it.")
    case .damaged, .outOfOrder, .totalsDiffer: return CommandError(.badData, text, next: damagedAdvice)
    case .overLimit:
      let advice = "“wiretape trim” takes a part of it; “wiretape check --memory” allows more."
      return CommandError(.badData, text, next: error.place == nil ? advice : damagedAdvice)
    case .unreadable: return CommandError(.noInput, text, next: "Give a file or a pipe that you may read.")
    case .exists:
      if let file = error.file, isFolder(file) {
        return CommandError(
          .cannotCreate, "\(file): this is a folder",
          next: "Name a file in it, such as \(file)/events.cassette.")
      }
      return CommandError(.cannotCreate, text, next: "--force overwrites it.")
    case .inUse, .cannotOpen: return CommandError(.cannotCreate, text, next: "")
    case .noSpace: return CommandError(.ioError, text, next: "Make room, or write elsewhere.")
    case .removed: return CommandError(.ioError, text, next: "Record again, into a folder that stays.")
    case .notImportable:
      return CommandError(.badData, text, next: "“wiretape help import” lists the formats it reads.")
    case .badRule: return CommandError(.usage, text, next: "")
    case .inputOutput: return CommandError(.ioError, text, next: "Look after the disk and the permissions.")
    default: return CommandError(.ioError, error.description, next: "")
    }
  }

  /// What helps with a damaged cassette, as far as the tool has it.
  private static var damagedAdvice: String {
    Verb.all.contains { $0.name == "recover" }
      ? "“wiretape recover FILE -o NEW” keeps every record before the fault."
      : "Use another copy of the file."
  }
}

/// Adds the file's name to an error about what was read from it.
func naming<Result>(
  _ file: String, _ body: () throws(CassetteError) -> Result
) throws(CassetteError) -> Result {
  do { return try body() } catch {
    var error = error
    error.file = error.file ?? file
    throw error
  }
}
