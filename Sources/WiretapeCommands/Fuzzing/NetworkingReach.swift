// Whether a library brings FoundationNetworking along. Its build then wants libcurl's development files on Linux, where
// fuzz targets are linked statically, and says so only after minutes: better to know before.

import Foundation

/// Why a library's program links FoundationNetworking.
struct NetworkingReach: Equatable {
  /// Such as `EventSourceURLSession`, or the path of a source that imports it.
  var reason: String

  /// Products of Wiretape that import it.
  private static let products: Set = ["EventSourceURLSession", "EventCassetteURLSession"]

  /// Looks at the targets of a library and those they are made of, as far as they are in the package in a folder. `nil` if
  /// nothing there leads to it; what other packages do isn't known.
  init?(of library: PackageManifest.Library, in manifest: PackageManifest, folder: String) {
    var left = library.modules
    var seen: Set<String> = []
    while let name = left.popLast() {
      guard seen.insert(name).inserted, let target = manifest.targets.first(where: { $0.name == name }) else {
        continue
      }
      if let product = target.dependencies.first(where: Self.products.contains) {
        reason = product
        return
      }
      if let source = Self.importing("FoundationNetworking", in: "\(folder)/\(target.path)") {
        reason = source
        return
      }
      left += target.dependencies
    }
    return nil
  }

  private static func importing(_ module: String, in folder: String) -> String? {
    SwiftSource.all(below: folder).first { source in
      source.lines.contains { $0.split(whereSeparator: \.isWhitespace).suffix(2) == ["import", module[...]] }
    }.map { shownPath($0.path) }
  }

  /// What to say to someone who begins, where the linker doesn't find libcurl; nothing where it does, or isn't there to ask.
  func warning(of product: String, with toolchain: Toolchain) async throws -> [String] {
    #if os(Linux)
      guard let clang = toolchain.optionalTool("clang") else { return [] }
      for file in ["libcurl.so", "libcurl.a"] {
        // A whole path if it is found, the bare name if not.
        let place = try await Toolchain.output(of: clang, ["-print-file-name=\(file)"])
        if place.contains("/") { return [] }
      }
      return [
        "note: \(product) reaches FoundationNetworking (\(reason)), and a fuzz target that does",
        "  needs the development files of libcurl, which the linker doesn’t find here.",
        "  \(MissingLibraries(names: ["curl"]).advice)",
      ]
    #else
      return []
    #endif
  }
}
