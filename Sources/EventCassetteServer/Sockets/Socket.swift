// The system's sockets, and nothing else: every call into Glibc or Darwin of this module is in this file and in
// `Threads.swift`, so that the rest is plain Swift. Sockets here never block, never outlive an `exec`, and never raise
// SIGPIPE.
//
// UNSAFE, and why: the C interface takes pointers; each one lives only for the call that it is passed to.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A non-blocking socket or pipe end. A plain number: whoever made it closes it, once.
struct Socket: Hashable, Sendable {
  let descriptor: Int32
}

/// An address of IP version 4, which is all that loopback needs.
struct SocketAddress: Hashable, Sendable {
  /// The four bytes in network order.
  var host: [UInt8]
  var port: UInt16

  static func loopback(port: UInt16) -> SocketAddress { SocketAddress(host: [127, 0, 0, 1], port: port) }
}

/// What the system answered to a read or a write.
enum SocketResult: Hashable, Sendable {
  case bytes(Int)
  case end
  case wouldBlock
  case failed(SystemError)
}

/// An `errno` value with its text.
struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
  let number: Int32

  static var last: SystemError { SystemError(number: errno) }

  /// Whether the process or the system is out of descriptors or buffers: worth another try later.
  var isShortage: Bool { [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(number) }
  /// Whether another one holds the address.
  var isAddressInUse: Bool { number == EADDRINUSE }
  /// Whether the peer broke the connection off.
  var isReset: Bool { number == ECONNRESET || number == EPIPE }

  var description: String {
    guard let text = unsafe strerror(number) else { return "error \(number)" }
    return unsafe "\(String(cString: text)) (errno \(number))"
  }
}

extension Socket {
  /// A listening socket and the port it got.
  static func listening(at address: SocketAddress, backlog: Int32 = 128) throws(SystemError) -> (
    Socket, UInt16
  ) {
    let socket = try Socket.stream()
    do throws(SystemError) {
      socket.set(SOL_SOCKET, SO_REUSEADDR, 1)
      var raw = sockaddr_in(address)
      try check(
        unsafe withUnsafePointer(to: &raw) { pointer in
          unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            unsafe bind(socket.descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
          }
        })
      try check(listen(socket.descriptor, backlog))
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      try check(
        unsafe withUnsafeMutablePointer(to: &raw) { pointer in
          unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            unsafe getsockname(socket.descriptor, $0, &length)
          }
        })
      return (socket, UInt16(bigEndian: raw.sin_port))
    } catch {
      socket.close()
      throw error
    }
  }

  /// A socket on its way to `address`: once it is writable, `connectionError` tells how it went.
  static func connecting(to address: SocketAddress) throws(SystemError) -> Socket {
    let socket = try Socket.stream()
    socket.set(IPPROTO_TCP_LEVEL, TCP_NODELAY, 1)
    var raw = sockaddr_in(address)
    let result = unsafe withUnsafePointer(to: &raw) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe connect(socket.descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    if result != 0, errno != EINPROGRESS, errno != EINTR {
      let error = SystemError.last
      socket.close()
      throw error
    }
    return socket
  }

  /// How an attempt to connect went; `nil` means well.
  var connectionError: SystemError? {
    var value: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    guard unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &value, &length) == 0 else { return .last }
    return value == 0 ? nil : SystemError(number: value)
  }

  enum Accepted {
    case connection(Socket, from: SocketAddress)
    case wouldBlock
    case failed(SystemError)
  }

  /// Takes the next waiting connection.
  func accept() -> Accepted {
    var raw = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let number = unsafe withUnsafeMutablePointer(to: &raw) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        #if canImport(Darwin)
          unsafe Darwin.accept(descriptor, $0, &length)
        #elseif canImport(Musl)
          unsafe Musl.accept(descriptor, $0, &length)
        #else
          unsafe Glibc.accept(descriptor, $0, &length)
        #endif
      }
    }
    guard number >= 0 else {
      switch errno {
      case EAGAIN, EWOULDBLOCK, EINTR, ECONNABORTED: return .wouldBlock
      default: return .failed(.last)
      }
    }
    let socket = Socket(descriptor: number)
    socket.prepare()
    // Each chunk of a script is to be a segment of its own where that is possible at all.
    socket.set(IPPROTO_TCP_LEVEL, TCP_NODELAY, 1)
    return .connection(socket, from: SocketAddress(raw))
  }

  /// Reads what is there, at most `buffer.count` bytes, into the front of `buffer`.
  func receive(into buffer: inout [UInt8]) -> SocketResult {
    let count = unsafe buffer.withUnsafeMutableBytes { unsafe recv(descriptor, $0.baseAddress, $0.count, 0) }
    return Self.result(of: count)
  }

  /// Sends as much of `bytes` as the system takes now.
  func send(_ bytes: ArraySlice<UInt8>) -> SocketResult {
    let count = unsafe bytes.withUnsafeBytes {
      #if canImport(Darwin)
        unsafe Darwin.send(descriptor, $0.baseAddress, $0.count, 0)
      #elseif canImport(Musl)
        unsafe Musl.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      #else
        unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      #endif
    }
    return count == 0 ? .bytes(0) : Self.result(of: count)
  }

  /// Says that nothing more is sent (FIN).
  func shutdownWriting() {
    _ = shutdown(descriptor, Int32(SHUT_WR))
  }

  /// Makes the coming close a TCP reset.
  func resetOnClose() {
    var option = linger(l_onoff: 1, l_linger: 0)
    _ = unsafe setsockopt(
      descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
  }

  func close() {
    #if canImport(Darwin)
      _ = Darwin.close(descriptor)
    #elseif canImport(Musl)
      _ = Musl.close(descriptor)
    #else
      _ = Glibc.close(descriptor)
    #endif
  }

  private static func result(of count: Int) -> SocketResult {
    if count > 0 { return .bytes(count) }
    if count == 0 { return .end }
    switch errno {
    case EAGAIN, EWOULDBLOCK, EINTR: return .wouldBlock
    default: return .failed(.last)
    }
  }

  private static func stream() throws(SystemError) -> Socket {
    let number = socket(AF_INET, SOCKET_STREAM, 0)
    try check(number)
    let socket = Socket(descriptor: number)
    socket.prepare()
    return socket
  }

  /// Non-blocking and closed on exec. In a second step, since the calls that do it in one (`accept4`, `pipe2`) are GNU
  /// extensions that Swift's Glibc doesn't show and Darwin doesn't have.
  fileprivate func prepare() {
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    #if canImport(Darwin)
      set(SOL_SOCKET, SO_NOSIGPIPE, 1)
    #endif
  }

  private func set(_ level: Int32, _ option: Int32, _ value: Int32) {
    var value = value
    _ = unsafe setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
  }
}

