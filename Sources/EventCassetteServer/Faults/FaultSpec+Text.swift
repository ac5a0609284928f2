// The text form of faults. Reading is strict and printing its inverse, so a fault in a report can be pasted back.

extension FaultSpec: CustomStringConvertible {
  /// The fault's text; ``init(parsing:)`` reads it back.
  public var description: String {
    let place =
      switch answer {
      case .first: offset.text
      case .every: "every/\(offset.text)"
      case .exchange(let number): "\(number)/\(offset.text)"
      }
    let values = kind.fault.values
    return "\(type(of: kind.fault).name)@\(place)" + (values.isEmpty ? "" : ":\(values)")
  }

  /// Reads a fault's text.
  ///
  /// Numbers are plain decimal digits, seconds may have up to six decimals.
  /// - Throws: ``FaultSpecError``, which names the part that can't be read and what may stand there.
  public init(parsing text: String) throws(FaultSpecError) {
    guard let at = text.firstIndex(of: "@") else {
      throw Kind.all.contains { $0.name == text }
        ? .init(.invalidPlace, "fault ‘\(text)’ lacks its place: write it like \(text)@0")
        : .init(.unknownKind, "‘\(text)’ is no fault: use \(Self.names)")
    }
    let name = text[..<at]
    guard let fault = Kind.all.first(where: { $0.name == name }) else {
      throw .init(.unknownKind, "‘\(name)’ in ‘\(text)’ is no fault: use \(Self.names)")
    }
    let parts = text[text.index(after: at)...].split(
      separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    var values = FaultValues(
      fault: text, syntax: fault.syntax, text: parts.count == 2 ? String(parts[1]) : nil)
    kind = Kind(try fault.init(&values))
    try values.end()
    (answer, offset) = try Self.place(parts[0], in: text)
    if fault.extent == .wholeHead, offset != .at(0) {
      throw .init(.invalidPlace, "fault ‘\(text)’: \(name) concerns the head, so its offset is 0")
    }
  }

  private static var names: String { Kind.all.map { $0.name }.joined(separator: ", ") }

  private static func place(_ text: Substring, in fault: String) throws(FaultSpecError) -> (Answer, Offset) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    let invalid = FaultSpecError(
      .invalidPlace,
      "‘\(text)’ in fault ‘\(fault)’ is no place: write OFFSET, EXCHANGE/OFFSET or every/OFFSET, where OFFSET is a "
        + "number or random-SEED and EXCHANGE counts from 1")
    guard let last = parts.last, parts.count <= 2 else { throw invalid }
    let offset: Offset
    if let number: Int = decimal(last) {
      offset = .at(number)
    } else if last.hasPrefix("random-"), let seed: UInt64 = decimal(last.dropFirst(7)) {
      offset = .random(seed: seed)
    } else {
      throw invalid
    }
    if parts.count == 1 { return (.first, offset) }
    if parts[0] == "every" { return (.every, offset) }
    guard let number: Int = decimal(parts[0]), number >= 1 else { throw invalid }
    return (.exchange(number), offset)
  }
}

extension FaultSpec.Offset {
  fileprivate var text: String {
    switch self {
    case .at(let offset): "\(offset)"
    case .random(let seed): "random-\(seed)"
    }
  }
}
