// One body, masked at equal length while it streams by. It works on the joined bytes, whatever chunks they came in:
// which line of an event stream a byte is on, which JSON member's value it belongs to, whether a known secret stands
// there. `decided` says up to where that is settled; only what comes after has to wait.

struct BodyMask {
  /// How the bytes are read.
  enum Kind {
    /// Lines with field names; the `data` lines of an event are joined.
    case eventStream
    /// As they are.
    case plain
    /// Items of a form, unless the first byte says that it is JSON: `curl -d` calls everything a form.
    case form
  }

  /// What masking found, for the recording's header and trailer.
  struct Found {
    var keys: Set<String> = []
    var echoes: Int64 = 0
    var matches: Int64 = 0
    /// How often data was masked whole, since a pattern took too long.
    var unsearched: Int64 = 0
  }

  enum Line { case undecided, afterData, data, comment, known, other }

  /// Spelled names in the record of what was masked: hostile streams may spell one name in endless ways.
  private static let mostNames = 256
  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
  private static let knownFields = ["event", "id", "retry"].map { Array($0.utf8) }
  private static let dataField = Array("data".utf8)

  private(set) var kind: Kind
  private var hasContent = false  // a byte that is no white space; only asked of forms
  var window = MaskWindow()
  var data: SecretLexer
  var other: SecretLexer
  var comment: SecretLexer
  private var form: FormLexer
  var dataForm: FormLineLexer
  private(set) var query: QueryItemLexer
  private(set) var patterns: PatternMask
  var line = Line.undecided
  /// The beginning of a line that may still be a known field's name.
  private(set) var prefix: [UInt8] = []
  var afterCR = false
  private var markLength = 0
  private var echoesSearched = 0  // a position

  init(_ kind: Kind, names: SecretNames, patterns: PatternMask) {
    self.kind = kind
    self.patterns = patterns
    data = SecretLexer(names: names.members, stringsEndAtLineEnds: false)
    other = SecretLexer(names: names.members, stringsEndAtLineEnds: true)
    comment = other
    form = FormLexer(names: kind == .form ? names.formItems : [])
    dataForm = FormLineLexer(names: names.formItems, sureNames: names.members.names)
    query = QueryItemLexer(names: names.items)
  }

  /// The position behind the last byte.
  var end: Int { window.end }

  /// The position before which every byte is settled.
  var decided: Int {
    let held = max(data.held, other.held, comment.held)
    return min(echoesSearched, window.end - held, patterns.heldFrom ?? .max)
  }

  /// Takes bytes in.
  mutating func append(_ bytes: [UInt8], _ secrets: inout SecretSet, _ found: inout Found) {
    var position = window.end
    window.append(bytes)
    var isNew = false
    var index = 0
    while index < bytes.count {
      let skipped = skip(bytes.span, from: index, at: position)
      if skipped > 0 {
        index += skipped
        position += skipped
        continue
      }
      step(bytes[index], position, &secrets, &found, &isNew)
      index += 1
      position += 1
    }
    if secrets.isEmpty {
      echoesSearched = window.end
    } else {
      // A secret that was just learned may stand in what is still here.
      search(from: isNew ? window.base : echoesSearched, secrets, &found)
    }
  }

  /// The body ends: everything is settled.
  mutating func finish(_ secrets: inout SecretSet, _ found: inout Found) {
    for held in 0..<max(data.held, other.held, comment.held) { window.maskText(window.end - 1 - held) }
    var isNew = false
    matchPatterns(&secrets, &found, &isNew)
    if kind == .form { form.finish { Self.learn($0, $1, &secrets, &found, &isNew) } }
    query.finish { Self.learn($0, $1, &secrets, &found, &isNew) }
    dataForm.finish { Self.learn($0, $1, &secrets, &found, &isNew) }
    if isNew { search(from: window.base, secrets, &found) }
    var index = echoesSearched - window.base
    while index < window.raw.count {
      // What broke off in the middle of a secret is a good part of it.
      let length = secrets.unfinished(window.raw, at: index)
      if length > 0, window.maskFound(index..<index + length) { found.echoes += 1 }
      search(from: window.base + index + 1, secrets, &found)
      index = max(index + 1, echoesSearched - window.base)
    }
    echoesSearched = window.end
    data.reset()
    other.reset()
    comment.reset()
  }

  /// Takes the next `count` settled bytes out; `nil` if they are as they came.
  mutating func take(_ count: Int) -> [UInt8]? { window.take(count) }

  private mutating func search(from position: Int, _ secrets: SecretSet, _ found: inout Found) {
    echoesSearched =
      window.base + Self.search(&window, from: position - window.base, secrets, &found)
  }

