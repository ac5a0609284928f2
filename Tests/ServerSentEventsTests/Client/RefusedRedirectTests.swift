// How a redirect that nobody follows reads: the place, the count, and no secret.

import ServerSentEvents
import Testing

@Suite("A redirect that is not followed")
struct RefusedRedirectTests {
  @Test(
    "names its place, without what may be secret",
    arguments: [
      ("", 0, "a redirect without a Location"),
      ("ftp://h/x", 0, "a redirect to ‘ftp://h/x’, which is no address of a web server"),
      ("mailto:x@y", 1, "a redirect to ‘mailto:x@y’, which is no address of a web server, after 1 other"),
      (
        "ftp://me:pw@h/@/x?token=1#a", 3,
        "a redirect to ‘ftp://h/@/x’, which is no address of a web server, after 3 others"
      ),
      ("\u{1B}[2J", 0, #"a redirect to ‘\u{1B}[2J’, which is no address of a web server"#),
    ])
  func unusable(location: String, followed: Int, expected: String) {
    #expect(RefusedRedirect.unusable(location: location, followed: followed).description == expected)
  }

  @Test("a long place is cut")
  func long() {
    let place = "http://h/" + String(repeating: "a", count: 1000)
    #expect(
      RefusedRedirect.tooMany(limit: 20, last: place).description
        == "more than 20 redirects, the last to ‘\(place.prefix(200))…’")
  }
}
