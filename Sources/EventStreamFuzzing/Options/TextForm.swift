// Values that people type and programs print (boundary plans, faults): what must hold for reading any text as one.

/// A kind of value with a text form: how it is read and printed.
///
/// ```swift
/// let faults = TextForm("fault") { try FaultSpec(parsing: $0) }
/// if let finding = faults.check("reset@4097") { … }
/// ```
public struct TextForm: Sendable {
  /// The name that findings carry.
  public let name: String
  private let verdict: @Sendable (String) -> (expected: String, got: String)?

  /// A text form.
  /// - Parameters:
  ///   - name: the name that findings carry.
  ///   - isExact: whether a value has one spelling only, so that printing gives back what was read.
  ///   - read: reads a text. The errors it throws describe themselves.
  public init<Value: Equatable & CustomStringConvertible & Sendable>(
    _ name: String, isExact: Bool = false, read: @escaping @Sendable (String) throws -> Value
  ) {
    self.name = name
    verdict = { text in
      let value: Value
      do { value = try read(text) } catch { return Self.verdict(on: "\(error)", about: text) }
      let printed = value.description
      if isExact, !printed.utf8.elementsEqual(text.utf8) { return (text, printed) }
      do {
        let again = try read(printed)
        if again != value { return ("\(printed) again", again.description) }
        return again.description == printed ? nil : (printed, again.description)
      } catch {
        return ("a value from its own text \(printed)", "\(error)")
      }
    }
  }

  /// Reads a text. `nil` if it is a value that prints and reads back the same, or an error that quotes what is wrong.
  public func check(_ text: String) -> Finding? {
    verdict(text).map { Finding(oracle: name, delivery: "whole", expected: $0.expected, got: $0.got) }
  }

  /// An error names the place: it quotes a part of the text, and is not much longer than that.
  private static func verdict(on message: String, about text: String) -> (expected: String, got: String)? {
    let longest = 4 * text.utf8.count + 1_000
    if message.utf8.count > longest { return ("an error of at most \(longest) bytes", message) }
    if text.isEmpty { return message.isEmpty ? ("an error that says something", "an empty one") : nil }
    // By scalars: a combining mark after a quotation mark is not part of that.
    let quoted = message.unicodeScalars.split(separator: "‘", omittingEmptySubsequences: false).dropFirst()
      .map { $0.prefix { $0 != "’" } }
    // Quotes within the text itself break it into parts, which are then what is quoted.
    let isQuoted = quoted.contains { !$0.isEmpty && text.unicodeScalars.contains($0) }
    return isQuoted || text.unicodeScalars.contains { $0 == "‘" || $0 == "’" }
      ? nil : ("an error that quotes a part of \(String(reflecting: text))", message)
  }
}

extension String.UnicodeScalarView {
  fileprivate func contains(_ part: Substring.UnicodeScalarView) -> Bool {
    var rest = self[...]
    while !rest.isEmpty {
      if rest.starts(with: part) { return true }
      rest.removeFirst()
    }
    return part.isEmpty
  }
}
