// Where a redirect leads, and with what: the rules of the Fetch standard (section 4.5, HTTP-redirect fetch), which are
// URLSession's too, but that every usual credential stays behind, not Authorization alone. Pure.

import EventSourceURLSession
import Foundation
import ServerSentEvents

/// The redirects of one connection so far.
struct Redirection {
  enum Step: Hashable {
    /// This is no redirect.
    case none
    case follow(EventStreamRequest)
    case refuse(RefusedRedirect)
  }

  /// As many as browsers follow.
  static let most = 20

  private let origin: WebOrigin?
  private var count = 0
  private var hasLeftOrigin = false

  init(of request: EventStreamRequest) {
    origin = URL(string: request.url).flatMap(WebOrigin.init)
  }

  /// What an answer to a request asks for.
  mutating func next(after response: EventStreamResponse, to request: EventStreamRequest) -> Step {
    guard [301, 302, 303, 307, 308].contains(response.status) else { return .none }
    let location = response.headers["Location"] ?? ""
    guard !location.isEmpty, let base = URL(string: request.url),
      let target = URL(string: location, relativeTo: base)?.absoluteURL,
      ["http", "https"].contains(target.scheme?.lowercased()), target.host?.isEmpty == false
    else { return .refuse(.unusable(location: location, followed: count)) }
    count += 1
    if count > Self.most { return .refuse(.tooMany(limit: Self.most, last: target.absoluteString)) }
    var next = request
    next.url = target.absoluteString
    let becomesGet =
      response.status == 303
      ? !["GET", "HEAD"].contains(request.method) : response.status < 303 && request.method == "POST"
    if becomesGet {
      next.method = "GET"
      next.body = []
      for name in [
        "Content-Type", "Content-Length", "Content-Encoding", "Content-Language", "Content-Location",
      ] {
        next.headers[name] = nil
      }
    }
    // Once away it stays away: a chain that comes back through a stranger gets nothing either.
    hasLeftOrigin = hasLeftOrigin || origin == nil || WebOrigin(target) != origin
    if hasLeftOrigin { for name in request.namesOfCredentials { next.headers[name] = nil } }
    return .follow(next)
  }
}
