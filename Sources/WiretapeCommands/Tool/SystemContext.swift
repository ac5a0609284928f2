// The real outside world: descriptors 0 to 2, files, clocks. Beside `StopSignals.swift` the only file of this module that
// calls the C library.
//
// UNSAFE, and why: system calls take raw pointers; each gets a buffer that outlives the call, and its length.

import EventSourceCurl
import EventSourceURLSession
package import ServerSentEvents

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension Wiretape {
  /// Runs the tool on the process's own arguments and streams, and ends the process.
  public static func main() async -> Never {
    // Before anything else is opened, such as the pipe that signals wait in.
    holdStandardDescriptors()
    // A closed pipe is then an error of `write`, which ends the verb in order.
    _ = signal(SIGPIPE, SIG_IGN)
    // So is a file-size limit: it must not tear a cassette, nor hide what is wrong.
    _ = signal(SIGXFSZ, SIG_IGN)
    let words = Array(CommandLine.arguments.dropFirst())
    if let problem = tightLimit() {
      try? CommandContext.system.diagnostics.line("wiretape: \(problem.message)\n\(problem.next)")
      exit(problem.code.rawValue)
    }
    if Verb.all.contains(where: { $0.stopsInOrder && $0.name == words.first }) { StopSignals.hold() }
    let code = await run(words, in: .system)
    exit(code.rawValue)
  }
}

/// A file that is opened while 0, 1 or 2 is closed takes its place, and diagnostics would go into a cassette. What takes it
/// here can't be read, or written to: a standard input that is closed is no empty one, and results that go nowhere are not
/// delivered. Diagnostics may go nowhere.
private func holdStandardDescriptors() {
  for descriptor in Int32(0)...2 where fcntl(descriptor, F_GETFD) < 0 {
    _ = unsafe open("/dev/null", descriptor == 1 ? O_RDONLY : O_WRONLY)  // the lowest free one is this one
  }
}

/// What the system grants too little of. Dispatch traps where it gets no descriptor for its own ends, and waits for ever
/// for memory for a thread's stack; so that is found out before it is asked for anything.
private func tightLimit() -> CommandError? {
  if let files = softLimit(openFiles), files < 32 {
    return CommandError(
      .ioError, "only \(files) files may be open at once, and 32 are needed at least",
      next: "Allow more, such as by “ulimit -n 256”.")
  }
  if let bytes = softLimit(addresses), bytes < 256 << 20 {
    return CommandError(
      .ioError,
      "only \(bytes >> 20) MiB of addresses may be used, and 256 are needed at least",
      next: "Allow more, such as by “ulimit -v unlimited”.")
  }
  return nil
}

// glibc has a type of its own for them, which its function doesn't take.
#if canImport(Glibc)
  private let (openFiles, addresses) = (CInt(RLIMIT_NOFILE.rawValue), CInt(RLIMIT_AS.rawValue))
#else
  private let (openFiles, addresses) = (RLIMIT_NOFILE, RLIMIT_AS)
#endif

/// The limit that is in force, the largest number for none; `nil` if it can't be known.
private func softLimit(_ resource: CInt) -> UInt64? {
  var limit = rlimit()
  return unsafe getrlimit(resource, &limit) == 0 ? UInt64(limit.rlim_cur) : nil
}

extension CommandContext {
  /// The process's own streams, clocks and signals.
  package static var system: CommandContext {
    CommandContext(
      output: CommandOutput(columns: columns(of: 1)) { try writeAll($0, to: 1, name: "standard output") },
      diagnostics: CommandOutput(columns: columns(of: 2)) { try writeAll($0, to: 2, name: "standard error") },
      input: ByteReader { try readSome($0, from: 0, name: "standard input") },
      clock: SystemEventStreamClock(),
      wallClock: {
        var now = timespec()
        _ = unsafe clock_gettime(CLOCK_REALTIME, &now)
        return Int64(now.tv_sec)
      },
      signals: StopSignals.stream,
      transport: systemTransport)
  }
}

