// The one error of cassettes and their files. Codes are open, so that a later version adds one without breaking
// anybody's switch; the message is for people and names the place and the next step.

/// What went wrong with a cassette or its file.
///
/// Two errors are equal if their codes are: tests and callers decide by ``code``, people read ``message``.
public struct CassetteError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The kind of fault.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The code's name.
    public let description: String
    private init(_ name: String) { description = name }

    /// The file has no whole header record: empty, text, or something else altogether.
    public static let notACassette = Code("notACassette")
    /// The header names a format version that this reader doesn't know.
    public static let unknownFormat = Code("unknownFormat")
    /// Bytes that the format forbids: a bad gzip head, compressed data, checksum, number, JSON or field.
    public static let damaged = Code("damaged")
    /// Records in an order that the format forbids.
    public static let outOfOrder = Code("outOfOrder")
    /// The trailer's totals differ from what was read.
    public static let totalsDiffer = Code("totalsDiffer")
    /// A record, a JSON payload or the inflated size is over the limit set.
    public static let overLimit = Code("overLimit")
    /// No such file.
    public static let noSuchFile = Code("noSuchFile")
    /// A folder where a file is needed.
    public static let isFolder = Code("isFolder")
    /// The file can't be read: no permission, or a standard input that is closed.
    public static let unreadable = Code("unreadable")
    /// The output file exists already and overwriting was not asked for.
    public static let exists = Code("exists")
    /// Another writer holds the file.
    public static let inUse = Code("inUse")
    /// The file can't be created or opened for writing: no such folder, no permission.
    public static let cannotOpen = Code("cannotOpen")
    /// The disk, the quota or the file-size limit is used up.
    public static let noSpace = Code("noSpace")
    /// The file was removed while it was being written: nothing of it is left.
    public static let removed = Code("removed")
    /// Any other failure of reading or writing.
    public static let inputOutput = Code("inputOutput")
    /// The writer was closed, or failed before; what it wrote until then is kept.
    public static let closed = Code("closed")
    /// A rule or an option that can't be used, such as a regular expression that doesn't compile.
    public static let badRule = Code("badRule")
    /// A part of a cassette was asked for in which nothing lies.
    public static let nothingSelected = Code("nothingSelected")
    /// A file in another format whose content is not what that format says.
    public static let notImportable = Code("notImportable")
  }

  /// Where in the cassette.
  public struct Place: Hashable, Sendable {
    /// The byte offset in the file at which the gzip member begins.
    public var memberOffset: Int
    /// The number of the record from 1, counted over the whole file.
    public var record: Int
  }

  /// The kind of fault.
  public var code: Code
  /// The file's name as the caller gave it, if there is one.
  public var file: String?
  /// Where in the cassette, for faults of its content.
  public var place: Place?
  /// What is wrong and what to do, in a sentence.
  public var message: String

  /// Creates an error.
  public init(_ code: Code, file: String? = nil, place: Place? = nil, _ message: String) {
    self.code = code
    self.file = file
    self.place = place
    self.message = message
  }

  /// The whole text: file, place, message, and what to do about it.
  public var description: String {
    advice.map { "\(locatedMessage); \($0)" } ?? locatedMessage
  }

  /// File, place and message, for programs that have advice of their own.
  package var locatedMessage: String {
    var text = ""
    if let file { text += file + ": " }
    if let place { text += "member at byte \(place.memberOffset), record \(place.record): " }
    return text + message
  }

  /// What to do, for kinds of faults whose messages only say what is wrong.
  private var advice: String? {
    switch code {
    case .notACassette: "`wiretape record` makes cassettes"
    case .damaged, .outOfOrder, .totalsDiffer: "`wiretape recover` keeps every record before the fault"
    case .noSuchFile: "check the name and the folder"
    case .unreadable: "give a file or a pipe that may be read"
    case .noSpace: "make room, or write elsewhere"
    case .removed: "record again, into a folder that stays"
    case .closed: "make a new writer"
    case .inputOutput: "look after the disk and the permissions"
    case .nothingSelected: "`wiretape inspect` shows what there is"
    case .notImportable: "check that it is in the format that was asked for"
    default: nil
    }
  }

  /// Whether both have the same code.
  public static func == (a: CassetteError, b: CassetteError) -> Bool { a.code == b.code }
}
