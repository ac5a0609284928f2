// What URLSession talks to: one object for each request, which plays the facts of one exchange to its client. Without a
// speed all of them are told at once, on the thread that asked; with one, a task tells them when their time has come.
//
// URLSession makes these objects from a class and gives them the request alone, without a word of its session, and on
// Linux without the configuration's headers. So that each knows its player, each player has a class of its own.

import EventCassettes
import Foundation
import ServerSentEvents

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Plays one exchange; the classes that are used are those of ``numbered(_:)``.
class CassetteURLProtocol: URLProtocol {
  private var playing: Task<Void, Never>?

  /// Takes every request: nothing of a player's session goes to the network.
  override class func canInit(with request: URLRequest) -> Bool { true }

  /// The request as it is.
  override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

  /// Plays the next exchange.
  override func startLoading() {
    guard let player = PlayerRegistry.shared.player(of: type(of: self)) else {
      return fail(
        URLError(.resourceUnavailable),
        "the CassettePlayer of this session is gone: keep it while the session is used")
    }
    let facts: [StampedTransportFact]
    do {
      facts = try player.facts(for: EventStreamRequest(replayed: request))
    } catch {
      return fail(URLError(.resourceUnavailable), error.description)
    }
    guard player.speed != .instant else {
      for stamped in facts { tell(stamped.fact) }
      return
    }
    let teller = Teller(told: self)
    let speed = player.speed
    playing = Task {
      var pace = ReplayPace(speed: speed)
      for stamped in facts {
        guard (try? await pace.wait(until: stamped.at)) != nil, !Task.isCancelled else { return }
        teller.told.tell(stamped.fact)
      }
    }
  }

  /// Ends the playing: the app closed the connection, or it is over.
  override func stopLoading() { playing?.cancel() }

  private func tell(_ fact: EventStreamTransportFact) {
    switch fact {
    case .redirect: break  // Foundation on Linux can't be told: the last hop answers
    case .response(let response):
      var fields: [String: String] = [:]
      for field in response.headers {
        fields[field.name] = fields[field.name].map { $0 + ", " + field.value } ?? field.value
      }
      guard let url = request.url,
        let head = HTTPURLResponse(
          url: url, statusCode: response.status, httpVersion: "HTTP/1.1", headerFields: fields)
      else { return fail(URLError(.badServerResponse), "the recorded response head can't be made") }
      client?.urlProtocol(self, didReceive: head, cacheStoragePolicy: .notAllowed)
    case .bytes(let bytes): client?.urlProtocol(self, didLoad: Data(bytes))
    case .ended(let end, let detail): finish(end, detail)
    }
  }

  private func finish(_ end: ConnectionEnd, _ detail: String) {
    switch end {
    case .complete: client?.urlProtocolDidFinishLoading(self)
    case .cancelled: break  // the connection was open when the recorder closed it: it stays open here
    case .truncated, .reset: fail(URLError(.networkConnectionLost), detail)
    case .timedOut: fail(URLError(.timedOut), detail)
    case .unreachable: fail(URLError(.cannotConnectToHost), detail)
    case .tls: fail(URLError(.secureConnectionFailed), detail)
    case .protocol: fail(URLError(.badServerResponse), detail)
    case .unknown: fail(URLError(.unknown), detail)
    }
  }

  private func fail(_ error: URLError, _ text: String) {
    var info: [String: Any] = [NSLocalizedDescriptionKey: text]
    info[NSURLErrorFailingURLErrorKey] = request.url
    client?.urlProtocol(
      self, didFailWithError: NSError(domain: NSURLErrorDomain, code: error.errorCode, userInfo: info))
  }
}

/// A class for each number: its binary digits are its generic argument.
private final class NumberedURLProtocol<Digits>: CassetteURLProtocol {}
private enum Top {}
private enum Zero<Rest> {}
private enum One<Rest> {}

extension CassetteURLProtocol {
  /// The class with this number; the same for the same number.
  static func numbered(_ number: UInt64) -> CassetteURLProtocol.Type {
    func build<Digits>(_ rest: UInt64, _: Digits.Type) -> CassetteURLProtocol.Type {
      if rest == 0 { return NumberedURLProtocol<Digits>.self }
      return rest & 1 == 0 ? build(rest >> 1, Zero<Digits>.self) : build(rest >> 1, One<Digits>.self)
    }
    return build(number, Top.self)
  }
}

/// The protocol object on its way into the task that plays it.
private struct Teller: @unchecked Sendable {
  // @unchecked: URLSession itself only starts and stops the object; its client is told by this one task alone.
  let told: CassetteURLProtocol
}

extension EventStreamRequest {
  /// What of a request is compared with the recorded one.
  fileprivate init(replayed request: URLRequest) {
    var headers: [HeaderField] = []
    if let id = request.value(forHTTPHeaderField: "Last-Event-ID") {
      headers.append(HeaderField("Last-Event-ID", id))
    }
    self.init(method: request.httpMethod ?? "GET", url: request.url?.absoluteString ?? "", headers: headers)
  }
}
