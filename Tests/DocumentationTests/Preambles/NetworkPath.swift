private let source = EventSource(url: URL(string: "https://api.example.org/events")!)

#if !canImport(Network)
  private struct NWPath {
    enum Status { case satisfied, unsatisfied, requiresConnection }
    var status = Status.satisfied
  }

  private final class NWPathMonitor: @unchecked Sendable {
    // @unchecked: nothing here is ever run; it stands in for a class of Apple's.
    var pathUpdateHandler: (@Sendable (NWPath) -> Void)?
    func start(queue: DispatchQueue) {}
    func cancel() {}
  }
#endif
