// From words to `Arguments` by a verb's table. Strict: what isn't understood is an error that offers the nearest name,
// because a mistyped option that is passed over ruins a recording that can't be made again.

extension Verb {
  /// Sorts the words behind the verb into options and positional arguments.
  ///
  /// `--option VALUE`, `--option=VALUE`, `-o VALUE`, `-oVALUE`; `--` ends the options, and begins what is passed on;
  /// `-` is a positional argument.
  /// - Returns: `nil` where help was asked for.
  func parse(_ words: [String]) throws(CommandError) -> Arguments? {
    if words.prefix(while: { $0 != "--" }).contains(where: { $0 == "--help" || $0 == "-h" }) { return nil }
    var result = Arguments()
    var index = 0
    var optionsEnded = false
    while index < words.count {
      let word = words[index]
      index += 1
      if optionsEnded || word == "-" || !word.hasPrefix("-") {
        result.positionals.append(word)
      } else if word == "--", passedOn != nil {
        result.passedOn = Array(words[index...])
        break
      } else if word == "--" {
        optionsEnded = true
      } else {
        let (option, attached) = try option(in: word)
        var value = ""
        if option.placeholder == nil {
          guard attached == nil else { throw usage("\(option.name) takes no value") }
        } else if let attached {
          value = attached
        } else {
          guard index < words.count, !(words[index].hasPrefix("-") && isOption(words[index])) else {
            throw usage("\(option.name) needs a value: \(option.name) \(option.placeholder ?? "")")
          }
          value = words[index]
          index += 1
        }
        do { try option.check(value) } catch { throw usage(option.name + error.text) }
        guard option.repeats || result.values[option.name] == nil else {
          throw usage("\(option.name) was given twice")
        }
        result.values[option.name, default: []].append(value)
      }
    }
    try checkCount(result.positionals)
    return result
  }

  private func option(in word: String) throws(CommandError) -> (OptionRow, attached: String?) {
    if let row = options.first(where: { $0.names.contains(word) }) { return (row, nil) }
    if word.hasPrefix("--") {
      if let equals = word.firstIndex(of: "=") {
        let name = String(word[..<equals])
        if let row = options.first(where: { $0.names.contains(name) }) {
          return (row, String(word[word.index(after: equals)...]))
        }
      }
    } else if let row = options.first(where: {
      $0.placeholder != nil && $0.names.contains(String(word.prefix(2)))
    }) {
      return (row, String(word.dropFirst(2)))
    }
    let typed = String(word.prefix { $0 != "=" })
    let near = nearest(to: typed, in: options.flatMap(\.names) + ["--help"])
    throw usage("there is no option \(typed)" + (near.map { "; did you mean \($0)?" } ?? ""))
  }

  /// Whether a word would be taken as an option, so that it can't be the value that is missing.
  private func isOption(_ word: String) -> Bool {
    let name = String(word.prefix { $0 != "=" })
    return word == "--" || name == "--help" || options.contains { $0.names.contains(name) }
  }

  private func checkCount(_ given: [String]) throws(CommandError) {
    let required = positionals.filter { !$0.isOptional }
    if given.count < required.count {
      throw usage("\(required[given.count].name) is missing")
    }
    if given.count > positionals.count, positionals.last?.repeats != true {
      throw usage("“\(given[positionals.count])” is one argument too many")
    }
  }

  private func usage(_ message: String) -> CommandError { .usage(of: name, message) }
}
