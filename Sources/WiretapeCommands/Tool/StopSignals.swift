// The signals that ask for an orderly end, from the first moment on: a handler writes each into a pipe, where it waits
// until somebody asks. (A source of Dispatch's would lose what comes before it is active.)
//
// UNSAFE, and why: a signal handler may touch nothing but plain globals that exist before it is set, and call nothing but
// what POSIX calls async-signal-safe: here `write` and `signal`. Bytes are read into a buffer that outlives the call.

import Dispatch

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Where the handler writes.
private nonisolated(unsafe) var writingEnd: CInt = -1
/// Whether somebody takes the signals. Until then a second one has its usual effect: what holds a program up before it has
/// begun to work must not make it immortal.
private nonisolated(unsafe) var isAwaited = false

private func handle(_ number: CInt) {
  let error = errno
  var byte = UInt8(truncatingIfNeeded: number)
  _ = unsafe write(writingEnd, &byte, 1)
  if unsafe !isAwaited { _ = signal(number, SIG_DFL) }
  errno = error
}

enum StopSignals {
  /// Ctrl-\\ is one of them: a backtrace of ours helps nobody, and a subject would outlive it.
  private static let meanings = [
    SIGINT: StopSignal.interrupt, SIGTERM: .terminate, SIGHUP: .hangUp, SIGQUIT: .quit,
  ]

  /// The pipe's reading end; the pipe and the handlers are made with the first use.
  private static let readingEnd: CInt = {
    var ends: [CInt] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else { return -1 }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    unsafe writingEnd = ends[1]
    return ends[0]
  }()

  /// From here on signals wait to be taken.
  static func hold() {
    guard readingEnd >= 0 else { return }
    // Who starts us from a thread that blocks them hands that on, and would wait for us for ever.
    var numbers = sigset_t()
    _ = unsafe sigemptyset(&numbers)
    for number in meanings.keys { _ = unsafe sigaddset(&numbers, number) }
    _ = unsafe pthread_sigmask(SIG_UNBLOCK, &numbers, nil)
    for number in meanings.keys {
      let before = signal(number, handle)
      // `nohup` asks for a terminal's end to be ignored; that stays so.
      let wasIgnored = unsafe unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
      if number == SIGHUP, wasIgnored {
        _ = signal(number, SIG_IGN)
      }
    }
  }

  /// The signals as a stream, those that waited first. They stay set aside after it ends, so that a second Ctrl-C while a
  /// cassette is being finished does not tear it.
  @Sendable static func stream() -> AsyncStream<StopSignal> {
    AsyncStream { continuation in
      unsafe isAwaited = true
      hold()
      let source = DispatchSource.makeReadSource(fileDescriptor: readingEnd, queue: .global())
      source.setEventHandler {
        for number in taken() {
          if let signal = meanings[number] { continuation.yield(signal) }
        }
      }
      source.activate()
      let held = HeldSource(source)
      continuation.onTermination = { _ in held.cancel() }
    }
  }

  private static func taken() -> [CInt] {
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = unsafe read(readingEnd, &bytes, bytes.count)
    return bytes.prefix(max(0, count)).map { CInt($0) }
  }
}

/// Keeps a source alive. `@unchecked`: Dispatch's sources may be cancelled from any thread, only their protocol does not
/// say so, and the constant never changes.
private final class HeldSource: @unchecked Sendable {
  private let source: any DispatchSourceRead

  init(_ source: any DispatchSourceRead) { self.source = source }

  func cancel() { source.cancel() }
}
