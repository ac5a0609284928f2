// One answer of a replay server as a list of steps: an exchange's head, pieces and end, with the faults that fall into it.
// Pure: what is sent after which wait is decided here, and carried out in `CassetteServer`.

import EventCassettes
import ServerSentEvents

/// An exchange made ready to be sent: cut by the plan, headers fitted.
struct PreparedExchange: Hashable, Sendable {
  struct Head: Hashable, Sendable {
    var status: Int
    var headers: [HeaderField]

    /// Whether a client reads the body as an event stream.
    var isEventStream: Bool {
      status == 200 && EventStreamResponse(status: status, headers: headers).isEventStream
    }
  }

  /// Its number in the cassette, from 1.
  var number: Int
  /// The recording that it belongs to: a new one is a new client.
  var recording: Int
  var head: Head?
  /// Times count from the request.
  var headAt: Duration
  var pieces: [DeliveredChunk]
  var endAt: Duration
  var end: ConnectionEnd?
  /// What the recorded client sent.
  var lastEventID: [UInt8]

  var bodyLength: Int { pieces.reduce(0) { $0 + $1.bytes.count } }
  var body: [UInt8] { pieces.flatMap(\.bytes) }
}

/// A fault at a certain byte of a certain answer.
struct PlacedFault: Hashable, Sendable {
  /// Where it stands in the list of the server's faults.
  var index: Int
  var kind: FaultSpec.Kind
  var offset: Int
}

/// What is sent for one request.
struct AnswerScript: Sendable {
  enum Action: Hashable, Sendable {
    case head(PreparedExchange.Head, splitAt: Int?, pause: Duration)
    /// A piece of the body as one chunk.
    case body([UInt8])
    /// Bytes without framing.
    case raw([UInt8])
    case end(ScriptedResponse.Ending)
  }

  struct Step: Hashable, Sendable {
    /// Since the step before was due, or since the request.
    var wait: Duration
    var action: Action
    /// The faults that have their effect here.
    var faults: [Int]
    /// How much of the exchange's body is sent after it.
    var sent: Int
  }

  private(set) var steps: [Step] = []
  /// Whether a fault ends it before the exchange does.
  private(set) var isCutShort = false
  /// The faults among those of the steps that make a client wait: one that leaves after them lost its patience.
  private(set) var slowing: Set<Int> = []
  /// Whether the exchange itself was left for the next request.
  private(set) var keepsExchange = false

  private let speed: ReplaySpeed
  private let settle: Duration
  private var last: Duration = .zero
  private var extraWait: Duration = .zero
  private var drip: (bytes: Int, every: Duration)?
  /// Faults that belong to the next step.
  private var striking: [Int] = []
  private var sent = 0

  /// The answer with `exchange`.
  ///
  /// - Parameters:
  ///   - faults: those that fall into it; offsets up to the body's length.
  ///   - speed: how recorded times become waits. The pauses of faults are as they are.
  ///   - settle: the wait before a reset, which may overtake what was sent.
  init(_ exchange: PreparedExchange, faults: [PlacedFault], speed: ReplaySpeed, settle: Duration) {
    self.speed = speed
    self.settle = settle
    let struck = faults.map { (index: $0.index, effects: $0.kind.fault.effects(on: exchange, at: $0.offset)) }
    for (index, effects) in struck {
      for case .answer(let head) in effects {
        striking = [index]
        append(.head(head, splitAt: nil, pause: .zero))
        append(.end(.close))
        keepsExchange = true
        return
      }
    }
    guard var head = exchange.head else {
      wait(until: exchange.endAt)
      append(.end(Self.ending(for: exchange.end, hasHead: false, settle: settle)))
      return
    }
    var split: (at: Int, pause: Duration)?
    var inBody: [BodyFault] = []
    for (index, effects) in struck {
      for effect in effects {
        switch effect {
        case .answer: break  // there is none
        case .setHeader(let field):
          head.headers[field.name] = field.value
          striking.append(index)
        case .splitHead(let offset, let pause):
          split = (offset, pause)
          striking.append(index)
        case .body(let offset, let effects):
          inBody.append(BodyFault(index: index, offset: offset, effects: effects))
        }
      }
    }
    wait(until: exchange.headAt)
    append(.head(head, splitAt: split?.at, pause: split?.pause ?? .zero))
    addBody(exchange, inBody)
    guard !isCutShort else { return }
    if exchange.end == .cancelled || exchange.end == .timedOut,
      !HTTPStatus.hasBody(head.status, method: "GET")
    {
      // The recorded client closed at the head, for there is nothing after it: so it is the whole answer, and who waits
      // for its end must see it.
      append(.end(.close))
      return
    }
    wait(until: exchange.endAt)
    append(.end(Self.ending(for: exchange.end, hasHead: true, settle: settle)))
  }

