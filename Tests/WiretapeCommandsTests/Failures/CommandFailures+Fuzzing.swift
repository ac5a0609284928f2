// Every way in which the verbs of `fuzz` give up before anything is built.

@testable import WiretapeCommands

extension CommandFailure {
  static let fuzzing = [
    CommandFailure(
      ["fuzz"], .usage,
      """
      wiretape fuzz: which one? init, run, list, repro, to-cassette, tmin, cmin, coverage
      “wiretape help fuzz” shows what fuzz takes.
      """),
    CommandFailure(
      ["fuzz", "runn"], .usage,
      """
      wiretape: there is no “fuzz runn”; did you mean “run”?
      “wiretape help fuzz” shows what fuzz takes.
      """),
    CommandFailure(
      ["fuzz", "run", "--max-time", "90"], .usage,
      """
      wiretape fuzz run: --max-time takes a number with its unit, such as 90s, 15m or 8h
      “wiretape help fuzz run” shows what fuzz run takes.
      """),
    CommandFailure(
      ["fuzz", "run", "--path", ""], .usage,
      """
      wiretape fuzz run: --path takes a folder, and got an empty name
      “wiretape help fuzz run” shows what fuzz run takes.
      """),
    CommandFailure(
      ["fuzz", "run", "--path", "FOLDER"], .noInput,
      """
      wiretape fuzz run: FOLDER: no package with fuzz targets here: no Fuzz/Package.swift with such a target
      “wiretape fuzz init” writes one into your package; --path says where another is.
      """),
    CommandFailure(
      ["fuzz", "run", "--path", "FOLDER", "--max-time", "90s", "--overnight", "8h"], .usage,
      """
      wiretape fuzz run: --max-time and --overnight both say how long; give one
      “wiretape help fuzz run” shows what fuzz run takes.
      """),
    CommandFailure(
      ["fuzz", "run", "FuzzOrder", "--path", "FOLDER/targets"], .usage,
      """
      wiretape fuzz run: there is no target “FuzzOrder”; did you mean “FuzzOrders”?
      There are FuzzOrders, FuzzRefunds.
      """),
    CommandFailure(
      ["fuzz", "tmin", "FOLDER/none", "--path", "FOLDER/targets"], .noInput,
      """
      wiretape fuzz tmin: FOLDER/none: there is no such file
      Check the name and the folder.
      """),
    CommandFailure(
      ["fuzz", "cmin", "--path", "FOLDER/targets"], .usage,
      """
      wiretape fuzz cmin: TARGET is missing: one of FuzzOrders, FuzzRefunds
      “wiretape help fuzz cmin” shows what fuzz cmin takes.
      """),
    CommandFailure(
      ["fuzz", "cmin", "FuzzOrders", "--path", "FOLDER/targets"], .noInput,
      """
      wiretape fuzz cmin: FOLDER/targets/Fuzz/work/FuzzOrders: there is no corpus yet
      “wiretape fuzz run” makes one.
      """),
    CommandFailure(
      ["fuzz", "to-cassette", "FOLDER/stream.txt", "--name", "1st"], .usage,
      """
      wiretape fuzz to-cassette: --name takes letters, digits and “-”, a letter first, such as split-crlf
      “wiretape help fuzz to-cassette” shows what fuzz to-cassette takes.
      """),
    CommandFailure(
      [
        "fuzz", "to-cassette", "FOLDER/stream.txt", "FOLDER/stream.txt.log", "--path", "FOLDER/targets",
      ], .usage,
      """
      wiretape fuzz to-cassette: give one input; FOLDER/stream.txt.log is the log of one
      “wiretape help fuzz to-cassette” shows what fuzz to-cassette takes.
      """),
    CommandFailure(
      ["fuzz", "init", "--path", "FOLDER"], .noInput,
      """
      wiretape fuzz init: FOLDER: there is no Package.swift here
      Go to the package with your parser, or name it: --path DIR.
      """),
  ]
}
