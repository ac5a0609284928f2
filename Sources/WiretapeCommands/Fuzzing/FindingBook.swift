// The findings of a target from all evenings: one entry for each fault, with the smallest input that showed it.
// Kept as a file beside the inputs, written anew at each finding, so that nothing is lost with a session that dies.
// Foundation is imported for JSON and files.

import Foundation

/// What was found about one target, by signature.
struct FindingBook {
  /// One fault, as far as signatures tell faults apart.
  struct Entry: Codable, Equatable {
    var signature: String
    var kind: FuzzFailure.Kind
    /// All of it on one line.
    var title: String
    /// The same on some lines for people: what should have held, and what came instead. Books of old have none.
    var lines: [String]?
    /// The file name of the smallest input, in the folder of the book.
    var input: String
    /// Its length.
    var bytes: Int
    /// How often it was found, over all evenings.
    var times: Int
    /// When it was found first, as on a cassette.
    var firstSeen: String
    /// When it was found last.
    var lastSeen: String
  }

  private(set) var entries: [Entry] = []
  private let folder: String

  /// Where the book is in its folder.
  static let file = "findings.json"

  /// Opens the book of a folder; an empty one where there is none.
  init(in folder: String) throws(CommandError) {
    self.folder = folder
    entries = try Self.read(folder)
  }

  private static func read(_ folder: String) throws(CommandError) -> [Entry] {
    let path = folder + "/" + file
    guard let bytes = FileManager.default.contents(atPath: path) else { return [] }
    do {
      return try JSONDecoder().decode([Entry].self, from: bytes)
    } catch {
      throw CommandError(
        .badData, "\(shownPath(path)): this is not the list of findings that it should be",
        next: "Move it away; the inputs beside it stay as they are.")
    }
  }

  /// Takes a failure in. Its input is moved to the book's folder if the fault is new, or the input smaller than the one
  /// that is there, and removed otherwise.
  ///
  /// - Returns: the entry, whether it is new, and the file name of a larger input that the one now kept took the place of.
  mutating func add(
    _ failure: FuzzFailure, input: String, log: String, at time: String
  ) throws -> (entry: Entry, isNew: Bool, replaced: String?) {
    var replaced: String?
    // Another run of the same target may have written since.
    entries = try Self.read(folder)
    let files = FileManager.default
    let name = (input as NSString).lastPathComponent
    let bytes = files.contents(atPath: input)?.count ?? 0
    let place = entries.firstIndex { $0.signature == failure.signature }
    if let place {
      entries[place].times += 1
      entries[place].lastSeen = time
      // A file that someone took away is put back.
      let isLost = !exists("\(folder)/\(entries[place].input)")
      if isLost || bytes < entries[place].bytes {
        let old = "\(folder)/\(entries[place].input)"
        entries[place].input = name
        entries[place].bytes = bytes
        entries[place].title = failure.title
        entries[place].lines = failure.lines
        try keep(input, log)
        if old != "\(folder)/\(name)" {
          if !isLost { replaced = (old as NSString).lastPathComponent }
          for path in [old, old + ".log"] { try? files.removeItem(atPath: path) }
        }
      } else if input != "\(folder)/\(entries[place].input)" {
        try? files.removeItem(atPath: input)
      }
    } else {
      entries.append(
        Entry(
          signature: failure.signature, kind: failure.kind, title: failure.title,
          lines: failure.lines, input: name, bytes: bytes, times: 1,
          firstSeen: time, lastSeen: time))
      try keep(input, log)
    }
    try save()
    return (entries[place ?? entries.count - 1], place == nil, replaced)
  }

  private func keep(_ input: String, _ log: String) throws {
    let kept = "\(folder)/\((input as NSString).lastPathComponent)"
    try copy(input, to: kept, removing: true)
    try copy(log, to: kept + ".log", removing: false)
  }

  private func copy(_ source: String, to target: String, removing: Bool) throws {
    guard source != target else { return }
    let files = FileManager.default
    try? files.removeItem(atPath: target)
    if removing {
      try files.moveItem(atPath: source, toPath: target)
    } else {
      try files.copyItem(atPath: source, toPath: target)
    }
  }

  private func save() throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    try encoder.encode(entries).write(to: URL(fileURLWithPath: folder + "/" + Self.file), options: .atomic)
  }
}
