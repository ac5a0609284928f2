// Small event streams for a fuzzer to begin with: each has one thing that parsers get wrong.

/// The seeds of a new fuzz package.
enum SeedStreams {
  /// Each with its name.
  static let all: [(name: String, stream: String)] = [
    ("plain-lf", "event: update\nid: 1\ndata: one\n\ndata: two\n\n"),
    ("plain-crlf", "event: update\r\nid: 1\r\ndata: one\r\n\r\ndata: two\r\n\r\n"),
    ("plain-cr", "event: update\rid: 1\rdata: one\r\rdata: two\r\r"),
    ("mixed-line-ends", "data: a\r\n\ndata: b\n\rdata: c\r\r\ndata: d\n\n"),
    ("byte-order-mark", "\u{FEFF}data: a\n\n\u{FEFF}data: b\n\n"),
    ("several-data-lines", "data: a\ndata\ndata:b\ndata:  c\n\n"),
    ("empty-data", "data\n\ndata:\n\ndata\ndata\n\n"),
    ("id-persists-and-resets", "id: 7\ndata: a\n\ndata: b\n\nid\ndata: c\n\n"),
    ("id-with-nul", "id: 1\u{0}2\ndata: a\n\n"),
    ("id-only-block", "id: 9\n\ndata: a\n\n"),
    ("retry-forms", "retry: 100\nretry: +5\nretry: 1x\nretry:\ndata: a\n\n"),
    ("comments-and-unknown", ": heartbeat\n:\nfoo: bar\ndata: a\nDATA: b\n\n"),
    ("languages", "data: Grüße, 日本語, 😀\nevent: Ереван\n\n"),
    ("combining-marks", "data:\u{301}a\ndata\u{301}: b\ndata: e\u{301}\n\n"),
    ("unfinished-block", "data: a\n\ndata: lost"),
    ("json-tokens", "data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"}}]}\n\ndata: [DONE]\n\n"),
  ]
}
