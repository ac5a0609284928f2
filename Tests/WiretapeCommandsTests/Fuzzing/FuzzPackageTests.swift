// Where fuzz targets are looked for, which is meant, how they are built, and what is said when it can't be done.

import Foundation
import ScratchFolders
import Testing

@testable import WiretapeCommands

struct FuzzPackageTests {
  private func package(targets: [String]) throws -> (folder: ScratchFolder, package: FuzzPackage) {
    let folder = try ScratchFolder()
    _ = try FuzzPackageTests.write(targets, in: folder)
    return (folder, try FuzzPackage.find(in: folder.url.path))
  }

  static func write(_ targets: [String], in folder: ScratchFolder) throws {
    try makeFolder(folder.path("Fuzz"))
    _ = try folder.write("Fuzz/Package.swift", [])
    for target in targets + ["Library"] {
      try makeFolder(folder.path("Fuzz/Sources/\(target)"))
      let text = target == "Library" ? "let a = 1" : #"@_cdecl("LLVMFuzzerTestOneInput")"#
      _ = try folder.write("Fuzz/Sources/\(target)/A.swift", Array(text.utf8))
    }
  }

  @Test("only folders with the entry point are targets, and it is found from inside and outside")
  func find() throws {
    let (folder, package) = try package(targets: ["FuzzB", "FuzzA"])
    #expect(package.targets == ["FuzzA", "FuzzB"])
    #expect(try FuzzPackage.find(in: folder.path("Fuzz")) == package)
    let error = #expect(throws: CommandError.self) { try FuzzPackage.find(in: folder.path("Fuzz/Sources")) }
    #expect(error?.code == .noInput)
    #expect(error?.next.contains("fuzz init") == true)
  }

  @Test("a target is named, or told by an artifact's folder, or the only one")
  func target() throws {
    let (_, two) = try package(targets: ["FuzzA", "FuzzB"])
    #expect(try two.target("FuzzB", for: "fuzz run") == "FuzzB")
    #expect(try two.target(nil, of: "Fuzz/artifacts/FuzzB/crash-1", for: "fuzz repro") == "FuzzB")
    let missing = #expect(throws: CommandError.self) { try two.target(nil, of: "crash-1", for: "fuzz repro") }
    #expect(missing?.code == .usage)
    let unknown = #expect(throws: CommandError.self) { try two.target("FuzzC", for: "fuzz run") }
    #expect(unknown?.message.contains("did you mean") == true)
    #expect(unknown?.next == "There are FuzzA, FuzzB.")
    let (_, one) = try package(targets: ["FuzzA", "FuzzCanary"])
    #expect(try one.target(nil, for: "fuzz run") == "FuzzA", "a planted fault is run by its name alone")
    #expect(one.nightly == ["FuzzA"])
    let (_, only) = try package(targets: ["FuzzA"])
    let wrong = #expect(throws: CommandError.self) { try only.target("foo", for: "fuzz run") }
    #expect(wrong?.next == "There is one: FuzzA.")
  }

