// A thread, and a value behind a mutex. Here because `Synchronization.Mutex` is newer than the oldest systems we serve,
// Foundation's lock and thread would pull in Foundation, and a Dispatch queue is no place for a block that never
// returns: libdispatch need not give each of them a thread.
//
// UNSAFE, and why: a pthread mutex needs an address that stays. It is allocated once and freed with its owner, and
// nothing else sees the pointer. A thread takes its closure as a pointer that it owns.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A value that is touched by one thread at a time.
// @unchecked: `value` is reached only in `withLock`, with the mutex held.
@safe final class Locked<Value: Sendable>: @unchecked Sendable {
  private var value: Value
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>

  init(_ value: Value) {
    self.value = value
    unsafe mutex = .allocate(capacity: 1)
    unsafe mutex.initialize(to: pthread_mutex_t())
    _ = unsafe pthread_mutex_init(mutex, nil)
  }

  deinit {
    _ = unsafe pthread_mutex_destroy(mutex)
    unsafe mutex.deinitialize(count: 1)
    unsafe mutex.deallocate()
  }

  /// Runs `body` with the value; `body` must not wait for anything.
  func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
    _ = unsafe pthread_mutex_lock(mutex)
    defer { _ = unsafe pthread_mutex_unlock(mutex) }
    return body(&value)
  }
}

/// Starts a detached thread that runs `body`.
func startThread(_ body: @escaping @Sendable () -> Void) throws(SystemError) {
  let box = unsafe Unmanaged.passRetained(ThreadBody(body)).toOpaque()
  #if canImport(Darwin)
    var thread: pthread_t?
  #else
    var thread = pthread_t()
  #endif
  let result = unsafe pthread_create(
    &thread, nil,
    { pointer in
      #if canImport(Darwin)
        let body = unsafe Unmanaged<ThreadBody>.fromOpaque(pointer).takeRetainedValue()
      #else
        guard let pointer = unsafe pointer else { return nil }
        let body = unsafe Unmanaged<ThreadBody>.fromOpaque(pointer).takeRetainedValue()
      #endif
      body.run()
      return nil
    }, box)
  guard result == 0 else {
    unsafe Unmanaged<ThreadBody>.fromOpaque(box).release()
    throw SystemError(number: result)
  }
  #if canImport(Darwin)
    if let thread = unsafe thread { unsafe pthread_detach(thread) }
  #else
    pthread_detach(thread)
  #endif
}

private final class ThreadBody: Sendable {
  let run: @Sendable () -> Void
  init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}