  private static func search(
    _ window: inout MaskWindow, from index: Int, _ secrets: SecretSet, _ found: inout Found
  ) -> Int {
    secrets.scan(window.raw, from: index) { range in
      if window.maskFound(range) { found.echoes += 1 }
    }
  }

  // MARK: Lines

  private mutating func step(
    _ byte: UInt8, _ position: Int, _ secrets: inout SecretSet, _ found: inout Found, _ isNew: inout Bool
  ) {
    if kind == .form, !hasContent { beginForm(byte) }
    if kind == .form {
      // White space before a form belongs to no name.
      if !hasContent { return }
      let isMasked = form.feed(byte) { Self.learn($0, $1, &secrets, &found, &isNew) }
      if isMasked { window.maskText(position) }
      // An item's value may be JSON that nobody percent-encoded.
      feed(.other, byte, position, &secrets, &found, &isNew)
      if !patterns.isEmpty { collect(byte, position, &secrets, &found, &isNew) }
      return
    }
    if kind == .plain {
      feed(.other, byte, position, &secrets, &found, &isNew)
      if !patterns.isEmpty { collect(byte, position, &secrets, &found, &isNew) }
      return
    }
    if position == markLength, markLength < 3, byte == Self.byteOrderMark[markLength] {
      markLength += 1
      window.protect(position)
      return
    }
    if byte == 0x0A, afterCR {
      afterCR = false
      window.protect(position)
      return
    }
    afterCR = byte == 0x0D
    if byte == 0x0A || byte == 0x0D {
      window.protect(position)
      endLine(position, &secrets, &found, &isNew)
      return
    }
    switch line {
    case .undecided: beginLine(byte, position, &secrets, &found, &isNew)
    case .afterData:
      line = .data
      dataForm.begin()
      if byte == 0x20 {
        window.protect(position)
      } else {
        feedData(byte, position, &secrets, &found, &isNew)
      }
    case .data: feedData(byte, position, &secrets, &found, &isNew)
    case .comment: feed(.comment, byte, position, &secrets, &found, &isNew)
    case .known: break
    case .other: feed(.other, byte, position, &secrets, &found, &isNew)
    }
  }

  /// Names of forms hold no brackets as they are: what begins with one was only called a form. White space and a byte
  /// order mark before it belong to neither.
  private mutating func beginForm(_ byte: UInt8) {
    switch byte {
    case 0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF: return
    case UInt8(ascii: "{"), UInt8(ascii: "["): kind = .plain
    default: break
    }
    hasContent = true
  }

  private mutating func beginLine(
    _ byte: UInt8, _ position: Int, _ secrets: inout SecretSet, _ found: inout Found, _ isNew: inout Bool
  ) {
    if byte == UInt8(ascii: ":") {
      if prefix.isEmpty {
        line = .comment
      } else if prefix == Self.dataField {
        line = .afterData
      } else if Self.knownFields.contains(prefix) {
        line = .known
      } else {
        otherLine(position, &secrets, &found, &isNew)
        feed(.other, byte, position, &secrets, &found, &isNew)
        return
      }
      for place in position - prefix.count...position { window.protect(place) }
      prefix.removeAll(keepingCapacity: true)
      return
    }
    prefix.append(byte)
    if Self.dataField.starts(with: prefix) || Self.knownFields.contains(where: { $0.starts(with: prefix) }) {
      return
    }
    prefix.removeLast()
    otherLine(position, &secrets, &found, &isNew)
    feed(.other, byte, position, &secrets, &found, &isNew)
  }

  /// The line has no name that the standard knows: what was read of it is content. (These are letters, which no
  /// state that outlives a line's end masks, so they never had to wait.)
  private mutating func otherLine(
    _ position: Int, _ secrets: inout SecretSet, _ found: inout Found, _ isNew: inout Bool
  ) {
    line = .other
    let letters = prefix
    prefix.removeAll(keepingCapacity: true)
    for (index, letter) in letters.enumerated() {
      feed(.other, letter, position - letters.count + index, &secrets, &found, &isNew)
    }
  }

