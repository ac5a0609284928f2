// swift-tools-version: 6.2
import PackageDescription

/// One set of compiler settings for every target: Swift 6 mode with strict memory safety, imports that are
/// internal unless said otherwise, and async functions that stay on their caller's actor.
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .strictMemorySafety(),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

// The privacy manifest of the UserDefaults store is for Apple's platforms: elsewhere a resource would only put a bundle
// beside every binary.
#if canImport(Darwin)
  let (privacyManifest, noManifest): ([Resource], [String]) = ([.copy("PrivacyInfo.xcprivacy")], [])
#else
  let (privacyManifest, noManifest): ([Resource], [String]) = ([], ["PrivacyInfo.xcprivacy"])
#endif

// Targets stand in the order of the layers: each may depend only on those above it.
let package = Package(
  name: "Wiretape",
  platforms: [.iOS(.v16), .macOS(.v13), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
  products: [
    .library(name: "ServerSentEvents", targets: ["ServerSentEvents"]),
    .library(name: "EventSourceURLSession", targets: ["EventSourceURLSession"]),
    .library(name: "EventCassettes", targets: ["EventCassettes"]),
    .library(name: "EventCassetteURLSession", targets: ["EventCassetteURLSession"]),
    .library(name: "EventCassetteServer", targets: ["EventCassetteServer"]),
    .library(name: "EventCassetteTesting", targets: ["EventCassetteTesting"]),
    .library(name: "EventStreamFuzzing", targets: ["EventStreamFuzzing"]),
    .executable(name: "wiretape", targets: ["wiretape"]),
    .executable(name: "wiretape-benchmarks", targets: ["wiretape-benchmarks"]),
  ],
  targets: [
    .target(name: "CByteScan"),
    .target(name: "CAtomicWord"),
    .target(
      name: "ServerSentEvents", dependencies: ["CByteScan", "CAtomicWord"], swiftSettings: settings),
    .target(
      name: "EventSourceURLSession", dependencies: ["ServerSentEvents"], exclude: noManifest,
      resources: privacyManifest, swiftSettings: settings),
    .systemLibrary(
      name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
    .target(name: "CChecksum", dependencies: ["CZlib"]),
    .target(name: "CCurl", linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]),
    .target(
      name: "EventSourceCurl", dependencies: ["ServerSentEvents", "EventSourceURLSession", "CCurl"],
      swiftSettings: settings),
    .target(
      name: "EventCassettes", dependencies: ["ServerSentEvents", "CZlib", "CChecksum"],
      swiftSettings: settings),
    .target(
      name: "EventCassetteURLSession", dependencies: ["EventSourceURLSession", "EventCassettes"],
      swiftSettings: settings),
    .target(
      name: "EventCassetteServer", dependencies: ["ServerSentEvents", "EventCassettes"],
      swiftSettings: settings),
    .target(
      name: "EventCassetteTesting",
      dependencies: ["ServerSentEvents", "EventCassettes"],
      swiftSettings: settings),
    .target(
      name: "EventStreamFuzzing", dependencies: ["ServerSentEvents", "EventCassettes"],
      swiftSettings: settings),
    .target(name: "CSpawn"),
    .target(name: "ChildProcesses", dependencies: ["CSpawn"], swiftSettings: settings),
    .target(
      name: "WiretapeCommands",
      dependencies: [
        "ServerSentEvents", "EventSourceURLSession", "EventSourceCurl", "EventCassettes",
        "EventCassetteURLSession", "EventCassetteServer", "ChildProcesses",
      ],
      swiftSettings: settings),
    .executableTarget(name: "wiretape", dependencies: ["WiretapeCommands"], swiftSettings: settings),
    .executableTarget(
      name: "wiretape-benchmarks",
      dependencies: [
        "ServerSentEvents", "EventSourceURLSession", "EventCassettes", "EventCassetteServer",
        "WiretapeCommands",
        "CZlib",
      ], swiftSettings: settings),
    .target(name: "ScratchFolders", path: "Tests/ScratchFolders", swiftSettings: settings),
    .testTarget(name: "ArchitectureTests", swiftSettings: settings),
    .testTarget(
      name: "DocumentationTests",
      dependencies: [
        "ServerSentEvents", "EventSourceURLSession", "EventCassettes", "EventCassetteURLSession",
        "EventCassetteServer", "EventCassetteTesting", "EventStreamFuzzing", "ChildProcesses",
        "ScratchFolders",
      ], exclude: ["Preambles"], swiftSettings: settings),
    .testTarget(
      name: "ServerSentEventsTests", dependencies: ["ServerSentEvents", "EventStreamFuzzing"],
      swiftSettings: settings),
    .testTarget(
      name: "EventSourceURLSessionTests",
      dependencies: [
        "ServerSentEvents", "EventSourceURLSession", "EventCassettes", "EventCassetteServer", "CZlib",
        "ScratchFolders",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "EventSourceCurlTests",
      dependencies: [
        "ServerSentEvents", "EventSourceCurl", "EventSourceURLSession", "EventCassetteServer",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "EventCassettesTests",
      dependencies: ["ServerSentEvents", "EventCassettes", "CZlib", "ChildProcesses", "ScratchFolders"],
      exclude: ["Format/read_cassette.py"], swiftSettings: settings),
    .testTarget(
      name: "EventCassetteURLSessionTests",
      dependencies: ["ServerSentEvents", "EventCassetteURLSession", "EventCassetteServer"],
      swiftSettings: settings),
    .testTarget(
      name: "EventCassetteServerTests",
      dependencies: [
        "ServerSentEvents", "EventCassettes", "EventCassetteServer", "EventStreamFuzzing", "ChildProcesses",
        "ScratchFolders",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "EventCassetteTestingTests",
      dependencies: [
        "ServerSentEvents", "EventSourceURLSession", "EventCassetteServer", "EventCassetteTesting",
        "ScratchFolders",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "EventStreamFuzzingTests", dependencies: ["ServerSentEvents", "EventStreamFuzzing"],
      swiftSettings: settings),
    .testTarget(
      name: "ChildProcessesTests", dependencies: ["ChildProcesses", "ScratchFolders"], swiftSettings: settings
    ),
    .testTarget(
      name: "WiretapeCommandsTests",
      dependencies: [
        "ServerSentEvents", "WiretapeCommands", "EventCassetteServer", "EventStreamFuzzing", "wiretape",
        "ChildProcesses", "ScratchFolders",
      ],
      swiftSettings: settings),
  ]
)
