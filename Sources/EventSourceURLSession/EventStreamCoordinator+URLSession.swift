// The coordinator for apps that start from a URL.

public import Foundation
public import ServerSentEvents

extension EventStreamCoordinator {
  /// A coordinator for a URL, over URLSession.
  ///
  /// - Parameters:
  ///   - url: the stream's address.
  ///   - headers: header fields that never change. What must be fresh for each connection belongs in
  ///     `environment.prepareRequest`.
  ///   - configuration: the event source's settings, which can't be one shot.
  ///   - environment: transport, store, metrics and credentials.
  public convenience init(
    url: URL, headers: [HeaderField] = [],
    configuration: EventSourceConfiguration = EventStreamCoordinator.defaultConfiguration,
    environment: EventSourceEnvironment = .urlSession()
  ) {
    self.init(
      EventStreamRequest(url: url.absoluteString, headers: headers), configuration: configuration,
      environment: environment)
  }
}
