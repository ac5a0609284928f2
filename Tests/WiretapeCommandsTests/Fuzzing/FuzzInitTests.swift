// What `fuzz init` reads off a package and writes beside it. That it builds and finds things is tested with a toolchain
// in Tests/Interop.

import Foundation
import ScratchFolders
import Testing

@testable import WiretapeCommands

struct FuzzInitTests {
  /// What `swift package dump-package` prints of a package, shortened.
  static func dump(
    dependency: String = "", products: String = library, platforms: String = "", targets: String = "[]"
  ) -> Data {
    Data(
      """
      {"name": "Shop", "platforms": [\(platforms)], "dependencies": [\(dependency)], "products": [\(products)],
       "targets": \(targets), "toolsVersion": {"_version": "6.2.0"}}
      """.utf8)
  }

  static let library = """
    {"name": "tool", "targets": ["tool"], "type": {"executable": null}},
    {"name": "ShopStreams", "settings": [], "targets": ["Streams", "More"], "type": {"library": ["automatic"]}}
    """

  @Test("name, libraries and platform come from the manifest")
  func manifest() throws {
    let manifest = try PackageManifest(
      json: Self.dump(platforms: #"{"platformName": "macos", "version": "14.0", "options": []}"#))
    #expect(manifest.name == "Shop")
    #expect(manifest.libraries == [.init(name: "ShopStreams", modules: ["Streams", "More"])])
    #expect(manifest.macOS == "14.0")
    #expect(manifest.wiretape == nil)
  }

  private static func remote(_ requirement: String) -> String {
    """
    {"sourceControl": [{"identity": "wiretape", "requirement": {\(requirement)},
      "location": {"remote": [{"urlString": "https://example.org/wiretape.git"}]}}]}
    """
  }

  @Test(
    "where Wiretape comes from is found in every form",
    arguments: [
      (
        #"{"fileSystem": [{"identity": "checkout", "nameForTargetDependencyResolutionOnly": "Wiretape", "path": "/a/checkout"}]}"#,
        #".package(name: "Wiretape", path: "../../checkout")"#
      ),
      (
        #"{"fileSystem": [{"identity": "wiretape", "path": "/a/b/wiretape"}]}"#,
        #".package(name: "Wiretape", path: "../../b/wiretape")"#
      ),
      (
        remote(#""range": [{"lowerBound": "0.1.0", "upperBound": "1.0.0"}]"#),
        #".package(url: "https://example.org/wiretape.git", "0.1.0"..<"1.0.0")"#
      ),
      (
        remote(#""exact": ["0.1.2"]"#),
        #".package(url: "https://example.org/wiretape.git", exact: "0.1.2")"#
      ),
      (
        remote(#""branch": ["main"]"#),
        #".package(url: "https://example.org/wiretape.git", branch: "main")"#
      ),
      (
        remote(#""revision": ["abc"]"#),
        #".package(url: "https://example.org/wiretape.git", revision: "abc")"#
      ),
    ])
  func source(dependency: String, expected: String) throws {
    let other = #"{"fileSystem": [{"identity": "other", "path": "/a/other"}]}, "#
    let manifest = try PackageManifest(json: Self.dump(dependency: other + dependency))
    let wiretape = try #require(manifest.wiretape)
    #expect(wiretape.dependency(in: "/a/shop/Fuzz") == expected)
    #expect(wiretape.name == (expected.contains("url") ? "wiretape" : "Wiretape"))
  }

  @Test("a given source is an address or a folder that is a package")
  func givenSource() throws {
    #expect(
      try WiretapeSource(given: "https://example.org/Wiretape")
        == .url("https://example.org/Wiretape", requirement: "from: \"\(Wiretape.version)\""))
    #expect(try WiretapeSource(given: packageRoot.path) == .path(packageRoot.path))
    #expect(throws: CommandError.self) { try WiretapeSource(given: "/nowhere/at/all") }
  }

  @Test(
    "a library that leads to FoundationNetworking is told from one that doesn't",
    arguments: [
      (
        #""Streams", "dependencies": [{"product": ["EventSourceURLSession", "Wiretape", null, null]}]"#,
        "EventSourceURLSession"
      ),
      (#""Streams", "dependencies": [{"byName": ["Net", null]}]"#, "Net.swift"),
      (
        #""Streams", "dependencies": [{"target": ["Plain", null]}, {"product": ["ServerSentEvents", "Wiretape"]}]"#,
        nil
      ),
    ] as [(String, String?)])
  func reach(target: String, reason: String?) throws {
    let folder = try ScratchFolder()
    for (name, text) in [
      ("Net", "  public import FoundationNetworking"), ("Plain", "// import FoundationNetworking?"),
    ] {
      try makeFolder(folder.path("Sources/\(name)"))
      _ = try folder.write("Sources/\(name)/\(name).swift", Array("import Foundation\n\(text)\n".utf8))
    }
    let manifest = try PackageManifest(
      json: Self.dump(
        targets:
          #"[{"name": \#(target)}, {"name": "Net", "path": "Sources/Net", "dependencies": []}, {"name": "Plain"}]"#
      ))
    let library = try #require(manifest.libraries.first)
    let found = NetworkingReach(of: library, in: manifest, folder: folder.url.path)
    #expect(found?.reason.split(separator: "/").last.map(String.init) == reason)
  }

  @Test(
    "the way from folder to folder",
    arguments: [
      ("/a/b", "/a/c/d", "../../b"), ("/a", "/a", "."), ("/a/b/c", "/a", "b/c"), ("/x", "/", "x"),
    ])
  func relative(target: String, folder: String, expected: String) {
    #expect(relativePath(to: target, from: folder) == expected)
  }

  private let templates = FuzzTemplates(
    package: "Shop", product: "ShopStreams", module: "Streams", macOS: "14.0", folder: "/a/shop",
    wiretape: .path("/a/wiretape"))

  @Test("the files name the parser's module, and stop the build until the parser is named")
  func files() throws {
    let files = Dictionary(uniqueKeysWithValues: templates.files.map { ($0.path, $0.text) })
    let manifest = try #require(files["Fuzz/Package.swift"])
    #expect(manifest.contains(#".package(name: "Shop", path: "..")"#))
    #expect(manifest.contains(#".package(name: "Wiretape", path: "../../wiretape")"#))
    #expect(manifest.contains(#".product(name: "ShopStreams", package: "Shop")"#))
    #expect(manifest.contains(#".macOS("14.0")"#))
    let subject = try #require(files[FuzzTemplates.subject])
    #expect(subject.contains("import Streams\n"))
    #expect(subject.contains("#error"))
    #expect(files["Fuzz/.gitignore"]?.contains("artifacts/") == true)
    #expect(files.keys.filter { $0.hasPrefix("Corpus/seeds/") }.count >= 10)
  }

  @Test("an old platform gives way to the one that Wiretape needs", arguments: [nil, "10.15", "12.0"])
  func platform(macOS: String?) {
    var templates = templates
    templates.macOS = macOS
    #expect(templates.files[0].text.contains(#".macOS("13.0")"#))
  }

  @Test("what is written is a package with a fuzz target")
  func isFound() throws {
    let folder = try ScratchFolder()
    for file in templates.files {
      let path = folder.path(file.path)
      try makeFolder((path as NSString).deletingLastPathComponent)
      _ = try folder.write(file.path, Array(file.text.utf8))
    }
    let package = try FuzzPackage.find(in: folder.url.path)
    #expect(package.targets == [FuzzTemplates.target])
    #expect(package.root == folder.url.path)
    #expect(package.dictionary(FuzzTemplates.target) == folder.path("Fuzz/sse.dict"))
    #expect(package.seedFolders(FuzzTemplates.target) == [folder.path("Corpus/seeds")])
  }

  @Test("a dictionary's entry has quotes, backslashes and what can't be seen escaped")
  func dictionary() {
    #expect(FuzzTemplates.dictionaryEntry(Array("a\"\\\r\n\u{FEFF}".utf8)) == #""a\"\\\x0D\x0A\xEF\xBB\xBF""#)
  }
}
