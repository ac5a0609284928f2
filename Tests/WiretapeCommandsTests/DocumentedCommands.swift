// The commands of the README and of the DocC articles, read from the pages themselves.

import Foundation

/// The commands of one page, in order.
struct DocumentedCommands: CustomStringConvertible, Sendable {
  /// The file's name.
  let name: String
  /// One command a line, without the remark behind it.
  let commands: [String]

  var description: String { name }

  /// Every page that has commands.
  static func pages() throws -> [DocumentedCommands] {
    var files = [packageRoot.appending(path: "README.md"), packageRoot.appending(path: "CONTRIBUTING.md")]
    let sources = FileManager.default.enumerator(
      at: packageRoot.appending(path: "Sources"), includingPropertiesForKeys: nil)
    while let file = sources?.nextObject() as? URL {
      if file.pathExtension == "md" { files.append(file) }
    }
    return try files.sorted { $0.path < $1.path }.compactMap { file in
      let commands = commands(in: try String(contentsOf: file, encoding: .utf8))
      return commands.isEmpty ? nil : DocumentedCommands(name: file.lastPathComponent, commands: commands)
    }
  }

  /// Lines of blocks that are fenced without a language, or indented by four. What a program printed is fenced as `text`.
  static func commands(in page: String) -> [String] {
    var commands: [String] = []
    var fence: Substring?
    for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("```") {
        fence = fence == nil ? line.dropFirst(3) : nil
      } else if fence == "" || fence == nil && line.hasPrefix("    ") {
        let command = line.split(separator: "  #").first.map { $0.trimmingCharacters(in: .whitespaces) } ?? ""
        if !command.isEmpty { commands.append(command) }
      }
    }
    return commands
  }
}
