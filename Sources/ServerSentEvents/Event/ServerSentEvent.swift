// One dispatched event. It holds what the standard puts on a MessageEvent (type, data, lastEventId) and, beside
// that, what this block itself said (its own name, id and retry), which tools need and the standard drops.

/// An event dispatched from an event stream.
///
/// Equality and hashing compare the UTF-8 bytes of each text, not canonical equivalence: `"é"` as one scalar and as
/// two are different payloads on the wire, so they are different events here.
///
/// See the HTML Living Standard, section 9.2.6, *Interpreting an event stream*.
public struct ServerSentEvent: Sendable {
  /// ``name``, never empty.
  var nonemptyName: String?
  /// The block's `data` lines, joined with LF.
  public var data: String
  /// ``id``, which is nearly always ``lastEventID``: that is then held once.
  var ownID: OwnID
  /// ``lastEventID``.
  var idInEffect: String
  /// The block's own valid `retry` field in milliseconds, or `nil` if it had none.
  public var retry: Int64?

  /// The ID that an event's own block has set.
  enum OwnID: Sendable {
    case none
    /// The one in effect.
    case inEffect
    /// Another one, which no parser makes.
    case other(String)
  }

  // There is no initializer here so that there is one by members: the parser makes events with it, and the optimizer
  // copies an event, references counted, where it has been through a written one.
}

extension ServerSentEvent {
  /// Creates an event. An empty `name` counts as none, as the standard says.
  public init(
    name: String? = nil, data: String, id: String? = nil, lastEventID: String? = nil, retry: Int64? = nil
  ) {
    self.init(
      nonemptyName: name?.isEmpty == true ? nil : name, data: data, ownID: id == nil ? .none : .inEffect,
      idInEffect: id ?? "", retry: retry)
    if let lastEventID { self.lastEventID = lastEventID }
  }

  /// The value of the block's last `event` field as sent, or `nil` if it had none or an empty one.
  public var name: String? {
    get { nonemptyName }
    set { nonemptyName = newValue?.isEmpty == true ? nil : newValue }
  }

  /// The block's own `id`, or `nil` if it had none (or only ones that hold NUL, which are ignored). Empty resets.
  public var id: String? {
    get {
      switch ownID {
      case .none: nil
      case .inEffect: idInEffect
      case .other(let id): id
      }
    }
    set { ownID = newValue.map { .other($0) } ?? .none }
  }

  /// The last event ID in effect when the event was dispatched, set by this block or an earlier one; empty if none.
  public var lastEventID: String {
    get { idInEffect }
    set {
      if case .inEffect = ownID { ownID = .other(idInEffect) }
      idInEffect = newValue
    }
  }

  /// The type that listeners see: ``name``, or `message` where the block had none.
  public var type: String { nonemptyName ?? "message" }
}

extension ServerSentEvent: Hashable {
  /// Compares the bytes of every field.
  public static func == (a: ServerSentEvent, b: ServerSentEvent) -> Bool {
    a.retry == b.retry && sameBytes(a.name, b.name) && sameBytes(a.id, b.id)
      && sameBytes(a.data, b.data) && sameBytes(a.lastEventID, b.lastEventID)
  }

  /// Hashes what `==` compares.
  public func hash(into hasher: inout Hasher) {
    for text in [name, data, id, lastEventID] {
      guard let text else { hasher.combine(UInt8(0xFF)); continue }
      for byte in text.utf8 { hasher.combine(byte) }
      hasher.combine(UInt8(0xFE))  // no UTF-8 text holds 0xFE or 0xFF: the fields can't run into each other
    }
    hasher.combine(retry)
  }

  private static func sameBytes(_ a: String?, _ b: String?) -> Bool {
    switch (a, b) {
    case (nil, nil): true
    case (let a?, let b?): a.hasSameBytes(as: b)
    case (nil, _?), (_?, nil): false
    }
  }
}
