// Which exit code and advice each library's error becomes. One place, so that the contract can be read off it.

extension CommandError {
  /// What to tell the user about any error that came out of a verb.
  init(explaining error: any Error) {
    switch error {
    case let error as CommandError: self = error
    default:
      self.init(.ioError, "\(error)", next: "")
    }
  }
}