/// A pipe that wakes a thread out of `poll`.
struct WakePipe: Sendable {
  let reading: Socket
  private let writing: Socket

  init() throws(SystemError) {
    var ends: [Int32] = [-1, -1]
    try check(unsafe pipe(&ends))
    reading = Socket(descriptor: ends[0])
    writing = Socket(descriptor: ends[1])
    reading.prepare()
    writing.prepare()
  }

  /// Wakes the thread. A full pipe is as good as one more byte in it.
  func wake() {
    var byte: UInt8 = 0
    _ = unsafe write(writing.descriptor, &byte, 1)
  }

  /// Takes out every byte.
  func drain() {
    var buffer = [UInt8](repeating: 0, count: 256)
    while unsafe read(reading.descriptor, &buffer, buffer.count) == buffer.count {}
  }

  func close() {
    reading.close()
    writing.close()
  }
}

/// What a caller of `poll` waits for.
struct PollEntry: Hashable, Sendable {
  enum Interest: Hashable, Sendable { case reading, writing }

  var socket: Socket
  var interest: Interest
  /// Set by `poll`: ready, hung up or broken — in each case the next call on the socket says which.
  var isReady = false

  /// Waits until an entry is ready or `milliseconds` have passed (negative: without end).
  static func poll(_ entries: inout [PollEntry], milliseconds: Int32) {
    var raw = entries.map {
      pollfd(
        fd: $0.socket.descriptor, events: Int16($0.interest == .reading ? POLLIN : POLLOUT), revents: 0)
    }
    #if canImport(Darwin)
      let count = unsafe Darwin.poll(&raw, nfds_t(raw.count), milliseconds)
    #elseif canImport(Musl)
      let count = unsafe Musl.poll(&raw, nfds_t(raw.count), milliseconds)
    #else
      let count = unsafe Glibc.poll(&raw, nfds_t(raw.count), milliseconds)
    #endif
    for index in entries.indices { entries[index].isReady = count > 0 && raw[index].revents != 0 }
  }
}

extension SocketAddress {
  /// The addresses of version 4 that a host name stands for, in the resolver's order; empty if there are none. It
  /// blocks while the resolver asks around.
  static func resolve(host: String, port: UInt16) -> [SocketAddress] {
    var hints = unsafe addrinfo()
    unsafe hints.ai_family = AF_INET
    unsafe hints.ai_socktype = SOCKET_STREAM
    var list: UnsafeMutablePointer<addrinfo>?
    guard unsafe getaddrinfo(host, nil, &hints, &list) == 0 else { return [] }
    defer { unsafe freeaddrinfo(list) }
    var addresses: [SocketAddress] = []
    var entry = unsafe list
    while let info = unsafe entry {
      if let raw = unsafe info.pointee.ai_addr {
        var address = unsafe raw.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
          unsafe SocketAddress($0.pointee)
        }
        address.port = port
        addresses.append(address)
      }
      unsafe entry = info.pointee.ai_next
    }
    return addresses
  }
}

private func check(_ result: Int32) throws(SystemError) {
  if result < 0 { throw SystemError.last }
}

// Glibc has these as enumerations, Darwin and Musl as numbers.
private let IPPROTO_TCP_LEVEL = Int32(IPPROTO_TCP)
#if canImport(Glibc)
  private let SOCKET_STREAM = Int32(SOCK_STREAM.rawValue)
#else
  private let SOCKET_STREAM = SOCK_STREAM
#endif

extension sockaddr_in {
  fileprivate init(_ address: SocketAddress) {
    self.init()
    sin_family = sa_family_t(AF_INET)
    sin_port = address.port.bigEndian
    let host = address.host.reduce(UInt32(0)) { ($0 << 8) | UInt32($1) }
    sin_addr = in_addr(s_addr: host.bigEndian)
    #if canImport(Darwin)
      sin_len = UInt8(MemoryLayout<sockaddr_in>.size)
    #endif
  }
}

extension SocketAddress {
  fileprivate init(_ raw: sockaddr_in) {
    let host = UInt32(bigEndian: raw.sin_addr.s_addr)
    self.host = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: host >> $0) }
    port = UInt16(bigEndian: raw.sin_port)
  }
}
