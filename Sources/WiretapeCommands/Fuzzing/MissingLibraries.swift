// The system's libraries that a linker didn't find, read off the log of a build. Fuzz targets are linked statically on
// Linux: then FoundationNetworking wants libcurl, which a shared build has no need for. Pure: text in, text out.

/// Libraries that a build lacks.
struct MissingLibraries {
  /// Their names as the linker has them, such as `curl`, each once, in order.
  let names: [String]

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
    return "Install the development files of \(names.map { "lib" + $0 }.joined(separator: ", "))\(hint)."
  }

  /// What Swift's own libraries are linked with.
  private static let packages = [
    "curl": "libcurl4-openssl-dev", "xml2": "libxml2-dev", "z": "zlib1g-dev",
  ]
}
