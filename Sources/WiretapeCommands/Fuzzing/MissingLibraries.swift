// The system's libraries that a linker didn't find, read off the log of a build. Fuzz targets are linked statically on
// Linux: then FoundationNetworking wants libcurl, which a shared build has no need for. Pure: text in, text out.

/// Libraries that a build lacks.
struct MissingLibraries {
  /// Their names as the linker has them, such as `curl`, each once, in order.
  let names: [String]

  init(names: [String]) { self.names = names }

  /// `nil` where the log tells of none.
  init?(in log: String) {
    var names: [String] = []
    for line in log.split(whereSeparator: \.isNewline) where line.contains("error: ") {
      guard let place = line.firstRange(of: "unable to find library -l") else { continue }
      let name = String(line[place.upperBound...].prefix { !$0.isWhitespace })
      if !name.isEmpty, !names.contains(name) { names.append(name) }
    }
    guard !names.isEmpty else { return nil }
    self.names = names
  }

  /// What to install, for people.
  var advice: String {
    let packages = names.compactMap { Self.packages[$0] }
    let hint =
      packages.isEmpty ? "" : " (Debian and Ubuntu: apt-get install \(packages.joined(separator: " ")))"
    let install =
      "Install the development files of \(names.map { "lib" + $0 }.joined(separator: ", "))\(hint)."
    guard names.contains("curl") else { return install }
    // What needs no one who may install things.
    return install
      + " Or give the parser a library product of its own that does not reach FoundationNetworking, and name it: "
      + "wiretape fuzz init --product NAME --force (which overwrites what names your parser)."
  }

  /// What Swift's own libraries are linked with.
  private static let packages = [
    "curl": "libcurl4-openssl-dev", "xml2": "libxml2-dev", "z": "zlib1g-dev",
  ]
}
