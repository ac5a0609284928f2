// `wiretape fuzz init`: a fuzz package beside someone's parser. What is written is FuzzTemplates.

import Foundation

enum FuzzInitVerb {
  static let path = Option<String>(
    ["--path"], value: "DIR", completion: .folder,
    help: "The package with your parser; the working folder unless given.", read: FuzzVerb.path.read)
  static let source = Option.text(
    "--package", value: "PATH-OR-URL",
    help: "Where Wiretape comes from; unless given, where your package has it from.")
  static let product = Option.text(
    "--product", value: "NAME", help: "The library product with your parser; the first one unless given.")
  static let force = Option.flag("--force", help: "Overwrites files that are there.")

  static let verb = Verb(
    name: "fuzz init",
    summary: "Add a fuzz target for your own parser",
    discussion: """
      Writes a package Fuzz into your package: a fuzz target with the oracles for event-stream parsers, a dictionary, \
      tests that replay what is found, and seeds in Corpus/seeds. Your parser is named in one function; until then the \
      build stops there. Your own Package.swift stays as it is.
      """,
    options: [path.row, source.row, product.row, force.row],
    examples: [
      "wiretape fuzz init", "wiretape fuzz init --path ~/ShopClient --package ~/wiretape",
      "wiretape fuzz init --product ShopStreams --package https://example.org/wiretape.git",
    ],
    run: { try await run($0, $1) })

  private static func run(_ arguments: Arguments, _ context: CommandContext) async throws -> ExitCode {
    let folder = absolutePath(arguments[path] ?? ".")
    let given = try arguments[source].map { text throws(CommandError) in try WiretapeSource(given: text) }
    let toolchain = try await Toolchain.find()
    guard
      let manifest = try await uninterrupted(
        in: context, { try await PackageManifest(of: folder, with: toolchain) })
    else { return .interrupted }
    let library = try library(of: manifest, arguments)
    let templates = try templates(for: library, of: manifest, in: folder, given)
    let files = templates.files
    if !arguments.has(force), let there = files.first(where: { exists("\(folder)/\($0.path)") }) {
      throw CommandError(
        .cannotCreate, "\(folder)/\(there.path): this is there already, and nothing was written",
        next: "--force overwrites it and the other files that init writes.")
    }
    for file in files {
      let path = "\(folder)/\(file.path)"
      try makeFolder((path as NSString).deletingLastPathComponent)
      try writeFile(path, overwriting: true) { write in try write(Array(file.text.utf8)) }
    }
    try context.output.lines(
      files.filter { !$0.path.hasPrefix("Corpus/") }.map { "wrote \($0.path)" }
        + ["wrote Corpus/seeds: \(SeedStreams.all.count) small streams", "", "What to do next", ""]
        + nextSteps(templates))
    if let reach = NetworkingReach(of: library, in: manifest, folder: folder) {
      try context.diagnostics.lines(try await reach.warning(of: library.name, with: toolchain))
    }
    return .success
  }

  /// The library with the parser.
  private static func library(
    of manifest: PackageManifest, _ arguments: Arguments
  ) throws(CommandError) -> PackageManifest.Library {
    let names = manifest.libraries.map(\.name)
    guard let first = manifest.libraries.first else {
      let target = manifest.targets.first { $0.path.hasPrefix("Sources/") }?.name ?? "NAME"
      throw CommandError(
        .badData, "\(manifest.name) has no library product, and other packages see only products",
        next:
          "Add one to its Package.swift, before dependencies and targets: products: [.library(name: \"\(target)\", targets: [\"\(target)\"])],"
      )
    }
    let chosen = arguments[product]
    guard let library = chosen == nil ? first : manifest.libraries.first(where: { $0.name == chosen }) else {
      throw CommandError.usage(
        of: "fuzz init",
        "\(manifest.name) has no library product “\(chosen ?? "")”; it has \(names.joined(separator: ", "))")
    }
    return library
  }

  private static func templates(
    for library: PackageManifest.Library, of manifest: PackageManifest, in folder: String,
    _ given: WiretapeSource?
  ) throws(CommandError) -> FuzzTemplates {
    guard let wiretape = given ?? manifest.wiretape else {
      throw CommandError.usage(
        of: "fuzz init", "--package PATH-OR-URL is missing: \(manifest.name) does not depend on Wiretape")
    }
    return FuzzTemplates(
      package: manifest.name, product: library.name, module: library.modules.first ?? library.name,
      macOS: manifest.macOS, folder: folder, wiretape: wiretape)
  }

  private static func nextSteps(_ templates: FuzzTemplates) -> [String] {
    [
      "  1. Name your parser in \(FuzzTemplates.subject)",
      "     (it imports \(templates.module), of the product \(templates.product))",
      "  2. wiretape fuzz run",
      "  3. wiretape fuzz to-cassette FILE   for what was found: a small input, and a test that fails",
      "  4. swift test --package-path Fuzz   until it passes",
    ]
  }
}
