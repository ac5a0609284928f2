// The files that `fuzz init` writes: a package with one fuzz target, whose subject is yet to be named. Pure: facts
// about a package in, paths and texts out.

/// What goes into a new fuzz package.
struct FuzzTemplates {
  /// A file to write: its path below the package, and its content.
  struct File: Equatable {
    var path: String
    var text: String
  }

  /// The package with the parser.
  var package: String
  /// Its product with the parser, and the module to import.
  var product: String
  var module: String
  /// The version of macOS that the package needs.
  var macOS: String?
  /// Where it is.
  var folder: String
  var wiretape: WiretapeSource

  /// The name of the fuzz target.
  static let target = "FuzzEventStream"
  /// The file that names the parser.
  static let subject = "Fuzz/Sources/FuzzSubject/FuzzSubject.swift"
  /// The folder of the tests that replay what was found.
  static let tests = "Fuzz/Tests/RegressionTests"

  /// Every file.
  var files: [File] {
    [
      File(path: "Fuzz/Package.swift", text: manifest),
      File(path: Self.subject, text: subject),
      File(path: "Fuzz/Sources/\(Self.target)/\(Self.target).swift", text: Self.entry),
      File(path: Self.tests + "/RegressionTests.swift", text: Self.regressionTests),
      File(path: "Fuzz/sse.dict", text: Self.dictionary),
      File(path: "Fuzz/leaks", text: Self.leaks),
      File(path: "Fuzz/.gitignore", text: ".build*/\nwork/\nartifacts/\n"),
    ]
      + SeedStreams.all.map { File(path: "Corpus/seeds/\($0.name).sse", text: $0.stream) }
  }

  private var manifest: String {
    """
    // swift-tools-version: 6.2
    import PackageDescription

    // Fuzz targets, in a package of their own, so that the one around it builds without the fuzzer's flags.
    // “wiretape fuzz run” builds and runs them; “swift test --package-path Fuzz” replays what was found.

    let package = Package(
      name: "Fuzz",
      platforms: [.macOS("\(platform)")],
      dependencies: [
        .package(name: "\(package)", path: ".."),
        \(wiretape.dependency(in: folder + "/Fuzz")),
      ],
      targets: [
        // Names the parser.
        .target(
          name: "FuzzSubject",
          dependencies: [
            .product(name: "\(product)", package: "\(package)"),
            .product(name: "EventStreamFuzzing", package: "\(wiretape.name)"),
          ]),
        .executableTarget(
          name: "\(Self.target)",
          dependencies: ["FuzzSubject", .product(name: "EventStreamFuzzing", package: "\(wiretape.name)")]),
        .testTarget(name: "RegressionTests", dependencies: ["FuzzSubject"]),
      ]
    )

    """
  }

  /// The later of what the package needs and what Wiretape needs.
  private var platform: String {
    guard let macOS, let major = macOS.split(separator: ".").first.flatMap({ Int($0) }), major > 13 else {
      return "13.0"
    }
    return macOS
  }

  private var subject: String {
    """
    // The parser under test. This file names it, for the fuzz target and the tests alike.

    import EventStreamFuzzing
    import \(module)

    /// The parser, as the oracles see it. The outer closure makes a new one for each stream; the inner one is given the
    /// stream's chunks, in order, as `[UInt8]`, and returns the events that each of them completed.
    ///
    /// Leave `lastEventID` out if your parser doesn't tell it.
    public let subject = ParserSubject {
      \(UnnamedParser.line)
      var parser = MyParser()  // or let, where it is a class
      return { chunk in
        parser.feed(chunk).map { event in
          ParserSubject.Event(type: event.type, data: event.data, lastEventID: event.lastEventID)
        }
      }
    }

    """
  }

