// Event streams over libcurl, for programs on Linux. Foundation's URLSession is made of the same library there, but ends
// the process where a server breaks off in the middle of a head or sends a trailer field, loses an answer whose head isn't
// UTF-8, and keeps neither the order of fields nor two of one name. Here the library's own callbacks become facts: what
// they mean is in CurlConnection, how a head is read in ResponseHeadReader, where a redirect leads in Redirection, how
// results are named in ConnectionEnd+Curl.

import CCurl
package import EventSourceURLSession
import Foundation
package import ServerSentEvents

/// Opens event streams with libcurl, each on a thread of its own.
///
/// HTTP/1.1, and HTTP/2 where a server of https offers it; certificates are checked against the system's, or the file that
/// `CURL_CA_BUNDLE` or `SSL_CERT_FILE` names; proxies are those of the environment (`https_proxy`, `no_proxy` and so on).
/// There are no cookies, no caches and no timeouts but five minutes for connecting: the idle timeout is the client's.
package struct CurlEventStreamTransport: HeldBackTransport {
  /// What is done with an answer before it is handed on.
  package struct Treatment: OptionSet, Sendable {
    package let rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }

    /// Redirects are followed, as `redirect` facts; to another origin without credentials.
    package static let redirectsFollowed = Treatment(rawValue: 1)
    /// A content encoding is undone, and the response says so.
    package static let contentDecoded = Treatment(rawValue: 2)
  }

  private let treatment: Treatment
  private let credit: ReceivingCredit?

  /// A transport, or `nil` where there is no libcurl: on Apple's platforms, and where it's missing or older than 7.68.
  ///
  /// - Parameter treatment: as a client wants it; a proxy wants none of it.
  package init?(_ treatment: Treatment = [.redirectsFollowed, .contentDecoded]) {
    guard ccurl_load() else { return nil }
    self.init(treatment, credit: nil)
  }

  private init(_ treatment: Treatment, credit: ReceivingCredit?) {
    self.treatment = treatment
    self.credit = credit
  }

  /// The same transport, which hands answers on as they came: for a proxy.
  package var asProxy: CurlEventStreamTransport { CurlEventStreamTransport([], credit: credit) }

  /// The same transport for one connection at a time, whose server is held back while too much waits to be taken in.
  package func heldBack(by credit: ReceivingCredit) -> any EventStreamTransport {
    CurlEventStreamTransport(treatment, credit: credit)
  }

  /// Opens one connection. Dropping the stream or cancelling its task closes the socket.
  package func connect(_ request: EventStreamRequest) -> AsyncStream<StampedTransportFact> {
    let (stream, facts) = AsyncStream.makeStream(of: StampedTransportFact.self)
    let connection = CurlConnection(request, treatment, credit, facts)
    credit?.begin()
    facts.onTermination = { [credit] _ in
      credit?.end()
      connection.cancel()
    }
    Thread.detachNewThread { connection.run() }
    return stream
  }
}
