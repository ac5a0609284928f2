// Why a child process can fail to be one.

/// Why a program was not run.
package enum ChildProcessError: Error, Hashable {
  /// The system can't start it; `reason` is the system's own word.
  case cannotStart(program: String, reason: String)
  /// The file for its output can't be made.
  case cannotWriteLog(String)
}
