// The options of the program: a table's worth of parsing, where a mistake is said and not passed over.

import Foundation

/// What the program was asked to do.
struct Options {
  var filter = ""
  var isJSON = false
  var megabytes = 16
  /// A folder of recorded streams.
  var streams: String?
  /// Tables of the same work at 1, 4, 16 and 64 times the size, in place of the ratios.
  var isGrowth = false
  var isHelp = false

  static let usage = """
    usage: wiretape-benchmarks [--filter TEXT] [--json] [--megabytes N] [--streams DIR] [--growth]

      --filter TEXT    only benchmarks whose name, input and chunk size, joined by blanks, contain TEXT
      --json           one JSON object a line
      --megabytes N    size of the generated inputs, 1 to 1024 (default 16)
      --streams DIR    parser and cassettes on each file of the folder, repeated to that size, too
      --growth         the same work at 1, 4, 16 and 64 times the size: time for each byte and memory
    """

  /// What is wrong with the arguments, and what would be right.
  struct Mistake: Error {
    let message: String
  }

  init(_ arguments: [String]) throws(Mistake) {
    var rest = arguments[...]
    while let option = rest.popFirst() {
      func value() throws(Mistake) -> String {
        guard let value = rest.popFirst() else { throw Mistake(message: "\(option) needs a value") }
        return value
      }
      switch option {
      case "--filter": filter = try value()
      case "--json": isJSON = true
      case "--growth": isGrowth = true
      case "--help", "-h": isHelp = true
      case "--streams": streams = try value()
      case "--megabytes":
        let text = try value()
        guard let number = Int(text), (1...1024).contains(number) else {
          throw Mistake(message: "--megabytes needs a whole number from 1 to 1024, not \(text)")
        }
        megabytes = number
      default: throw Mistake(message: "there is no option \(option)")
      }
    }
  }

  /// Whether a benchmark is wanted.
  func includes(_ name: String, _ input: String, _ chunkBytes: Int) -> Bool {
    filter.isEmpty || "\(name) \(input) \(chunkBytes)".contains(filter)
  }
}

/// Prints a line at once, so that a table in a file grows as it is made.
func say(_ line: String) {
  FileHandle.standardOutput.write(Data((line + "\n").utf8))
}
