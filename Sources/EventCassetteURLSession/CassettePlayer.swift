// A cassette as a URLSessionConfiguration, for apps whose URL can't be changed: what the app's session asks for is
// answered from the cassette. Here is what tests hold; the protocol class that URLSession talks to is beside it.

public import EventCassettes
import ServerSentEvents

#if canImport(FoundationNetworking)
  import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// Answers the requests of one URLSession from a cassette: request n+1 gets exchange n+1.
///
/// ```swift
/// let player = CassettePlayer(try Cassette(contentsOf: path), name: path)
/// let session = URLSession(configuration: player.configuration())
/// … the app's own code on that session …
/// #expect(player.mismatches.isEmpty)
/// ```
///
/// It is strict: a request that is not the recorded one, or one more than were recorded, fails with an error that says
/// what was asked, what comes closest and how to record it. Nothing goes to the network.
///
/// A connection that the recorder had still open when it was stopped stays open, until the app closes it. On Linux a
/// redirect that was recorded is not shown: the app gets the answer of the last hop. And there Foundation hands only the
/// last piece of a protocol's body to completion handlers and to `data(for:)`: for code that uses those (delegates get
/// all), play with the plan `whole`.
public final class CassettePlayer: Sendable {
  let speed: ReplaySpeed
  private let state: PlayerState
  private let number: UInt64

  /// Creates a player that plays a cassette once.
  /// - Parameters:
  ///   - cassette: the session.
  ///   - name: the cassette's name, for messages.
  ///   - plan: where bodies are cut. URLSession may join pieces that come at once.
  ///   - speed: how fast; at once unless told otherwise.
  ///   - matching: what of a request must fit.
  public init(
    _ cassette: Cassette, name: String = "the cassette", plan: ChunkBoundaryPlan = .recorded,
    speed: ReplaySpeed = .instant, matching: RequestMatching = .all
  ) {
    self.speed = speed
    state = PlayerState(PlayedSession(cassette, name: name, plan: plan, matching: matching))
    number = PlayerRegistry.shared.nextNumber()
    PlayerRegistry.shared.add(self, CassetteURLProtocol.numbered(number))
  }

  deinit { PlayerRegistry.shared.remove(CassetteURLProtocol.numbered(number)) }

  /// A configuration whose sessions are answered by this player, for as long as the player is kept.
  /// - Parameter base: what else the sessions shall have; it is copied.
  public func configuration(basedOn base: URLSessionConfiguration = .ephemeral) -> URLSessionConfiguration {
    let configuration = (base.copy() as? URLSessionConfiguration) ?? base
    configuration.protocolClasses =
      [CassetteURLProtocol.numbered(number)] + (configuration.protocolClasses ?? [])
    return configuration
  }

  /// The requests so far that the cassette has no answer for.
  public var mismatches: [ReplayMismatch] { state.mismatches }
  /// How many of the recorded exchanges were asked for.
  public var playedExchanges: Int { state.played }

  func facts(for request: EventStreamRequest) throws(ReplayMismatch) -> [StampedTransportFact] {
    try state.facts(for: request)
  }
}

/// The session under a lock, since URLSession asks from threads of its own.
private final class PlayerState: Sendable {
  private let state: Locked<(session: PlayedSession, failed: [ReplayMismatch])>

  init(_ session: PlayedSession) { state = Locked((session, [])) }

  var mismatches: [ReplayMismatch] { state.withLock { $0.failed } }
  var played: Int { state.withLock { $0.session.played } }

  func facts(for request: EventStreamRequest) throws(ReplayMismatch) -> [StampedTransportFact] {
    try state.withLock { state throws(ReplayMismatch) in
      do throws(ReplayMismatch) { return try state.session.facts(for: request) } catch {
        state.failed.append(error)
        throw error
      }
    }
  }
}

/// The players by the protocol class of their configurations.
final class PlayerRegistry: Sendable {
  static let shared = PlayerRegistry()

  private struct Entry { weak var player: CassettePlayer? }
  private struct State {
    var players: [ObjectIdentifier: Entry] = [:]
    var numbers: UInt64 = 0
  }
  private let state = Locked(State())

  func nextNumber() -> UInt64 {
    state.withLock {
      $0.numbers += 1
      return $0.numbers
    }
  }

  func add(_ player: CassettePlayer, _ type: AnyClass) {
    state.withLock { $0.players[ObjectIdentifier(type)] = Entry(player: player) }
  }

  func remove(_ type: AnyClass) { state.withLock { $0.players[ObjectIdentifier(type)] = nil } }

  func player(of type: AnyClass) -> CassettePlayer? {
    state.withLock { $0.players[ObjectIdentifier(type)]?.player }
  }
}
