// The one list of header fields that hold secrets: what a redirect must not carry to a stranger is what a recording must
// not carry to a disk.

/// Header fields that are credentials by their usual names.
package enum CredentialFields {
  /// The names, to be compared without ASCII case.
  package static let names: [String] = [
    "Authorization", "Proxy-Authorization", "Cookie", "Set-Cookie", "X-API-Key", "API-Key", "APIKey",
    "X-API-Token",
    "X-API-Secret", "X-Auth-Key", "X-Auth-Token", "X-Auth", "Auth-Token", "X-Authorization",
    "Authentication",
    "X-Access-Token", "Access-Token", "X-Token", "X-Session-Token", "X-Session-Id", "X-Refresh-Token",
    "X-Client-Secret", "X-CSRF-Token", "X-XSRF-Token", "X-Amz-Security-Token", "X-Goog-API-Key",
    "X-Goog-IAP-JWT-Assertion", "X-Functions-Key", "Ocp-Apim-Subscription-Key", "Private-Token",
    "Job-Token",
    "X-Vault-Token", "X-GitLab-Token", "X-Shopify-Access-Token", "CF-Access-Token",
    "CF-Access-Client-Secret",
    "X-Forwarded-Authorization", "XI-API-Key", "Helicone-Auth", "X-RapidAPI-Key", "X-Subscription-Token",
    "X-Amzn-OIDC-Data", "X-Amzn-OIDC-AccessToken", "DPoP",
  ]
}
