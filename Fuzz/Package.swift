// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that the root builds and tests without the fuzzer's flags. It sees only the root's
// products. Build it with `Fuzz/run`, which knows the flags; a plain `swift build` here makes nothing useful.

let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .strictMemorySafety(),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("ExistentialAny"),
]

/// What the step counter has to see. The linker of Apple's systems can't do this, so there nothing is counted.
let wrapped =
  ["cmp1", "cmp2", "cmp4", "cmp8"].flatMap {
    ["__sanitizer_cov_trace_\($0)", "__sanitizer_cov_trace_const_\($0)"]
  }
  + [
    "memcpy", "memmove", "memset", "memchr", "memcmp", "bcmp", "__asan_memcpy", "__asan_memmove",
    "__asan_memset",
  ]
let countsSteps = LinkerSetting.unsafeFlags(
  wrapped.flatMap { ["-Xlinker", "--wrap=\($0)"] }, .when(platforms: [.linux]))

/// A fuzz target: a folder in Sources with its main. All of them have the oracles and libFuzzer's side; some use more
/// of the root's products.
func fuzzTarget(_ name: String, _ products: [String] = [], countsSteps isCounting: Bool = false) -> Target {
  .executableTarget(
    name: name,
    dependencies: ["LibFuzzer"] + (isCounting ? ["StepCounter"] : [])
      + (["EventStreamFuzzing"] + products).map { .product(name: $0, package: "Wiretape") },
    swiftSettings: settings, linkerSettings: isCounting ? [countsSteps] : [])
}

let package = Package(
  name: "Fuzz",
  platforms: [.macOS(.v13)],
  dependencies: [
    // Named, because the folder of a checkout may be called anything.
    .package(name: "Wiretape", path: "..")
  ],
  targets: [
    // What is fuzzed, in the order of the README.
    fuzzTarget("FuzzParser"),
    fuzzTarget("FuzzClient"),
    fuzzTarget("FuzzCassette"),
    fuzzTarget("FuzzRedactor"),
    fuzzTarget("FuzzOptions", ["EventCassetteServer"]),
    fuzzTarget("FuzzGrowth", countsSteps: true),
    // What the fuzzing itself is proved and measured with: canaries, which are run by name alone.
    fuzzTarget("FuzzCanary", ["ServerSentEvents"]),
    fuzzTarget("FuzzPlantedCanary", countsSteps: true),
    fuzzTarget("FuzzEmptyCanary"),
    .target(
      name: "LibFuzzer", dependencies: [.product(name: "EventStreamFuzzing", package: "Wiretape")],
      swiftSettings: settings),
    .target(name: "StepCounter"),
  ]
)
