// How a proxy asks the real server, and how it holds the server back while its client is slow.

package import ServerSentEvents

/// One connection to the real server.
package struct UpstreamConnection: Sendable {
  let transport: any EventStreamTransport
  let passedOn: @Sendable (Int) -> Void

  /// A connection.
  ///
  /// - Parameters:
  ///   - transport: makes it; it neither follows redirects nor decodes anything, or the client gets something else than
  ///     the server sent.
  ///   - passedOn: is told how many bytes of the body the client has taken.
  package init(_ transport: any EventStreamTransport, passedOn: @escaping @Sendable (Int) -> Void = { _ in })
  {
    self.transport = transport
    self.passedOn = passedOn
  }
}
