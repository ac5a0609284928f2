// What can go wrong with a loopback server, for its owner and for a handler.

/// An error of a loopback server. Errors are equal if their codes are.
public struct LoopbackServerError: Error, Sendable, CustomStringConvertible {
  /// The kind of an error.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    let name: String

    /// The port is taken by another program.
    public static let portInUse = Code(name: "portInUse")
    /// The system refused a socket or the listening.
    public static let cannotListen = Code(name: "cannotListen")
    /// The client closed or reset the connection.
    public static let clientClosed = Code(name: "clientClosed")
    /// Something was sent out of order: a second head, a body before its head, anything after the end.
    public static let outOfOrder = Code(name: "outOfOrder")

    /// The code's name.
    public var description: String { name }
  }

  /// The kind.
  public let code: Code
  /// What happened and what can be done.
  public let message: String

  /// The message.
  public var description: String { message }
}

extension LoopbackServerError: Hashable {
  /// Whether the codes are equal.
  public static func == (a: LoopbackServerError, b: LoopbackServerError) -> Bool { a.code == b.code }
  /// Hashes the code.
  public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}
