// Where a test's cassettes are: beside the test's source first, since that is what is edited, reviewed and recorded
// anew; then in the bundles, which is all that a device has.

import Foundation

/// Finds the files of tests.
enum CassetteLocation {
  static let suffix = ".cassette"

  /// The path of a cassette.
  ///
  /// The name may have folders in it and may lack the `.cassette`. It is looked for in the test file's folder, in
  /// `Cassettes` there, and among the resources of all loaded bundles; an absolute path is taken as it is.
  static func path(of name: String, besideTest testFile: String) throws(CassetteNotFound) -> String {
    let file = name.hasSuffix(suffix) ? name : name + suffix
    var looked: [String] = []
    let folder = URL(fileURLWithPath: testFile).deletingLastPathComponent()
    let places =
      file.hasPrefix("/")
      ? [URL(fileURLWithPath: file)]
      : [
        folder.appendingPathComponent(file),
        folder.appendingPathComponent("Cassettes").appendingPathComponent(file),
      ]
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

  private static func isFile(_ path: String) -> Bool {
    // Only in a folder is there a `.`.
    FileManager.default.fileExists(atPath: path) && !FileManager.default.fileExists(atPath: path + "/.")
  }
}

/// No cassette has the name.
struct CassetteNotFound: Error, CustomStringConvertible {
  let name: String
  let looked: [String]

  var description: String {
    let places = looked.map { "\n  " + $0 }.joined()
    return """
      no cassette ‘\(name)’; looked for\(places)
        and among the resources of the loaded bundles. Record one with:
        wiretape record URL -o '\(looked.first ?? name)'
      """
  }
}
