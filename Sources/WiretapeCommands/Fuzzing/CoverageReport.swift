// Which regions of the source the inputs of a corpus reach, out of what `llvm-cov export` prints. Pure: JSON in,
// numbers and places out. Foundation is imported for JSON.

import Foundation

/// The coverage of source files.
struct CoverageReport: Equatable {
  /// A stretch of source.
  struct Region: Hashable, Comparable {
    var line: Int
    var column: Int
    var endLine: Int
    var endColumn: Int

    static func < (a: Self, b: Self) -> Bool { (a.line, a.column) < (b.line, b.column) }

    func contains(_ other: Self) -> Bool {
      (line, column) <= (other.line, other.column) && (other.endLine, other.endColumn) <= (endLine, endColumn)
    }
  }

  /// One source file.
  struct File: Equatable {
    var path: String
    var regions: Int
    var coveredRegions: Int
    var lines: Int
    var coveredLines: Int
    /// What was never run, without regions that lie in another one.
    var uncovered: [Region]
  }

  var files: [File]

  /// Reads what `llvm-cov export` printed.
  ///
  /// - Parameter isWanted: says of a path whether the file belongs in the report.
  init(json: Data, where isWanted: (String) -> Bool) throws {
    let export = try JSONDecoder().decode(Export.self, from: json)
    // A generic function stands there once for each of its forms: reached in one is reached.
    var counts: [String: [Region: Int]] = [:]
    for function in export.data.flatMap(\.functions) {
      for numbers in function.regions where numbers.count >= 8 && numbers[7] == 0 {
        guard numbers[5] < function.filenames.count else { continue }
        let file = function.filenames[numbers[5]]
        guard isWanted(file) else { continue }
        let region = Region(line: numbers[0], column: numbers[1], endLine: numbers[2], endColumn: numbers[3])
        counts[file, default: [:]][region, default: 0] += numbers[4]
      }
    }
    files = export.data.flatMap(\.files).filter { isWanted($0.filename) }.map { file in
      let regions = counts[file.filename] ?? [:]
      let never = regions.filter { $0.value == 0 }.keys.sorted()
      return File(
        path: file.filename, regions: regions.count, coveredRegions: regions.count - never.count,
        lines: file.summary.lines.count, coveredLines: file.summary.lines.covered,
        uncovered: never.filter { region in !never.contains { $0 != region && $0.contains(region) } })
    }
    .sorted { $0.path < $1.path }
  }

  /// Regions that were run, and all there are.
  var total: (covered: Int, all: Int) {
    files.reduce((0, 0)) { ($0.0 + $1.coveredRegions, $0.1 + $1.regions) }
  }
}

/// `98.4 %`.
func percentage(_ part: Int, of all: Int) -> String {
  guard all > 0 else { return "–" }
  let tenths = part * 1000 / all
  return "\(tenths / 10).\(tenths % 10) %"
}

// What llvm-cov prints, as far as it is read.

private struct Export: Decodable {
  struct Part: Decodable {
    var files: [File]
    var functions: [Function]
  }
  struct File: Decodable {
    struct Summary: Decodable {
      struct Count: Decodable {
        var count: Int
        var covered: Int
      }
      var lines: Count
    }
    var filename: String
    var summary: Summary
  }
  struct Function: Decodable {
    var filenames: [String]
    /// Line, column, end line, end column, count, file, expanded file, kind (0 for code).
    var regions: [[Int]]
  }
  var data: [Part]
}
