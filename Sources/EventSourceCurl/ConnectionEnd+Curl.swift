// The one table from libcurl's results to ways a connection ends. The right side is the cassette format's `cause`.
//
//   result                                                        end
//   3 no URL; 5, 6, 7, 45, 97 no such host, no connection, no proxy; 28 no
//     connection in time (nothing else has a time limit)          unreachable
//   18 the body broke off; 56 where TLS says "unexpected eof"     truncated
//   52 closed before any answer, 55, 56, 92 HTTP/2 stream reset   reset
//   35 and the like: handshake, certificates                      tls
//   56 where the text says that chunks are broken, 1 (also HTTP
//     of version 0.9), 8, 16, 23, 61, 88 what came is not HTTP,
//     a content encoding that can't be undone; 27, 100 a line of
//     the head longer than the library takes                      protocol
//   42 and anything else                                          unknown

import ServerSentEvents

extension ConnectionEnd {
  /// The way of ending that a result of libcurl other than 0 stands for; the message is the library's own.
  init(curlCode code: CInt, message: String) {
    switch code {
    case 3, 5, 6, 7, 28, 45, 97: self = .unreachable
    case 18: self = .truncated
    case 56 where message.contains("unexpected eof") || message.contains("without close_notify"):
      self = .truncated
    case 56 where message.contains("chunk"): self = .protocol
    case 52, 55, 56, 92: self = .reset
    case 35, 51, 53, 54, 58, 59, 60, 64, 66, 77, 80, 82, 83, 90, 91, 98: self = .tls
    case 1, 8, 16, 23, 27, 61, 88, 100: self = .protocol
    default: self = .unknown
    }
  }

  /// What had a line longer than the library takes, which older ones tell as memory that ran out: the head, or the
  /// trailer of a chunked body.
  static func partWithOverlongLine(curlCode code: CInt, message: String) -> String? {
    switch code {
    case 27, 100: "head"
    case 56 where message.contains("Out of memory in chunk"): "trailer"
    default: nil
    }
  }
}

extension EventStreamResponse {
  /// Whether the body comes in encodings that libcurl undoes.
  var hasKnownEncoding: Bool {
    let codings = headers.values(of: "Content-Encoding").joined(separator: ",").lowercased()
      .split(whereSeparator: { ", \t".contains($0) })
    return !codings.isEmpty
      && codings.allSatisfy { ["gzip", "x-gzip", "deflate", "br", "zstd"].contains($0) }
  }
}
