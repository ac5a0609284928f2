// The limits that keep hostile cassettes from taking memory or time, in one place.

/// What a cassette may hold before reading it is an error.
public struct CassetteLimits: Hashable, Sendable {
  /// The longest payload of a record in bytes: 64 MiB. The format sets it, since a reader must hold one record.
  public static let record = 64 << 20
  /// The longest JSON payload in bytes: 1 MiB. The format sets it.
  public static let json = 1 << 20
  /// How deep JSON may be nested: 64. The format sets it.
  public static let nesting = 64

  /// The inflated bytes that may be read in all: 4 GiB unless the caller says otherwise.
  public var inflated: Int
  /// About how much memory a cassette that is read whole may take, in bytes: 2 GiB unless the caller says otherwise. It is
  /// a multiple of the file where records are small. What reads record by record takes no such memory.
  public var held: Int

  /// Creates limits.
  public init(inflated: Int = 4 << 30, held: Int = 2 << 30) {
    self.inflated = inflated
    self.held = held
  }

  /// The default limits.
  public static let `default` = CassetteLimits()
}
