// What is to be masked, as plain data: names of headers, query items and JSON members, and patterns. What is done with
// them is in the other files of this folder.

import ServerSentEvents

/// What a recording masks before anything reaches the disk.
public struct RedactionRules: Hashable, Sendable {
  /// Names of header fields, compared without ASCII case.
  public var headers: Set<String>
  /// Names of query items, compared without ASCII case, `_` and `-`.
  public var query: Set<String>
  /// Names of JSON members, compared without ASCII case, `_` and `-`.
  public var keys: Set<String>
  /// Regular expressions (Swift's syntax), matched within one event's joined data, at most 64 KiB of it.
  public var patterns: [String]

  /// Creates rules that mask exactly these.
  public init(
    headers: Set<String> = [], query: Set<String> = [], keys: Set<String> = [], patterns: [String] = []
  ) {
    self.headers = headers
    self.query = query
    self.keys = keys
    self.patterns = patterns
  }

  /// What is masked unless the user says otherwise: credentials by the names that they usually have.
  public static let standard = RedactionRules(
    headers: Set(CredentialFields.names),
    query: [
      "key", "api_key", "token", "access_token", "refresh_token", "id_token", "auth", "auth_token",
      "authorization",
      "auth_key", "access_key", "private_key", "subscription_key", "sig", "signature", "secret",
      "client_secret",
      "api_secret", "password", "passwd", "pwd", "passphrase", "jwt", "session", "session_id",
      "session_token",
      "credential", "credentials", "x_amz_signature", "x_amz_credential", "x_amz_security_token",
      "x_goog_signature",
      "x_goog_credential", "csrf_token",
    ],
    // Not `token` and not `signature`: language models stream their text in members of the first name and public
    // values in members of the second.
    keys: [
      "password", "passwd", "passphrase", "secret", "client_secret", "api_secret", "secret_key",
      "secret_access_key",
      "aws_secret_access_key", "access_token", "refresh_token", "id_token", "auth_token", "session_token",
      "bearer_token", "api_token", "csrf_token", "jwt", "api_key", "x_api_key", "access_key", "private_key",
      "authorization", "credential", "credentials", "cookie", "set_cookie",
    ])

  /// A name as names of query items and JSON members are compared: ASCII lower case, without `_` and `-`.
  static func folded(_ name: some Sequence<UInt8>) -> [UInt8] {
    var folded: [UInt8] = []
    for byte in name {
      switch byte {
      case UInt8(ascii: "_"), UInt8(ascii: "-"): break
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): folded.append(byte | 0x20)
      default: folded.append(byte)
      }
    }
    return folded
  }
}
