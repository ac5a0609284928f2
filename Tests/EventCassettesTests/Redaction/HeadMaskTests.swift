import ServerSentEvents
import Testing

@testable import EventCassettes

@Suite struct HeadMaskTests {
  private let mask: HeadMask = HeadMask(RedactionRules.standard)

  static let fieldCases: [(String, String, String, [String])] = [
    ("Authorization", "Bearer abc.def", "Bearer [FILTERED]", ["abc.def"]),
    (
      "authorization", "Basic dXNlcjpwYXNzd29yZA==", "Basic [FILTERED]",
      ["dXNlcjpwYXNzd29yZA==", "user:password", "password"]
    ),
    ("Authorization", "abcdef", "[FILTERED]", ["abcdef"]),
    ("Authorization", "", "", []),
    ("Authorization", "Bearer [FILTERED]", "Bearer [FILTERED]", []),
    ("Proxy-Authorization", "Basic eDp5", "[FILTERED]", ["eDp5", "x:y", "y"]),
    ("Cookie", "a=1; b=2=3; c=", "a=[FILTERED]; b=[FILTERED]; c=", ["1", "2=3"]),
    ("Cookie", "loose", "[FILTERED]", ["loose"]),
    (
      "Set-Cookie", "sid=xyz; Path=/; HttpOnly; Expires=Wed, 21 Oct 2026 07:28:00 GMT",
      "sid=[FILTERED]; Path=/; HttpOnly; Expires=Wed, 21 Oct 2026 07:28:00 GMT", ["xyz"]
    ),
    (
      "Set-Cookie", "a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT, b=2; Secure,c=3",
      "a=[FILTERED]; Expires=Wed, 21 Oct 2026 07:28:00 GMT, b=[FILTERED]; Secure,c=[FILTERED]",
      ["1", "2", "3"]
    ),
    ("X-API-Key", "k", "[FILTERED]", ["k"]),
    ("x-api-KEY", "k", "[FILTERED]", ["k"]),
    (
      "Location", "/next?token=t&x=1#access_token=q", "/next?token=[FILTERED]&x=1#access_token=[FILTERED]",
      ["t", "q"]
    ),
    ("Referer", "https://u:p@h/?sig=s", "https://[FILTERED]@h/?sig=[FILTERED]", ["p", "u:p", "s"]),
    ("Accept", "token=abc", "token=abc", []),
    ("Last-Event-ID", "42", "42", []),
  ]

  @Test("header fields lose their secrets and keep the rest", arguments: fieldCases.indices)
  func headers(index: Int) {
    let (name, value, expected, secrets) = Self.fieldCases[index]
    var found = HeadMask.Found()
    let masked = mask.masked([HeaderField(name, value)], &found)
    #expect(masked == [HeaderField(name, expected)])
    #expect(found.secrets == secrets)
  }

  static let urlCases: [(String, String)] = [
    ("http://h/e", "http://h/e"),
    (
      "http://h/e?api_key=a&API-Key=b&apikey=c&page=2",
      "http://h/e?api_key=[FILTERED]&API-Key=[FILTERED]&apikey=[FILTERED]&page=2"
    ),
    ("http://h/e?ke%79=a", "http://h/e?ke%79=[FILTERED]"),
    ("http://h/e?key=&key", "http://h/e?key=&key"),
    ("http://h/e?monkey=1&x_key=2", "http://h/e?monkey=1&x_key=2"),
    ("https://user:p%40ss@h:8/e", "https://[FILTERED]@h:8/e"),
    ("https://h/a@b?x=http://u:p@h", "https://h/a@b?x=http://u:p@h"),
    ("//u:p@h/e", "//[FILTERED]@h/e"),
    ("stdin:", "stdin:"),
    ("", ""),
  ]

  @Test("URLs lose user info and secret items", arguments: urlCases.indices)
  func urls(index: Int) {
    var found = HeadMask.Found()
    #expect(mask.masked(url: Self.urlCases[index].0, &found) == Self.urlCases[index].1)
  }

  @Test("what was masked is told by name")
  func record() {
    var found = HeadMask.Found()
    _ = mask.masked([HeaderField("Cookie", "a=1"), HeaderField("X-Api-Key", "k")], &found)
    _ = mask.masked(url: "http://u@h/?Sig=s", &found)
    #expect(found.headers == ["cookie", "x-api-key"])
    #expect(found.query == ["Sig", HeadMask.userInfo])
  }
}
