// Every way in which the verbs of `fuzz` give up before anything is built.

@testable import WiretapeCommands

extension CommandFailure {
  static let fuzzing = [
    CommandFailure(["fuzz"], .usage, ""),
    CommandFailure(["fuzz", "runn"], .usage, ""),
    CommandFailure(["fuzz", "run", "--max-time", "90"], .usage, ""),
    CommandFailure(["fuzz", "run", "--path", ""], .usage, ""),
    CommandFailure(["fuzz", "run", "--path", "FOLDER"], .noInput, ""),
    CommandFailure(
      ["fuzz", "run", "--path", "FOLDER", "--max-time", "90s", "--overnight", "8h"], .usage, ""),
    CommandFailure(["fuzz", "run", "FuzzOrder", "--path", "FOLDER/targets"], .usage, ""),
    CommandFailure(["fuzz", "tmin", "FOLDER/none", "--path", "FOLDER/targets"], .noInput, ""),
    CommandFailure(["fuzz", "cmin", "--path", "FOLDER/targets"], .usage, ""),
    CommandFailure(["fuzz", "cmin", "FuzzOrders", "--path", "FOLDER/targets"], .noInput, ""),
    CommandFailure(["fuzz", "to-cassette", "FOLDER/stream.txt", "--name", "1st"], .usage, ""),
    CommandFailure(["fuzz", "init", "--path", "FOLDER"], .noInput, ""),
  ]
}
