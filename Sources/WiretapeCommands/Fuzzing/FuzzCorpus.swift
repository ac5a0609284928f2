// The inputs that a run begins with. They are copied beside the run's logs, since one that fails must be taken out: as
// long as it is there no worker comes past it, and a night would be lost on a fault that is known.

import Foundation

/// The inputs of one run: the corpus that grows, and copies of the seeds.
struct FuzzCorpus: Sendable {
  /// The corpus that grows.
  let work: String
  /// Copies of the seeds; gone after the run.
  let seeds: String
  private let copies: [String]

  /// Copies the seeds; the corpus that grows stays where it is.
  init(of target: String, in package: FuzzPackage, seedsIn folder: String) throws {
    let work = package.work(target)
    try makeFolder(work)
    try self.init(
      from: package.seedFolders(target), work: work, seeds: folder + "/seeds", copies: [folder + "/seeds"])
  }

  /// Copies everything, for a run that shall change nothing.
  init(of target: String, in package: FuzzPackage, copiedTo folder: String) throws {
    let (source, work, seeds) = (package.work(target), folder + "/work", folder + "/seeds")
    try? FileManager.default.removeItem(atPath: work)
    if exists(source) {
      try FileManager.default.copyItem(atPath: source, toPath: work)
    } else {
      try makeFolder(work)
    }
    try self.init(from: package.seedFolders(target), work: work, seeds: seeds, copies: [work, seeds])
  }

  private init(from folders: [String], work: String, seeds: String, copies: [String]) throws {
    self.work = work
    self.seeds = seeds
    self.copies = copies
    let files = FileManager.default
    try? files.removeItem(atPath: seeds)
    try makeFolder(seeds)
    for source in folders {
      for name in try files.contentsOfDirectory(atPath: source) where !name.hasPrefix(".") {
        let path = source + "/" + name
        guard !isFolder(path) else { continue }
        // Two folders may have files of one name.
        try files.copyItem(atPath: path, toPath: "\(seeds)/\((source as NSString).lastPathComponent)-\(name)")
      }
    }
  }

  /// Takes an input out that fails, wherever it is.
  ///
  /// - Returns: whether it was there.
  func remove(_ input: Data) -> Bool {
    let files = FileManager.default
    var found = false
    for folder in [work, seeds] {
      for name in (try? files.contentsOfDirectory(atPath: folder)) ?? [] {
        let path = folder + "/" + name
        guard let size = (try? files.attributesOfItem(atPath: path))?[.size] as? Int else { continue }
        // libFuzzer cuts a long one off.
        guard size == input.count || (size > input.count && input.count >= 64),
          files.contents(atPath: path)?.prefix(input.count) == input
        else { continue }
        try? files.removeItem(atPath: path)
        found = true
      }
    }
    return found
  }

  /// Removes the copies.
  func removeCopies() {
    for folder in copies { try? FileManager.default.removeItem(atPath: folder) }
  }

  /// How large the growing corpus is.
  var size: FuzzSummary.Corpus {
    let files = FileManager.default
    var size = FuzzSummary.Corpus()
    for name in (try? files.contentsOfDirectory(atPath: work)) ?? [] where !name.hasPrefix(".") {
      size.files += 1
      size.bytes += (try? files.attributesOfItem(atPath: work + "/" + name))?[.size] as? Int ?? 0
    }
    return size
  }
}
