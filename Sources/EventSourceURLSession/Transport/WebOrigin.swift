// Where a client's credentials belong.

package import Foundation

/// What must be the same for credentials to be sent: scheme, host and port (RFC 6454).
package struct WebOrigin: Hashable, Sendable {
  private let scheme: String
  private let host: String
  private let port: Int

  /// The origin of a URL; `nil` if it has none.
  package init?(_ url: URL) {
    guard let scheme = url.scheme?.lowercased(), let host = url.host?.lowercased() else { return nil }
    self.scheme = scheme
    self.host = host
    port = url.port ?? (scheme == "https" ? 443 : 80)
  }
}
