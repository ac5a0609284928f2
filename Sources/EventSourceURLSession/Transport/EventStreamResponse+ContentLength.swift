// What HTTP libraries are too kind about: a Content-Length that says nothing, or two things. RFC 9110, section 8.6, and
// RFC 9112, section 6.3: whoever gets one can't know where the body ends.

package import ServerSentEvents

extension EventStreamResponse {
  /// What is wrong with the length that the head states, in words for people; `nil` where nothing is, and where chunks frame
  /// the body. Two fields that say the same are one.
  package var contentLengthProblem: String? {
    guard headers["Transfer-Encoding"] == nil else { return nil }
    let values = headers.values(of: "Content-Length").flatMap { value in
      value.split(separator: ",", omittingEmptySubsequences: false).map {
        $0.drop { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" }
      }
    }
    guard let first = values.first else { return nil }
    for value in values where value.isEmpty || !value.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      return "the response's Content-Length is no number: ‘\(value.prefix(40))’"
    }
    guard values.allSatisfy({ Int64($0) != nil }) else {
      return "the response's Content-Length is too large to be true"
    }
    guard let other = values.first(where: { Int64($0) != Int64(first) }) else { return nil }
    return "the response has two Content-Lengths: \(first) and \(other)"
  }
}
