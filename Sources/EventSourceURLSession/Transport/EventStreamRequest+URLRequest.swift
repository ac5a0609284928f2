// Requests and responses, translated between the Foundation-free types and URLSession's.

public import ServerSentEvents

#if canImport(FoundationNetworking)
  import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

extension EventStreamRequest {
  /// Takes over a `URLRequest`: its method, URL, header fields (sorted by name: it keeps no order) and body. A body that
  /// is a stream can't be taken over, because it can be sent only once.
  public init(_ request: URLRequest) {
    let headers = (request.allHTTPHeaderFields ?? [:]).map { HeaderField($0.key, $0.value) }
    self.init(
      method: request.httpMethod ?? "GET", url: request.url?.absoluteString ?? "",
      headers: headers.sorted { $0.name < $1.name }, body: request.httpBody.map { [UInt8]($0) } ?? [])
  }
}

extension URLRequest {
  /// The request for URLSession, or `nil` if the URL isn't one.
  init?(eventStream request: EventStreamRequest) {
    guard let url = URL(string: request.url), url.scheme != nil else { return nil }
    self.init(url: url)
    httpMethod = request.method
    // Values go to the wire as UTF-8 (measured on Linux), so a last event ID keeps its bytes.
    for field in request.headers {
      if value(forHTTPHeaderField: field.name) == nil {
        setValue(field.value, forHTTPHeaderField: field.name)
      } else {
        addValue(field.value, forHTTPHeaderField: field.name)
      }
    }
    if !request.body.isEmpty { httpBody = Data(request.body) }
  }
}

extension EventStreamResponse {
  /// Takes over a response's head; the fields are sorted by name, because URLSession keeps no order.
  package init(_ response: HTTPURLResponse) {
    var headers: [HeaderField] = []
    for (name, value) in response.allHeaderFields {
      if let name = name as? String, let value = value as? String { headers.append(HeaderField(name, value)) }
    }
    headers.sort { $0.name < $1.name }
    // URLSession undoes the encodings that it asks for and leaves the header.
    let codings = headers.values(of: "Content-Encoding").joined(separator: ",").lowercased()
      .split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    let undone: Set<String> = ["gzip", "x-gzip", "deflate", "br", "zstd"]
    self.init(
      status: response.statusCode, headers: headers,
      contentDecoded: !codings.isEmpty && codings.allSatisfy(undone.contains))
  }
}