  private static let entry = """
    // libFuzzer's way in to the oracles. Inputs are plain event streams: how each is cut follows from its content, so
    // that any input that fails can be kept as it is.

    import EventStreamFuzzing
    import FuzzSubject

    #if canImport(Glibc)
      import Glibc
    #elseif canImport(Musl)
      import Musl
    #else
      import Darwin
    #endif

    /// Gives the signals back to libFuzzer: with Swift's own handlers in place it would write no artifact.
    @_cdecl("LLVMFuzzerInitialize")
    public func initialize(
      _ count: UnsafeMutablePointer<CInt>?,
      _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>?
    ) -> CInt {
      for number in [SIGILL, SIGTRAP] { signal(number, SIG_DFL) }
      return 0
    }

    /// Traps with the finding if an oracle does not hold for the input.
    @_cdecl("LLVMFuzzerTestOneInput")
    public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
      let input = Array(UnsafeBufferPointer(start: start, count: count))
      if let finding = subject.check(input) { fatalError("finding: \\(finding)") }
      return 0
    }

    // Only a fuzzer's build can link this. Every fourth mutation knows lines and fields; the others are libFuzzer's own.
    #if FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
      @_silgen_name("LLVMFuzzerMutate")
      private func libFuzzerMutate(_ start: UnsafeMutablePointer<UInt8>, _ count: Int, _ most: Int) -> Int

      @_cdecl("LLVMFuzzerCustomMutator")
      public func mutate(_ start: UnsafeMutablePointer<UInt8>, _ count: Int, _ most: Int, _ seed: UInt32) -> Int {
        guard seed % 4 == 0 else { return libFuzzerMutate(start, count, most) }
        let input = Array(UnsafeBufferPointer(start: start, count: count))
        let mutated = StreamMutator.mutate(input, seed: UInt64(seed)).prefix(most)
        for (index, byte) in mutated.enumerated() { start[index] = byte }
        return mutated.count
      }
    #endif

    """

  private static let regressionTests = """
    // Replays what was found, so that it stays fixed: swift test --package-path Fuzz

    import Foundation
    import FuzzSubject
    import XCTest

    final class RegressionTests: XCTestCase {
      /// Every stream in Corpus/regressions, under every delivery.
      func testRegressions() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
          .deletingLastPathComponent().deletingLastPathComponent()
        let folder = root.appendingPathComponent("Corpus/regressions")
        let files = (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
        for file in files.sorted(by: { $0.path < $1.path }) where file.pathExtension == "sse" {
          if let finding = subject.check(Array(try Data(contentsOf: file))) {
            XCTFail("\\(file.lastPathComponent): \\(finding)")
          }
        }
      }
    }

    """

  private static let leaks = """
    # For LeakSanitizer: what the Swift runtime itself keeps for ever.
    leak:swift_getTypeName

    """

  /// libFuzzer's dictionary: what mutations put together seldom by themselves.
  private static var dictionary: String {
    let tokens = [
      "data:", "data: ", "data", "event:", "event: ", "event: message", "id:", "id: ", "id", "retry:",
      "retry: 1000", ":", ": ", "\n", "\r", "\r\n", "\n\n", "\r\r", "\r\n\r\n", "\r\n\n", "\n\r", "\u{FEFF}",
      "\0",
      "e\u{301}", "é", "€", "😀", "\u{2028}", "data: {\"a\":1}\n\n", "[DONE]",
    ]
    let pieces: [[UInt8]] = [
      [0xEF], [0xEF, 0xBB], [0xFF], [0xC3], [0xE2, 0x82], [0xF0, 0x9F], [0xED, 0xA0, 0x80],
    ]
    let entries = (tokens.map { Array($0.utf8) } + pieces).map(dictionaryEntry)
    return "# Tokens of event streams, for libFuzzer.\n" + entries.joined(separator: "\n") + "\n"
  }

  /// A line of a dictionary: the bytes in quotation marks, all that isn't plain as `\xNN`.
  static func dictionaryEntry(_ bytes: [UInt8]) -> String {
    var text = "\""
    for byte in bytes {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): text += "\\" + String(UnicodeScalar(byte))
      case 0x20...0x7E: text += String(UnicodeScalar(byte))
      default: text += "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }
    return text + "\""
  }
}
