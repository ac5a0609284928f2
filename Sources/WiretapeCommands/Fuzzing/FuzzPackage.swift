// Where the fuzz targets of a package are, and where what they need and what they leave has its place. One file knows
// the layout; `fuzz init` makes it, everything else asks here.

import Foundation

/// The nested package with the fuzz targets.
///
/// ```text
/// Package.swift
/// Corpus/seeds, Corpus/regressions    inputs to begin with; faults that were found, kept for tests
/// Fuzz/Package.swift
/// Fuzz/Sources/TARGET                 one executable each, with LLVMFuzzerTestOneInput
/// Fuzz/TARGET.dict or Fuzz/sse.dict   libFuzzer's dictionary
/// Fuzz/leaks                          what LeakSanitizer shall pass over
/// Fuzz/work/TARGET                    the corpus that grows, evening after evening
/// Fuzz/artifacts/TARGET               findings, logs and summaries
/// ```
struct FuzzPackage: Equatable {
  /// The absolute path of `Fuzz`.
  let folder: String
  /// The names of its fuzz targets, sorted.
  let targets: [String]

  /// A target that has a planted fault, to prove the set-up, ends its name so. It is run only by its name.
  static let canary = "Canary"

  /// Finds it in a folder or below it; unless one is given, from the working folder upwards.
  static func find(in given: String?) throws(CommandError) -> FuzzPackage {
    let start = URL(fileURLWithPath: given ?? FileManager.default.currentDirectoryPath).standardizedFileURL
    var place = start
    while true {
      for candidate in [place, place.appendingPathComponent("Fuzz")] {
        if let found = FuzzPackage(at: candidate) { return found }
      }
      guard given == nil, place.path != "/" else { break }
      place = place.deletingLastPathComponent()
    }
    throw CommandError(
      .noInput,
      "\(start.path): no package with fuzz targets here"
        + (given == nil ? ", nor in a folder above" : "") + ": no Fuzz/Package.swift with such a target",
      next: "“wiretape fuzz init” writes one into your package; --path says where another is.")
  }

  /// `nil` unless a package with fuzz targets is there.
  private init?(at folder: URL) {
    guard exists(folder.appendingPathComponent("Package.swift").path) else { return nil }
    let sources = folder.appendingPathComponent("Sources")
    let names = (try? FileManager.default.contentsOfDirectory(atPath: sources.path)) ?? []
    let targets = names.filter { name in
      let target = sources.appendingPathComponent(name)
      let files = (try? FileManager.default.contentsOfDirectory(atPath: target.path)) ?? []
      return files.contains { file in
        guard file.hasSuffix(".swift") else { return false }
        let text = try? String(contentsOf: target.appendingPathComponent(file), encoding: .utf8)
        return text?.contains(#"@_cdecl("LLVMFuzzerTestOneInput")"#) == true
      }
    }
    guard !targets.isEmpty else { return nil }
    self.folder = folder.path
    self.targets = targets.sorted()
  }

  /// The targets that a night goes through.
  var nightly: [String] { targets.filter { !$0.hasSuffix(Self.canary) } }

  /// The target of that name; the only one there is, unless a name is given.
  func target(_ name: String?, for verb: String) throws(CommandError) -> String {
    guard let name else {
      if nightly.count == 1 { return nightly[0] }
      throw CommandError.usage(of: verb, "TARGET is missing: one of \(targets.joined(separator: ", "))")
    }
    if targets.contains(name) { return name }
    let near = nearest(to: name, in: targets)
    throw CommandError(
      .usage, "there is no target “\(name)”" + (near.map { "; did you mean “\($0)”?" } ?? ""),
      next: targets.count == 1
        ? "There is one: \(targets[0])." : "There are \(targets.joined(separator: ", ")).")
  }

  /// The target that an artifact belongs to: given, or told by the folder that it is in, or the only one.
  func target(_ name: String?, of artifact: String, for verb: String) throws(CommandError) -> String {
    // A pattern such as crash-* names both.
    if let log = [artifact, name ?? ""].first(where: { $0.hasSuffix(".log") }) {
      throw CommandError.usage(of: verb, "give one input; \(log) is the log of one")
    }
    let place = URL(fileURLWithPath: artifact).standardizedFileURL.pathComponents
    return try target(name ?? place.dropLast().last { targets.contains($0) }, for: verb)
  }
}

extension FuzzPackage {
  /// The package around it, whose parser is fuzzed.
  var root: String { (folder as NSString).deletingLastPathComponent }
  /// Inputs to begin with, and faults that were found. A planted fault must be found without.
  func seedFolders(_ target: String) -> [String] {
    target.hasSuffix(Self.canary) ? [] : ["\(root)/Corpus/seeds", regressions].filter(isFolder)
  }
  /// Where a fault that was found is kept.
  var regressions: String { root + "/Corpus/regressions" }
  /// Everything that was found, and the last summary.
  var artifacts: String { folder + "/artifacts" }

  /// The corpus of a target that grows.
  func work(_ target: String) -> String { "\(folder)/work/\(target)" }
  /// The findings of a target, its logs and summaries.
  func artifacts(_ target: String) -> String { "\(artifacts)/\(target)" }
  /// The dictionary of a target: its own, or the one for event streams.
  func dictionary(_ target: String) -> String? {
    ["\(folder)/\(target).dict", folder + "/sse.dict"].first(where: exists)
  }
}

/// A path as people want to see it: relative where it is below the working folder.
func shownPath(_ path: String) -> String {
  let here = FileManager.default.currentDirectoryPath + "/"
  return path.hasPrefix(here) ? String(path.dropFirst(here.count)) : path
}
