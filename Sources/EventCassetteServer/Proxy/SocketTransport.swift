// A client of HTTP/1.1 on our own sockets, as a transport: chunks come out as the socket delivers them, with the framing
// taken off and nothing decoded. One request on each connection; no redirects, no https.

import Dispatch
import EventCassettes
import ServerSentEvents

struct SocketTransport: EventStreamTransport {
  let loop: EventLoop
  let clock: any EventStreamClock
  let credit: SendingCredit

  /// Longest response head, with all interim ones before it. Some servers set many cookies.
  static let longestHead = 262_144

  private typealias Facts = AsyncStream<StampedTransportFact>.Continuation
  private typealias End = (cause: ConnectionEnd, detail: String)

  func connect(_ request: EventStreamRequest) -> AsyncStream<StampedTransportFact> {
    let (stream, facts) = AsyncStream.makeStream(of: StampedTransportFact.self)
    let task = loop.task {
      let end = await self.run(request, facts)
      self.tell(facts, .ended(end.cause, detail: end.detail))
      facts.finish()
    }
    facts.onTermination = { reason in
      guard case .cancelled = reason else { return }
      task.cancel()
      credit.end()
    }
    return stream
  }

  private func tell(_ facts: Facts, _ fact: EventStreamTransportFact) {
    facts.yield(StampedTransportFact(at: clock.now, fact))
  }

  private func run(_ request: EventStreamRequest, _ facts: Facts) async -> End {
    guard let origin = HTTPOrigin(request.url), origin.scheme == "http" else {
      return (.unreachable, "‘\(request.url)’ is no http URL")
    }
    let opened = await open(origin)
    guard let socket = opened.socket else { return opened.end }
    defer {
      loop.forget(socket)
      socket.close()
    }
    guard await send(Self.bytes(of: request, to: origin), on: socket) else {
      return Task.isCancelled ? cancelled : (.reset, "the server closed the connection during the request")
    }
    do {
      return try await receive(from: socket, method: request.method, facts)
    } catch {
      return (.protocol, "the server's answer is no proper HTTP: \(error.reason)")
    }
  }

  private var cancelled: End { (.cancelled, "closed by the client") }

  private func open(_ origin: HTTPOrigin) async -> (socket: Socket?, end: End) {
    let addresses = await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        continuation.resume(returning: SocketAddress.resolve(host: origin.host, port: origin.port))
      }
    }
    var end: End = (.unreachable, "‘\(origin.host)’ has no address of version 4")
    for address in addresses {
      do throws(SystemError) {
        let socket = try Socket.connecting(to: address)
        let isReady = await loop.wait(for: .writing, on: socket)
        let error = isReady ? socket.connectionError : nil
        if isReady, error == nil { return (socket, end) }
        loop.forget(socket)
        socket.close()
        if !isReady { return (nil, cancelled) }
        if let error { throw error }
      } catch {
        end = (.unreachable, "can't connect to \(address): \(error)")
      }
    }
    return (nil, end)
  }

  private static func bytes(of request: EventStreamRequest, to origin: HTTPOrigin) -> [UInt8] {
    var fields = request.headers
    if fields["Host"] == nil { fields.insert(HeaderField("Host", origin.authority), at: 0) }
    if !request.body.isEmpty || ["POST", "PUT", "PATCH"].contains(request.method) {
      fields["Content-Length"] = String(request.body.count)
    }
    fields["Connection"] = "close"
    var head = "\(request.method) \(origin.target) HTTP/1.1\r\n"
    for field in fields { head += "\(field.name): \(field.value)\r\n" }
    return Array((head + "\r\n").utf8) + request.body
  }

  /// Whether all of it was sent. A server that refuses a body early closes before it has it all: its answer may be
  /// there already, so only a cancelled task counts as not sent.
  private func send(_ bytes: [UInt8], on socket: Socket) async -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      switch socket.send(rest) {
      case .bytes(let count): rest = rest.dropFirst(count)
      case .wouldBlock:
        guard await loop.wait(for: .writing, on: socket) else { return false }
      case .end, .failed: return true
      }
    }
    return true
  }

  private func receive(from socket: Socket, method: String, _ facts: Facts) async throws(HTTPRefusal) -> End {
    var collector = HTTPHeadCollector(limit: Self.longestHead)
    var body: HTTPBodyDecoder?
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while await loop.wait(for: .reading, on: socket) {
      switch socket.receive(into: &buffer) {
      case .wouldBlock: continue
      case .failed(let error): return (.reset, "\(error)")
      case .end:
        guard let body else { return (.reset, "the server closed the connection without an answer") }
        return body.mayEndHere ? (.complete, "") : (.truncated, "the body ended before its end")
      case .bytes(let count):
        var input = buffer[..<count]
        while body == nil, let rest = try collector.append(input) {
          input = rest
          body = try head(collector.bytes, method: method, facts)
          collector.beginNext()
        }
        guard var decoder = body else { continue }
        let bytes = try decoder.decode(input)
        body = decoder
        if !bytes.isEmpty {
          tell(facts, .bytes(bytes))
          await credit.spend(bytes.count)
        }
        if decoder.isComplete { return (.complete, "") }
      }
    }
    return cancelled
  }

  /// Reads a head; `nil` for an interim one, after which another comes.
  private func head(
    _ bytes: [UInt8], method: String, _ facts: Facts
  ) throws(HTTPRefusal) -> HTTPBodyDecoder? {
    let head = try HTTPHead(bytes)
    let parts = head.startLine.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count >= 2, let version = HTTPVersion(rawValue: String(parts[0])), parts[1].utf8.count == 3,
      let status = String(parts[1]).asDecimal, status >= 100
    else {
      throw HTTPRefusal(status: 502, reason: "a status line that is none: ‘\(head.startLine.prefix(60))’")
    }
    if status == 101 { throw HTTPRefusal(status: 502, reason: "it switched protocols unasked") }
    if status < 200 { return nil }
    let framing: HTTPBodyFraming =
      HTTPStatus.hasBody(status, method: method)
      ? try .ofResponse(head.fields, version: version) : .none
    tell(
      facts,
      .response(
        EventStreamResponse(status: status, headers: head.fields.map { HeaderField($0.name, $0.value) })))
    return HTTPBodyDecoder(framing)
  }
}
