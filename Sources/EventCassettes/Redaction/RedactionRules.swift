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
  /// Regular expressions (Swift's syntax), matched within one event's joined data, at most 64 KiB of it. Where one takes
  /// longer than two seconds the data is masked whole, then and from then on.
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
    query: Set([
      "key", "token", "auth", "auth_key", "authorization", "subscription_key", "sig", "signature", "session",
      "session_id", "x_amz_signature", "x_amz_credential", "x_amz_security_token", "x_goog_signature",
      "x_goog_credential",
    ]).union(secretNames),
    keys: Set(["authorization", "cookie", "set_cookie"]).union(secretNames))

  /// Names that are a secret's wherever they stand. Not `token` and not `signature` alone: language models stream their
  /// text in members of the first name and public values in members of the second.
  private static let secretNames: Set<String> = {
    let services = [
      "anthropic", "aws", "azure", "cohere", "deepseek", "discord", "elevenlabs", "gcp", "gemini", "github",
      "gitlab", "google", "groq", "hf", "huggingface", "mistral", "npm", "openai", "openrouter", "sendgrid",
      "slack", "stripe", "telegram", "twilio", "xai",
    ]
    let holders = [
      "account", "admin", "app", "current", "database", "db", "new", "old", "root", "service", "user",
    ]
    var names: Set<String> = [
      "access_key", "access_key_id", "access_token", "api_key", "api_secret", "api_token", "auth_token",
      "aws_access_key_id", "aws_secret_access_key", "bearer", "bearer_token", "bot_token", "client_secret",
      "credential", "credentials", "csrf_token", "encryption_key", "id_token", "jwt", "passphrase", "passwd",
      "password", "personal_access_token", "private_key", "pwd", "refresh_token", "secret",
      "secret_access_key", "secret_key", "secret_token", "session_token", "shared_secret", "signing_key",
      "signing_secret", "webhook_secret", "webhook_token", "x_api_key", "x_goog_api_key",
    ]
    for service in services {
      names.formUnion(
        ["api_key", "access_token", "api_token", "key", "secret", "token"].map { "\(service)_\($0)" })
    }
    for holder in holders { names.formUnion(["api_key", "password", "secret"].map { "\(holder)_\($0)" }) }
    return names
  }()

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
