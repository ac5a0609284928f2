// The one table from URLSession's errors to ways a connection ends. The right side is the cassette format's `cause`.
//
//   NSURLError                                                    end
//   −999 cancelled                                                cancelled
//   −1001 timedOut                                                timedOut
//   −1003, −1004, −1006 host or connection not found, −1009 not
//     connected, −1018, −1019, −1020 the phone's data is off      unreachable
//   −1005 connection lost                                         reset
//   −1011 bad response, on Linux when the server closed before
//     any answer ("Empty reply from server")                      reset, else protocol
//   −1200 … −1206 TLS and certificates, −1022 ATS                 tls
//   −1000, −1002 (on Linux also: what came is not HTTP), −1007,
//     −1010 redirects, −1015, −1016, −1017, −1103 undecodable     protocol
//   −1 on Linux, told apart by curl's text:
//     "transfer closed with … remaining", "… outstanding"         truncated
//     chunk sizes, framing, encodings ("Illegal or missing …")    protocol
//   −1014 no data at all where some was promised                  truncated
//   anything else                                                 unknown
//
// A body that breaks off is −1005 on Apple systems, which doesn't tell it from a reset.

import Foundation
public import ServerSentEvents

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension ConnectionEnd {
  /// The way of ending that an error of URLSession stands for.
  public init(urlSessionError error: any Error) {
    let error = error as NSError
    guard error.domain == NSURLErrorDomain else {
      self = .unknown
      return
    }
    let text = error.localizedDescription
    switch error.code {
    case NSURLErrorCancelled: self = .cancelled
    case NSURLErrorTimedOut: self = .timedOut
    case NSURLErrorCannotFindHost, NSURLErrorCannotConnectToHost, NSURLErrorDNSLookupFailed,
      NSURLErrorNotConnectedToInternet, NSURLErrorInternationalRoamingOff, NSURLErrorCallIsActive,
      NSURLErrorDataNotAllowed:
      self = .unreachable
    case NSURLErrorNetworkConnectionLost: self = .reset
    case NSURLErrorBadServerResponse: self = text.contains("Empty reply") ? .reset : .protocol
    case -1206 ... -1200, -1022: self = .tls
    case NSURLErrorBadURL, NSURLErrorUnsupportedURL, NSURLErrorHTTPTooManyRedirects,
      NSURLErrorRedirectToNonExistentLocation, NSURLErrorCannotDecodeRawData,
      NSURLErrorCannotDecodeContentData, NSURLErrorCannotParseResponse, NSURLErrorDataLengthExceedsMaximum:
      self = .protocol
    case NSURLErrorZeroByteResource: self = .truncated
    case NSURLErrorUnknown:
      if text.contains("remaining to read") || text.contains("outstanding read data") {
        self = .truncated
      } else if ["chunk", "encoding", "HTTP"].contains(where: text.contains) {
        self = .protocol
      } else {
        self = .unknown
      }
    default: self = .unknown
    }
  }

  /// The error in words for people, without the URL (it may hold secrets).
  package func detail(of error: any Error) -> String {
    let error = error as NSError
    return "\(error.localizedDescription) [\(error.domain) \(error.code)]"
  }
}
