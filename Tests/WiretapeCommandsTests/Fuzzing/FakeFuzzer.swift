// A stand-in for a built fuzz target: a shell script that answers as libFuzzer would, so that sessions can be tested
// without a build that takes minutes.

import Foundation
import ScratchFolders

@testable import WiretapeCommands

/// A package with one such target.
struct FakeFuzzer {
  let folder: ScratchFolder
  let package: FuzzPackage

  /// - Parameter script: the body of the script. It finds `$prefix` (where artifacts go), `$work` and `$seeds`, and
  ///   functions: `loaded` prints what an instrumented program begins with, `inited` that all inputs ran, `stats` the
  ///   numbers in the end, `fails TITLE FILE` a finding on a file.
  init(_ script: String) throws {
    folder = try ScratchFolder()
    for path in ["Fuzz/Sources/FuzzFake", "Corpus/seeds"] { try makeFolder(folder.path(path)) }
    _ = try folder.write("Fuzz/Package.swift", [])
    _ = try folder.write(
      "Fuzz/Sources/FuzzFake/FuzzFake.swift", Array(#"@_cdecl("LLVMFuzzerTestOneInput")"#.utf8))
    package = try FuzzPackage.find(in: folder.url.path)
    let program = """
      #!/bin/bash
      for word; do case $word in -artifact_prefix=*) prefix=${word#*=};; -*) ;; *) work=$seeds seeds=$word;; esac; done
      loaded() { echo "INFO: Loaded 1 modules   (9 inline 8-bit counters): 9"; }
      inited() { printf '#3\\tINITED cov: 10 ft: 20 corp: 1/1b exec/s: 0 rss: 9Mb\\n'; }
      stats() { printf '#64\\tDONE   cov: 12 ft: 25 corp: 2/9b lim: 4 exec/s: 64 rss: 9Mb\\n'
        echo "stat::number_of_executed_units: $1"; echo "stat::peak_rss_mb:              9"; }
      fails() { cp "$2" "$prefix/crash-$(cksum <"$2" | cut -d' ' -f1)"
        echo "x.swift:1: Fatal error: finding: $1: does not hold"; echo "  split: whole"
        echo "Test unit written to $prefix/crash-$(cksum <"$2" | cut -d' ' -f1)"; exit 77; }
      \(script)
      """
    _ = try folder.write("Fuzz/program", Array(program.utf8))
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o755], ofItemAtPath: folder.path("Fuzz/program"))
  }

  var target: FuzzTarget {
    FuzzTarget(
      name: "FuzzFake", package: package, toolchain: Toolchain(swift: "/nowhere/swift", tools: "/nowhere"),
      program: folder.path("Fuzz/program"))
  }

  /// The folder of findings.
  var artifacts: String { package.artifacts("FuzzFake") }
}
