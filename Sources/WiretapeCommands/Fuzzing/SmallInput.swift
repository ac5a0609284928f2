// An input that fails, on its way to a person: run once more, and made small.

import Foundation

/// An input that fails, made small.
struct SmallInput: Sendable {
  let bytes: [UInt8]
  let originalCount: Int
  /// How the small one fails.
  let failure: FuzzFailure

  /// Runs a file, and makes it small if it fails.
  init(of file: String, _ target: FuzzTarget, time: Duration, _ context: CommandContext) async throws {
    var input = Array(FileManager.default.contents(atPath: file) ?? Data())
    originalCount = input.count
    guard var first = try await target.reproduce(file).failure else {
      throw CommandError(
        .badData, "\(file): it does not fail any more: there is nothing to make small or to hold",
        next: "Was the fault fixed? “wiretape fuzz run” looks for others.")
    }
    if first.isOfVariant {
      for variant in Self.variants(of: input) {
        guard let failure = try await Self.failure(of: variant, target), failure.kind == .finding,
          !failure.isOfVariant
        else { continue }
        (input, first) = (variant, failure)
        break
      }
    }
    let reducer = CrashReducer(target: target, failure: first, clock: context.clock, time: time)
    if !reducer.isPossible {
      try context.diagnostics.line(
        "a \(first.kind.rawValue) takes too long to be tried often: the input stays as it is")
    }
    bytes = try await reducer.reduced(input)
    failure = try await Self.failure(of: bytes, target) ?? first
  }

  private static func failure(of bytes: [UInt8], _ target: FuzzTarget) async throws -> FuzzFailure? {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("wiretape-\(UUID().uuidString)")
      .path
    defer { try? FileManager.default.removeItem(atPath: path) }
    try writeFile(path, overwriting: false) { write in try write(bytes) }
    return try await target.reproduce(path).failure
  }

  /// The stream with other line ends, and with a byte order mark.
  static func variants(of stream: [UInt8]) -> [[UInt8]] {
    let (lf, cr) = (UInt8(ascii: "\n"), UInt8(ascii: "\r"))
    var lines: [[UInt8]] = [[]]
    for (index, byte) in stream.enumerated() {
      if byte == lf, index > 0, stream[index - 1] == cr { continue }
      if byte == lf || byte == cr { lines.append([]) } else { lines[lines.count - 1].append(byte) }
    }
    return [[cr, lf], [cr], [lf]].map { Array(lines.joined(separator: $0)) } + [[0xEF, 0xBB, 0xBF] + stream]
  }
}

extension FuzzFailure {
  /// Whether it was not the input that failed but the same with other line ends or with a byte order mark, which an
  /// oracle made of it. That one is what a test must hold.
  fileprivate var isOfVariant: Bool {
    kind == .finding && (title.hasPrefix("lineEnds") || title.hasPrefix("byteOrderMark"))
  }
}
