// The module walls: what each module may import, and what may stand at the top level. A module that needs one more
// import says so here, in the one table, where a reviewer sees it.

import Foundation
import Testing

private let modulesOfC: Set = ["CZlib", "CByteScan", "CAtomicWord", "CChecksum", "CCurl", "CSpawn"]
private let systemLibraries: Set = ["Glibc", "Musl", "Darwin", "Android"]

/// Module → the modules that its files may import. System libraries are allowed only in the named files.
private let walls: [String: (imports: Set<String>, systemFiles: Set<String>)] = [
  "ServerSentEvents": (["CByteScan", "CAtomicWord"], []),  // our own: a header each
  "EventSourceURLSession": (["ServerSentEvents", "Foundation", "FoundationNetworking", "Dispatch"], []),
  "EventSourceCurl": (["ServerSentEvents", "EventSourceURLSession", "CCurl", "Foundation"], []),
  "EventCassettes": (
    ["ServerSentEvents", "CZlib", "CChecksum", "FoundationEssentials", "Foundation", "Dispatch"],
    ["CassetteFile.swift", "Locked.swift"]
  ),
  "EventCassetteURLSession": (
    ["ServerSentEvents", "EventSourceURLSession", "EventCassettes", "Foundation", "FoundationNetworking"], []
  ),
  "EventCassetteServer": (
    ["ServerSentEvents", "EventCassettes", "Dispatch"], ["Socket.swift", "Threads.swift"]
  ),
  "EventCassetteTesting": (
    ["ServerSentEvents", "EventCassettes", "XCTest", "Testing", "Foundation", "FoundationEssentials"], []
  ),
  "EventStreamFuzzing": (["ServerSentEvents", "EventCassettes"], []),
  "ChildProcesses": (["CSpawn", "Foundation", "Dispatch"], []),
  "WiretapeCommands": (
    [
      "ServerSentEvents", "EventSourceURLSession", "EventSourceCurl", "EventCassettes",
      "EventCassetteURLSession",
      "EventCassetteServer", "ChildProcesses", "FoundationEssentials", "Foundation", "Dispatch",
    ], ["StopSignals.swift", "SystemContext.swift"]
  ),
  "wiretape": (["WiretapeCommands"], []),
  "wiretape-benchmarks": (
    [
      "ServerSentEvents", "EventSourceURLSession", "EventCassettes", "EventCassetteServer",
      "WiretapeCommands", "CZlib", "Foundation",
      "FoundationEssentials", "FoundationNetworking",
    ], ["Growth.swift", "Measurement.swift", "ParserBenchmarks.swift"]
  ),
]

let packageRoot = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
  .deletingLastPathComponent()

@Suite("The module walls hold")
struct ModuleWallsTests {
  @Test("every module under Sources has its row", arguments: ["Sources"])
  func everyModuleHasARow(folder: String) throws {
    let modules = try FileManager.default.contentsOfDirectory(
      atPath: packageRoot.appending(path: folder).path
    )
    .filter { !$0.hasPrefix(".") && !modulesOfC.contains($0) }
    #expect(Set(modules) == Set(walls.keys))
  }

  @Test("no file imports past its module's wall", arguments: walls.keys.sorted())
  func importsStayWithinTheWall(module: String) throws {
    let wall = try #require(walls[module])
    let folder = packageRoot.appending(path: "Sources/\(module)")
    let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
    var seen = 0
    for case let file as URL in files where file.pathExtension == "swift" {
      seen += 1
      let text = try String(contentsOf: file, encoding: .utf8)
      // What stands in a text of several lines is a template of someone else's file.
      let code = text.components(separatedBy: "\"\"\"").enumerated().filter { $0.offset.isMultiple(of: 2) }
      for line in code.flatMap({ $0.element.split(whereSeparator: \.isNewline) }) {
        let words = line.split(separator: " ").map(String.init)
        guard let place = words.firstIndex(of: "import"), words.count > place + 1,
          words[..<place].allSatisfy({
            $0.hasPrefix("@") || ["public", "package", "internal", "private"].contains($0)
          })
        else { continue }
        let imported = String(words[words.count > place + 2 ? place + 2 : place + 1].prefix { $0 != "." })
        let name = file.lastPathComponent
        if systemLibraries.contains(imported) {
          #expect(wall.systemFiles.contains(name), "\(module)/\(name) imports \(imported)")
        } else {
          #expect(wall.imports.contains(imported), "\(module)/\(name) imports \(imported)")
        }
      }
    }
    #expect(seen > 0, "no source file found below \(folder.path)")
  }

  @Test("pointers are only in files whose header says why")
  func unsafeFilesSayWhy() throws {
    let files = try #require(
      FileManager.default.enumerator(
        at: packageRoot.appending(path: "Sources"), includingPropertiesForKeys: nil))
    for case let file as URL in files where file.pathExtension == "swift" {
      let text = try String(contentsOf: file, encoding: .utf8)
      let code = text.split(separator: "\n").filter { !$0.drop { $0 == " " }.hasPrefix("//") }
      // An actor's own executor is marked unsafe and is no pointer.
      guard code.contains(where: { $0.contains("unsafe ") && !$0.contains("asUnownedSerialExecutor") }) else {
        continue
      }
      let header = text.prefix(1500)
      #expect(
        header.contains("UNSAFE, and why:"), "\(file.lastPathComponent) uses pointers without saying why")
    }
  }

  @Test("nothing unexpected stands at the top level")
  func topLevel() throws {
    let expected: Set = [
      "Package.swift", "Sources", "Tests", "API", "Corpus", "Fuzz", "README.md", "LICENSE", "CHANGELOG.md",
      "CONTRIBUTING.md",
    ]
    let found = try FileManager.default.contentsOfDirectory(atPath: packageRoot.path).filter {
      !$0.hasPrefix(".")
    }
    // What the demo and the README's recipes leave behind is git's to ignore.
    let left = found.filter { name in
      name == "Package.resolved" || name == "recordings"
        || [".cassette", ".jsonl", ".html", ".har"].contains { name.hasSuffix($0) }
    }
    #expect(Set(found).subtracting(left) == expected)
  }
}
