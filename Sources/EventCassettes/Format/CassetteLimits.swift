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

  /// Creates limits.
  public init(inflated: Int = 4 << 30) { self.inflated = inflated }

  /// The default limits.
  public static let `default` = CassetteLimits()
}
