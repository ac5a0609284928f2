// The cases of Corpus/conformance/parser.jsonl as values, and nothing else. Their format is described in the corpus.

import Foundation
import ServerSentEvents
import Testing

/// A stream and what the standard says comes of it.
struct ConformanceCase: Decodable, Sendable, CustomTestStringConvertible {
  struct Expectation: Decodable, Sendable {
    struct Event: Decodable, Sendable {
      var type: String
      var data: String
      var lastEventId: String
    }
    /// A number, or a decimal string where it doesn't fit 53 bits.
    enum Retry: Decodable, Sendable {
      case milliseconds(Int64)
      case decimal(String)

      init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let number = try? container.decode(Int64.self) {
          self = .milliseconds(number)
        } else {
          self = .decimal(try container.decode(String.self))
        }
      }

      /// What the parser says: values beyond 64 bits saturate.
      var saturated: Int64 {
        switch self {
        case .milliseconds(let number): number
        case .decimal(let digits): Int64(digits) ?? .max
        }
      }
    }
    var events: [Event]
    var retry: Retry?
    var finalLastEventId: String
  }

  var name: String
  var kind: String
  var input_b64: Data
  var expect: Expectation

  var bytes: [UInt8] { Array(input_b64) }
  var testDescription: String { name }

  /// All cases; read once.
  static let all: Result<[ConformanceCase], any Error> = Result {
    let file = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Corpus/conformance/parser.jsonl")
    return try Data(contentsOf: file).split(separator: 0x0A).map {
      try JSONDecoder().decode(ConformanceCase.self, from: $0)
    }
  }
}