  private mutating func endLine(
    _ position: Int, _ secrets: inout SecretSet, _ found: inout Found, _ isNew: inout Bool
  ) {
    switch line {
    case .undecided:
      if prefix.isEmpty {
        // The event ends.
        matchPatterns(&secrets, &found, &isNew)
        data.reset()
        other.reset()
      } else if prefix == Self.dataField {
        for place in position - prefix.count..<position { window.protect(place) }
        feedData(0x0A, position, &secrets, &found, &isNew)
      } else if !Self.knownFields.contains(prefix) {
        otherLine(position, &secrets, &found, &isNew)
        feed(.other, 0x0A, position, &secrets, &found, &isNew)
      }
    case .afterData, .data: feedData(0x0A, position, &secrets, &found, &isNew)
    case .comment:
      feed(.comment, 0x0A, position, &secrets, &found, &isNew)
      comment.reset()
    case .known: break
    case .other: feed(.other, 0x0A, position, &secrets, &found, &isNew)
    }
    line = .undecided
    prefix.removeAll(keepingCapacity: true)
  }

  // MARK: Content

  private mutating func feedData(
    _ byte: UInt8, _ position: Int, _ secrets: inout SecretSet, _ found: inout Found, _ isNew: inout Bool
  ) {
    feed(.data, byte, position, &secrets, &found, &isNew)
    if dataForm.isActive {
      let isMasked = dataForm.feed(byte) { Self.learn($0, $1, &secrets, &found, &isNew) }
      if isMasked { window.maskText(position) }
    }
    if !patterns.isEmpty { collect(byte, position, &secrets, &found, &isNew) }
  }

  private mutating func collect(
    _ byte: UInt8, _ position: Int, _ secrets: inout SecretSet, _ found: inout Found, _ isNew: inout Bool
  ) {
    patterns.append(byte, at: position)
    if patterns.isFull { matchPatterns(&secrets, &found, &isNew) }
  }

  private mutating func matchPatterns(
    _ secrets: inout SecretSet, _ found: inout Found, _ isNew: inout Bool
  ) {
    if patterns.isEmpty { return }
    let verdict = patterns.run()
    for match in verdict.matches {
      let isNumber = MaskWindow.isNumber(match.bytes[...])
      for position in match.positions {
        if isNumber { window.maskDigit(position) } else { window.maskText(position) }
      }
      found.matches += 1
      if secrets.add(match.bytes) { isNew = true }
    }
    if !verdict.unsearched.isEmpty { found.unsearched += 1 }
    for position in verdict.unsearched { window.maskText(position) }
  }

  private enum Lexer { case data, other, comment }

  private mutating func feed(
    _ lexer: Lexer, _ byte: UInt8, _ position: Int, _ secrets: inout SecretSet, _ found: inout Found,
    _ isNew: inout Bool
  ) {
    let value =
      switch lexer {
      case .data: Self.feed(&data, &window, byte, position, &found)
      case .other: Self.feed(&other, &window, byte, position, &found)
      case .comment: Self.feed(&comment, &window, byte, position, &found)
      }
    if let value { learn(value, &secrets, &isNew) }
    let isMasked = query.feed(byte) { Self.learn($0, $1, &secrets, &found, &isNew) }
    if isMasked { window.maskText(position) }
  }

  private static func feed(
    _ lexer: inout SecretLexer, _ window: inout MaskWindow, _ byte: UInt8, _ position: Int,
    _ found: inout Found
  ) -> SecretLexer.Value? {
    let before = lexer.held
    let verdict = lexer.feed(byte)
    let resolved = lexer.resolvedMask
    if resolved > 0 {
      for place in position - before..<position - before + resolved { window.maskText(place) }
    }
    switch verdict {
    case .keep, .hold: break
    case .maskText: window.maskText(position)
    case .maskDigit: window.maskDigit(position)
    case .settle: window.settle(position)
    }
    if let name = lexer.name, found.keys.count < mostNames {
      found.keys.insert(String(decoding: name, as: UTF8.self).lowercased())
    }
    return lexer.finished
  }

  /// The masked value of an item of a form or a URL, as it was spelled and decoded.
  private static func learn(
    _ name: [UInt8], _ spelling: [UInt8], _ secrets: inout SecretSet, _ found: inout Found,
    _ isNew: inout Bool
  ) {
    if found.keys.count < mostNames { found.keys.insert(String(decoding: name, as: UTF8.self).lowercased()) }
    if secrets.add(spelling) { isNew = true }
    if secrets.add(Percent.decoded(spelling)) { isNew = true }
  }

  /// A masked value: it is looked for as it was spelled and as what it means.
  private func learn(
    _ value: SecretLexer.Value, _ secrets: inout SecretSet, _ isNew: inout Bool
  ) {
    var spelling = value.spelling
    if secrets.add(spelling) { isNew = true }
    guard value.isText, spelling.contains(UInt8(ascii: "\\")) else { return }
    var run = value.run
    while true {
      spelling = SecretLexer.unescaped(spelling)
      if secrets.add(spelling) { isNew = true }
      if run == 0 { return }
      run = (run - 1) / 2
    }
  }
}