  @Test("a parser that isn't named yet is told before anything is built, with its place")
  func unnamed() async throws {
    let (folder, package) = try package(targets: ["FuzzA"])
    try Self.writeProgram("swift", "touch \"$0.ran\"; exit 1", in: folder)
    try makeFolder(folder.path("Fuzz/Sources/FuzzSubject"))
    _ = try folder.write(
      "Fuzz/Sources/FuzzSubject/FuzzSubject.swift", Array("let a = 1\n  \(UnnamedParser.line)\n".utf8))
    let toolchain = Toolchain(swift: folder.path("swift"), tools: "/nowhere")
    let error = await #expect(throws: CommandError.self) {
      try await FuzzTarget("FuzzA", of: package, with: toolchain, .forTests)
    }
    #expect(error?.code == .badData)
    #expect(error?.message.hasSuffix("FuzzSubject/FuzzSubject.swift:2: the parser is not named yet") == true)
    #expect(error?.next.contains("MyParser") == true)
    #expect(!exists(folder.path("swift.ran")))
  }

  @Test("a build has one -sanitize flag with both names, and never -Ounchecked")
  func recipe() {
    let words = FuzzBuild.arguments(product: "FuzzA", for: .fuzzing, isDarwin: false)
    #expect(words.filter { $0.hasPrefix("-sanitize") } == ["-sanitize=fuzzer,address"])
    #expect(words.filter { $0 == "--sanitize" }.count == 1)
    #expect(words.contains("--static-swift-stdlib"))
    #expect(
      !FuzzBuild.arguments(product: "FuzzA", for: .fuzzing, isDarwin: true).contains("--static-swift-stdlib"))
    #expect(!words.contains("-Ounchecked"))
    let coverage = FuzzBuild.arguments(product: "FuzzA", for: .coverage, isDarwin: false)
    #expect(coverage.contains("-profile-coverage-mapping"))
    #expect(!coverage.contains("-sanitize=fuzzer,address"))
  }

  @Test("the script that builds without the tool has the same flags", arguments: [false, true])
  func script(forCoverage: Bool) throws {
    let script = try String(contentsOf: packageRoot.appendingPathComponent("Fuzz/build"), encoding: .utf8)
    let purpose = forCoverage ? FuzzBuild.Purpose.coverage : .fuzzing
    for word in FuzzBuild.arguments(product: "target", for: purpose, isDarwin: false) + [purpose.scratch] {
      #expect(script.contains(word.replacing("-sanitize=", with: "")), "\(word)")
    }
  }

  @Test("a program without the marks of a fuzzer build doesn't pass the gates")
  func gates() throws {
    let folder = try ScratchFolder()
    let symbols = ["LLVMFuzzerTestOneInput", "__sancov_cntrs", "__asan_report_load"]
    let whole = try folder.write("whole", Array(symbols.joined(separator: "\0").utf8))
    try FuzzBuild.checkGates(whole, for: .fuzzing, scratch: "s")
    for missing in symbols {
      let path = try folder.write(
        "part", Array(symbols.filter { $0 != missing }.joined(separator: "\0").utf8))
      let error = #expect(throws: CommandError.self) {
        try FuzzBuild.checkGates(path, for: .fuzzing, scratch: "s")
      }
      #expect(error?.code == .unavailable)
      #expect(error?.message.contains(missing.replacing("_load", with: "")) == true)
    }
  }

  @Test("without a toolchain it is said what to install")
  func noToolchain() async throws {
    let folder = try ScratchFolder()
    let error = await #expect(throws: CommandError.self) {
      try await Toolchain.find(path: folder.url.path + ":/nowhere")
    }
    #expect(error?.code == .unavailable)
    #expect(error?.next.contains("toolchain") == true)
  }

  @Test("a toolchain is where swift itself says that it is")
  func toolchain() async throws {
    let folder = try ScratchFolder()
    try makeFolder(folder.path("real/usr/bin"))
    try Self.writeProgram(
      "swift",
      #"echo '{"paths": {"runtimeResourcePath": "'"$(dirname "$0")"'/real/usr/lib/swift"}}'; echo noise >&2"#,
      in: folder)
    try Self.writeProgram("real/usr/bin/llvm-cov", "", in: folder)
    let toolchain = try await Toolchain.find(path: folder.url.path)
    #expect(try toolchain.tool("llvm-cov") == folder.path("real/usr/bin/llvm-cov"))
    #expect(throws: CommandError.self) { try toolchain.tool("llvm-profdata") }
  }

  @Test("a build that fails shows the end of its log, and where the rest is")
  func failedBuild() async throws {
    let (folder, package) = try package(targets: ["FuzzA"])
    try Self.writeProgram("swift", "echo 'A.swift:3: error: name your parser'; exit 1", in: folder)
    let toolchain = Toolchain(swift: folder.path("swift"), tools: "/nowhere")
    let error = await #expect(throws: CommandError.self) {
      try await FuzzTarget("FuzzA", of: package, with: toolchain, .forTests)
    }
    #expect(error?.code == .badData)
    #expect(error?.message.contains("name your parser") == true)
    #expect(error?.next.contains("Fuzz/artifacts/FuzzA/build.log") == true)
  }

  static func writeProgram(_ name: String, _ script: String, in folder: ScratchFolder) throws {
    let path = try folder.write(name, Array("#!/bin/sh\n\(script)\n".utf8))
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
  }
}