  /// What a fault does in the body.
  private struct BodyFault {
    var index: Int
    var offset: Int
    var effects: [FaultEffect.BodyEffect]
  }

  private mutating func addBody(_ exchange: PreparedExchange, _ faults: [BodyFault]) {
    var waiting = faults.sorted { ($0.offset, $0.index) < ($1.offset, $1.index) }[...]
    for piece in exchange.pieces {
      wait(until: piece.at)
      var rest = piece.bytes[...]
      // A fault at the end of this piece waits for the next one, whose time is later.
      while let fault = waiting.first, fault.offset < sent + rest.count {
        let part = rest.prefix(fault.offset - sent)
        add(part)
        rest = rest.dropFirst(part.count)
        strike(fault)
        waiting.removeFirst()
        if isCutShort { return }
      }
      add(rest)
    }
    for fault in waiting where !isCutShort { strike(fault) }
  }

  private mutating func strike(_ fault: BodyFault) {
    striking.append(fault.index)
    for effect in fault.effects {
      switch effect {
      case .pause(let pause):
        extraWait += pause
        slowing.insert(fault.index)
      case .insert(let bytes): add(bytes[...], isRecorded: false)
      case .insertRaw(let bytes): append(.raw(bytes))
      case .drip(let bytes, let every):
        drip = (bytes, every)
        slowing.insert(fault.index)
      case .cut: finish(.cut)
      case .reset: finish(.reset(after: settle))
      }
    }
  }

  private mutating func finish(_ ending: ScriptedResponse.Ending) {
    append(.end(ending))
    isCutShort = true
  }

  private mutating func add(_ bytes: ArraySlice<UInt8>, isRecorded: Bool = true) {
    var rest = bytes
    while !rest.isEmpty {
      extraWait += drip?.every ?? .zero
      let part = rest.prefix(drip?.bytes ?? rest.count)
      sent += isRecorded ? part.count : 0
      append(.body(Array(part)))
      rest = rest.dropFirst(part.count)
    }
  }

  private mutating func wait(until at: Duration) {
    let gap = max(at - last, .zero)
    last = max(at, last)
    switch speed {
    case .instant: break
    case .times(let factor): extraWait += gap / factor
    }
  }

  private mutating func append(_ action: Action) {
    steps.append(Step(wait: extraWait, action: action, faults: striking, sent: sent))
    extraWait = .zero
    striking = []
  }

  /// What a server does where a recorded client saw this end.
  private static func ending(
    for end: ConnectionEnd?, hasHead: Bool, settle: Duration
  ) -> ScriptedResponse.Ending {
    switch end {
    case .complete: hasHead ? .close : .cut
    case .truncated, .protocol, .unknown, nil: .cut
    case .reset: .reset(after: hasHead ? settle : .zero)
    case .unreachable, .tls: .reset()
    // The client closed, or gave up waiting: the server did nothing.
    case .cancelled, .timedOut: .hang
    }
  }
}
