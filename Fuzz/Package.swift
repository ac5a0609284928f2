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

let package = Package(
  name: "Fuzz",
  platforms: [.macOS(.v13)],
  dependencies: [
    // Named, because the folder of a checkout may be called anything.
    .package(name: "Wiretape", path: "..")
  ],
  targets: [
    .executableTarget(
      name: "FuzzParser", dependencies: [.product(name: "EventStreamFuzzing", package: "Wiretape")],
      swiftSettings: settings),
    .executableTarget(
      name: "FuzzCassette", dependencies: [.product(name: "EventStreamFuzzing", package: "Wiretape")],
      swiftSettings: settings),
    .executableTarget(
      name: "FuzzClient", dependencies: [.product(name: "EventStreamFuzzing", package: "Wiretape")],
      swiftSettings: settings),
    .executableTarget(
      name: "FuzzCanary",
      dependencies: [
        .product(name: "EventStreamFuzzing", package: "Wiretape"),
        .product(name: "ServerSentEvents", package: "Wiretape"),
      ],
      swiftSettings: settings),
  ]
)
