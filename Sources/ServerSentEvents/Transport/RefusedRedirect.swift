// Why a redirect is not followed, in words. The transports judge where redirects lead and the client counts them: this is
// what they both say.

/// A redirect that is not followed.
package enum RefusedRedirect: Hashable, Sendable, CustomStringConvertible {
  /// Its `Location` is empty or missing, or no address of a web server; so many redirects were followed before.
  case unusable(location: String, followed: Int)
  /// More redirects than are followed, as in a loop.
  case tooMany(limit: Int, last: String)

  /// The cause of the end, with the place.
  package var description: String {
    switch self {
    case .unusable(let location, let followed):
      let place =
        location.isEmpty
        ? "without a Location" : "to ‘\(Self.printable(location))’, which is no address of a web server"
      let before = followed == 0 ? "" : ", after \(followed) other" + (followed == 1 ? "" : "s")
      return "a redirect \(place)\(before)"
    case .tooMany(let limit, let last):
      return "more than \(limit) redirects, the last to ‘\(Self.printable(last))’"
    }
  }

  /// The first 200 characters, fit for a terminal, without the parts of a URL in which secrets stand.
  private static func printable(_ location: String) -> String {
    var parts = location.prefix { $0 != "?" && $0 != "#" }
      .split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
    if parts.count > 2, parts[1].isEmpty, let at = parts[2].lastIndex(of: "@") {
      parts[2] = parts[2][parts[2].index(after: at)...]  // no user, no password
    }
    let place = parts.joined(separator: "/").unicodeScalars
    let text = place.prefix(200).map { $0.escaped(asASCII: false) }.joined()
    return place.count > 200 ? text + "…" : text
  }
}
