// The tool's exit codes: a contract with scripts. They keep to sysexits.h where it has one that fits.

/// What the tool tells its caller.
public enum ExitCode: Int32, Hashable, Sendable, CaseIterable {
  /// All went well.
  case success = 0
  /// A check failed, or cassettes differ.
  case finding = 1
  /// The command line makes no sense (`EX_USAGE`).
  case usage = 64
  /// The input is damaged, or no such thing at all (`EX_DATAERR`).
  case badData = 65
  /// The input doesn't exist, can't be opened, or is a folder (`EX_NOINPUT`).
  case noInput = 66
  /// The server can't be reached, or gave an answer that ends everything; or there is no Swift toolchain that builds fuzz
  /// targets, or a subject doesn't run (`EX_UNAVAILABLE`).
  case unavailable = 69
  /// The output can't be made: it exists, is in use, or has no folder (`EX_CANTCREAT`).
  case cannotCreate = 73
  /// Reading or writing failed on the way: a full disk; or the system allows too few files or too little memory
  /// (`EX_IOERR`).
  case ioError = 74
  /// Interrupted before anything was recorded, or a subject was checked (128 + SIGINT).
  case interrupted = 130

  /// One line for help.
  var meaning: String {
    switch self {
    case .success: "fine"
    case .finding: "a finding: a check failed, cassettes differ"
    case .usage: "usage"
    case .badData: "bad data"
    case .noInput: "no such input, or a folder"
    case .unavailable: "server unreachable, a fatal answer, no usable toolchain or subject"
    case .cannotCreate: "can’t create the output: it exists, is in use, has no folder"
    case .ioError: "I/O error, such as a full disk, or a system’s limit that is too low"
    case .interrupted: "interrupted before anything was recorded or checked"
    }
  }
}
