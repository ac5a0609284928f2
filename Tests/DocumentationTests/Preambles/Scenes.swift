private let updates = EventStreamCoordinator(url: URL(string: "https://api.example.org/events")!)
private nonisolated(unsafe) var banner: String?
private struct Router { func showLogin() {} }
private let router = Router()
private struct Order: Sendable {
  typealias ID = Int
  enum Status: String, Decodable, Sendable { case placed }
  var id = 1
  var cachedStatus = Status.placed
}

// Just as much of SwiftUI and UIKit as the page uses, where they are not.
#if !canImport(SwiftUI)
  @MainActor private protocol View {}
  extension View {
    func onChange<Value: Equatable>(of value: Value, perform: @escaping (Value) -> Void) -> some View { self }
    func onAppear(perform: @escaping () -> Void) -> some View { self }
    func onDisappear(perform: @escaping () -> Void) -> some View { self }
    func task(_ action: @escaping @MainActor @Sendable () async -> Void) -> some View { self }
  }

  private enum ScenePhase { case active, inactive, background }
  private struct EnvironmentValues { var scenePhase = ScenePhase.active }

  @MainActor @propertyWrapper private struct Environment<Value> {
    let wrappedValue: Value
    init(_ path: KeyPath<EnvironmentValues, Value>) { wrappedValue = EnvironmentValues()[keyPath: path] }
  }

  @MainActor @propertyWrapper private final class State<Value> {
    var wrappedValue: Value
    init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
  }
#endif

#if !canImport(UIKit)
  @MainActor private class UIResponder {}
  @MainActor private protocol UIWindowSceneDelegate {}
  @MainActor private class UIScene {
    struct Session { var persistentIdentifier = "" }
    var session = Session()
  }
  @MainActor private class UIViewController {
    func viewWillAppear(_ animated: Bool) {}
    func viewDidDisappear(_ animated: Bool) {}
  }
#endif

private struct OrderList: View {
  let updates: EventStreamCoordinator
  let scene: String
}
private struct StatusLabel: View {
  init(_ status: Order.Status) {}
}
extension UIViewController {
  fileprivate func show(_ event: ServerSentEvent) {}
}
