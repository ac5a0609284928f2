// Where a test's cassettes are: beside the test's source first, since that is what is edited, reviewed and recorded
// anew; then in the bundles, which is all that a device has.

import Foundation

/// Finds the files of tests.
enum CassetteLocation {
  static let suffix = ".cassette"
  private static let folderName = "Cassettes"

  /// The path of a cassette.
  ///
  /// The name may have folders in it and may lack the `.cassette`. It is looked for in the test file's folder, in
  /// `Cassettes` there unless the name begins with that, and among the resources of all loaded bundles; an absolute path
  /// is taken as it is.
  static func path(of name: String, besideTest testFile: String) throws(CassetteNotFound) -> String {
    let file = name.hasSuffix(suffix) ? name : name + suffix
    var looked: [String] = []
    let folder = URL(fileURLWithPath: testFile).deletingLastPathComponent()
    let places =
      file.hasPrefix("/")
      ? [URL(fileURLWithPath: file)]
      : [folder.appendingPathComponent(file)]
        + (namesFolder(file) ? [] : [folder.appendingPathComponent(folderName).appendingPathComponent(file)])
    for place in places {
      let path = place.standardizedFileURL.path
      if isFile(path) { return path }
      looked.append(path)
    }
    let base = URL(fileURLWithPath: file).lastPathComponent
    for bundle in Bundle.allBundles {
      guard let resources = bundle.resourceURL else { continue }
      for place in [file, base] {
        let path = resources.appendingPathComponent(place).standardizedFileURL.path
        if isFile(path) { return path }
      }
    }
    throw CassetteNotFound(name: name, looked: looked)
  }

  /// Where a cassette is recorded: where it is, beside the test; else in `Cassettes` beside the test where there is such
  /// a folder or the name begins with it; else beside the test's source.
  static func placeToRecord(_ name: String, besideTest testFile: String) throws(NoPlaceToRecord) -> String {
    let file = name.hasSuffix(suffix) ? name : name + suffix
    if file.hasPrefix("/") { return URL(fileURLWithPath: file).standardizedFileURL.path }
    let folder = URL(fileURLWithPath: testFile).deletingLastPathComponent()
    guard isFolder(folder.path) else { throw NoPlaceToRecord(name: name, folder: folder.path) }
    let beside = folder.appendingPathComponent(file).standardizedFileURL.path
    let cassettes = folder.appendingPathComponent(folderName)
    if isFile(beside) || namesFolder(file) || !isFolder(cassettes.path) { return beside }
    return cassettes.appendingPathComponent(file).standardizedFileURL.path
  }

  private static func namesFolder(_ file: String) -> Bool { file.hasPrefix(folderName + "/") }

  // Only in a folder is there a `.`.
  private static func isFolder(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path + "/.") }

  private static func isFile(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: path) && !isFolder(path)
  }
}

/// No cassette has the name.
struct CassetteNotFound: Error, CustomStringConvertible {
  let name: String
  let looked: [String]
  var advice = Advice.withCassette

  /// How a test comes to record one.
  enum Advice {
    case withCassette
    /// It was a trait that looked, which can't record one without a transport.
    case trait
    /// It would, but must not.
    case toRecord(because: String)
  }

  var description: String {
    let places = looked.map { "\n  " + $0 }.joined()
    func inTest(_ call: String) -> String {
      "in the test itself, with \(call) and WIRETAPE_RECORD=missing, outside CI."
    }
    let way =
      switch advice {
      case .withCassette: inTest("`withCassette`")
      case .trait: inTest("`.cassette(\"\(name)\", over: URLSessionEventStreamTransport())` for a trait")
      case .toRecord(let reason): "let the test record it, which it does not now: \(reason)."
      }
    return """
      no cassette ‘\(name)’; looked for\(places)
        and among the resources of the loaded bundles. Record one with:
        wiretape record URL -o '\(looked.first ?? name)'
        or \(way)
      """
  }
}

/// A test's source is not where the test runs, as on a device.
struct NoPlaceToRecord: Error, CustomStringConvertible {
  let name: String
  let folder: String

  var description: String {
    "no cassette ‘\(name)’, and it can't be recorded here, for there is no folder \(folder): record it where the test's "
      + "source is, such as in the simulator"
  }
}
