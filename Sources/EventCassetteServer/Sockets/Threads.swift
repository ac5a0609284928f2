// A thread. Here because Foundation's would pull in Foundation, and a Dispatch queue is no place for a block that never
// returns: libdispatch need not give each of them a thread.
//
// UNSAFE, and why: a thread takes its closure as a pointer that it owns.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

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
