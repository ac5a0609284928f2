// What a package says of itself (`swift package dump-package`), as far as a fuzz package beside it must know: its name,
// its library products, where it has Wiretape from. Foundation is imported for JSON.

import Foundation

/// A package's manifest.
struct PackageManifest: Equatable {
  /// A library that other packages may import.
  struct Library: Equatable {
    var name: String
    /// Its modules.
    var modules: [String]
  }

  /// A module of the package.
  struct Target: Equatable {
    var name: String
    /// Where its sources are, below the package.
    var path: String
    /// The names of targets and products that it depends on.
    var dependencies: [String]
  }

  var name: String
  var libraries: [Library]
  var targets: [Target] = []
  /// The version of macOS that it needs, such as `14.0`; `nil` where it doesn't say.
  var macOS: String?
  /// Where it has Wiretape from; `nil` if it doesn't use it.
  var wiretape: WiretapeSource?

  /// Asks the toolchain for the manifest of the package in a folder.
  init(of folder: String, with toolchain: Toolchain) async throws {
    guard exists(folder + "/Package.swift") else {
      throw CommandError(
        .noInput, "\(folder): there is no Package.swift here",
        next: "Go to the package with your parser, or name it: --path DIR.")
    }
    // With a scratch folder of its own: another SwiftPM at work in the package holds the usual one, and would be waited for.
    let scratch = FileManager.default.temporaryDirectory.appendingPathComponent(
      "wiretape-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: scratch) }
    let text = try await Toolchain.output(
      of: toolchain.swift,
      ["package", "--package-path", folder, "--scratch-path", scratch.path, "dump-package"], in: folder)
    do { try self.init(json: Data(text.utf8)) } catch {
      throw CommandError(
        .badData, "\(folder): what “swift package dump-package” prints can’t be read",
        next: "Is it a newer toolchain?")
    }
  }

  /// Reads what `swift package dump-package` printed.
  init(json: Data) throws {
    let dump = try JSONDecoder().decode(Dump.self, from: json)
    name = dump.name
    libraries = dump.products.filter { $0.type.library != nil }.map {
      Library(name: $0.name, modules: $0.targets)
    }
    targets = (dump.targets ?? []).map { target in
      Target(
        name: target.name, path: target.path ?? "Sources/\(target.name)",
        dependencies: (target.dependencies ?? []).compactMap(\.name))
    }
    macOS = dump.platforms?.first { $0.platformName == "macos" }?.version
    wiretape = dump.dependencies.lazy.compactMap(\.wiretape).first
  }
}

/// Where a package has Wiretape from.
enum WiretapeSource: Equatable {
  /// An absolute path.
  case path(String)
  /// An address, and which versions, as a manifest has it: `from: "0.1.0"`.
  case url(String, requirement: String)

  /// What was given on the command line: an address, or the path of a checkout.
  init(given text: String) throws(CommandError) {
    guard !text.contains("://"), !text.hasPrefix("git@") else {
      self = .url(text, requirement: "from: \"\(Wiretape.version)\"")
      return
    }
    let path = absolutePath(text)
    guard exists(path + "/Package.swift") else {
      throw CommandError(
        .noInput, "\(text): there is no package here (no Package.swift)",
        next: "--package takes the folder of a checkout of Wiretape, or its address.")
    }
    self = .path(path)
  }

  /// The dependency, as a manifest in a folder has it.
  func dependency(in folder: String) -> String {
    switch self {
    case .path(let path): #".package(name: "Wiretape", path: "\#(relativePath(to: path, from: folder))")"#
    case .url(let url, let requirement): #".package(url: "\#(url)", \#(requirement))"#
    }
  }

  /// What products of it are found by: the given name, or what an address ends in.
  var name: String {
    switch self {
    case .path: return "Wiretape"
    case .url(let url, _):
      let last = url.split(separator: "/").last.map(String.init) ?? url
      return last.hasSuffix(".git") ? String(last.dropLast(4)) : last
    }
  }
}

/// The way from one folder to another.
func relativePath(to target: String, from folder: String) -> String {
  let (a, b) = (target.split(separator: "/"), folder.split(separator: "/"))
  let common = zip(a, b).prefix { $0 == $1 }.count
  let words = Array(repeating: "..", count: b.count - common) + a[common...].map(String.init)
  return words.isEmpty ? "." : words.joined(separator: "/")
}

// What the toolchain prints, as far as it is read.

private struct Dump: Decodable {
  struct Product: Decodable {
    struct Kind: Decodable { var library: [String]? }
    var name: String
    var targets: [String]
    var type: Kind
  }
  struct Platform: Decodable {
    var platformName: String
    var version: String
  }
  struct Target: Decodable {
    var name: String
    var path: String?
    var dependencies: [Reference]?
  }
  /// `{"byName": ["Streams", null]}`, or the same of a `target` or `product`.
  struct Reference: Decodable {
    struct Word: Decodable {
      var text: String?
      init(from decoder: any Decoder) throws {
        text = try? decoder.singleValueContainer().decode(String.self)
      }
    }
    var byName: [Word]?
    var target: [Word]?
    var product: [Word]?
    var name: String? { (byName ?? target ?? product)?.first?.text }
  }
  var name: String
  var platforms: [Platform]?
  var products: [Product]
  var targets: [Target]?
  var dependencies: [Dependency]
}

private struct Dependency: Decodable {
  struct Local: Decodable {
    var identity: String
    var nameForTargetDependencyResolutionOnly: String?
    var path: String
  }
  struct Remote: Decodable {
    struct Location: Decodable {
      struct Address: Decodable { var urlString: String }
      var remote: [Address]?
    }
    struct Requirement: Decodable {
      struct Range: Decodable {
        var lowerBound: String
        var upperBound: String
      }
      var range: [Range]?
      var exact: [String]?
      var branch: [String]?
      var revision: [String]?

      var text: String? {
        if let range = range?.first { return #""\#(range.lowerBound)"..<"\#(range.upperBound)""# }
        if let exact = exact?.first { return #"exact: "\#(exact)""# }
        if let branch = branch?.first { return #"branch: "\#(branch)""# }
        return revision?.first.map { #"revision: "\#($0)""# }
      }
    }
    var identity: String
    var location: Location
    var requirement: Requirement
  }
  var fileSystem: [Local]?
  var sourceControl: [Remote]?

  var wiretape: WiretapeSource? {
    if let local = fileSystem?.first {
      let names = [local.identity, local.nameForTargetDependencyResolutionOnly ?? ""].map { $0.lowercased() }
      return names.contains("wiretape") ? .path(local.path) : nil
    }
    guard let remote = sourceControl?.first, remote.identity.lowercased() == "wiretape",
      let url = remote.location.remote?.first?.urlString, let requirement = remote.requirement.text
    else { return nil }
    return .url(url, requirement: requirement)
  }
}