/// What opens connections: libcurl where there is one, else URLSession.
@Sendable package func systemTransport() -> any EventStreamTransport {
  CurlEventStreamTransport() ?? URLSessionEventStreamTransport()
}

/// Opens a file for reading, or takes standard input for `-`.
func openInput(_ path: String, in context: CommandContext) throws -> ByteReader {
  guard path != "-" else { return context.input }
  let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { throw noInput(path, errno) }
  let file = OpenFile(descriptor)
  return ByteReader { try readSome($0, from: file.descriptor, name: path) }
}

/// Whether something stands at a path.
func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

/// Whether two paths lead to one file.
func isSameFile(_ first: String, _ second: String) -> Bool {
  var (a, b) = (stat(), stat())
  guard unsafe stat(first, &a) == 0, unsafe stat(second, &b) == 0 else { return false }
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino
}

/// Whether a path is that of a folder.
func isFolder(_ path: String) -> Bool {
  let descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
  guard descriptor >= 0 else { return false }
  close(descriptor)
  return true
}

/// Closes its descriptor with the last reader that holds it.
private final class OpenFile: Sendable {
  let descriptor: Int32

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }
}

private func noInput(_ path: String, _ code: Int32) -> CommandError {
  if code == ENOENT {
    return CommandError(.noInput, "\(path): there is no such file", next: "Check the name and the folder.")
  }
  return CommandError(.noInput, "\(path): \(text(of: code))", next: "Check that it is a file you may read.")
}

private func readSome(_ count: Int, from descriptor: Int32, name: String) throws -> [UInt8] {
  while true {
    var received = 0
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      unsafe received = read(descriptor, buffer.baseAddress, count)
      initialized = max(0, received)
    }
    guard received < 0 else { return bytes }
    switch errno {
    case EINTR: continue
    case EAGAIN: wait(for: descriptor, Int16(POLLIN))
    case EISDIR:
      throw CommandError(
        .noInput, "\(name): this is a folder",
        next: descriptor == 0
          ? "Give it a file or a pipe." : "Give a file; in a shell, “\(name)/*” means all in it.")
    case EBADF:
      throw CommandError(
        .noInput, "\(name): it is closed, or open for writing only", next: "Give it a file or a pipe.")
    default:
      throw CommandError(
        .ioError, "\(name): reading failed: \(text(of: errno))", next: "Check the disk and try again.")
    }
  }
}

private func writeAll(_ bytes: [UInt8], to descriptor: Int32, name: String) throws {
  var written = 0
  while written < bytes.count {
    let count = unsafe bytes.withUnsafeBytes { buffer in
      unsafe write(descriptor, buffer.baseAddress.map { unsafe $0 + written }, buffer.count - written)
    }
    if count >= 0 {
      written += count
    } else if errno == EAGAIN {
      wait(for: descriptor, Int16(POLLOUT))
    } else if errno == EPIPE {
      throw ClosedPipe()
    } else if errno == EBADF {
      throw CommandError(
        .ioError, "\(name): it is closed, or open for reading only", next: "Give it a file or a pipe.")
    } else if errno != EINTR {
      throw CommandError(
        .ioError, "\(name): writing failed: \(text(of: errno))",
        next: "Make room, or send the output elsewhere.")
    }
  }
}

private func wait(for descriptor: Int32, _ events: Int16) {
  var entry = pollfd(fd: descriptor, events: events, revents: 0)
  _ = unsafe poll(&entry, 1, -1)
}

private func text(of code: Int32) -> String {
  guard let message = unsafe strerror(code) else { return "error \(code)" }
  return unsafe String(cString: message)
}

private func columns(of descriptor: Int32) -> Int? {
  guard isatty(descriptor) == 1 else { return nil }
  var size = winsize()
  guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
  return Int(size.ws_col)
}
