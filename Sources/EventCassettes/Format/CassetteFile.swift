// The only file of this module that talks POSIX: opening, locking, reading, writing and removing cassette files.
//
// UNSAFE, and why: system calls take raw pointers, which are used only inside the closure that lends them, and `stat` is filled
// by address. Every call is repeated on EINTR, partial writes go on, and errno becomes a CassetteError.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// An open file, closed when its owner goes.
package struct CassetteFile: ~Copyable {
  private let descriptor: CInt
  private let owned: Bool
  /// Whether the file was there before and is still as it was.
  private var keepsOld: Bool
  /// The path as given.
  package let path: String
  /// Where a file is written that will take the place of another one, which stays as it is until ``commit()``.
  private var aside: String?
  /// The file that will be replaced: open, so that nobody else writes it meanwhile.
  private var replaced: CInt = -1
  private var isLocked = false

  deinit {
    if let aside { unsafe unlink(aside) }
    // Said, not only closed: a program that is just being started has the file open too until it runs.
    if replaced >= 0 {
      flock(replaced, LOCK_UN)
      close(replaced)
    }
    if isLocked { flock(descriptor, LOCK_UN) }
    if owned { close(descriptor) }
  }

  private init(descriptor: CInt, owned: Bool, path: String) {
    self.descriptor = descriptor
    self.owned = owned
    self.path = path
    keepsOld = false
  }

  /// Opens a file for reading; `-` is standard input.
  static func open(reading path: String) throws(CassetteError) -> CassetteFile {
    if path == "-" { return CassetteFile(descriptor: 0, owned: false, path: "standard input") }
    let file = CassetteFile(
      descriptor: try opened(path, O_RDONLY | O_CLOEXEC, 0, reading: true), owned: true, path: path)
    if file.kind == S_IFDIR {
      throw CassetteError(.isFolder, file: path, "this is a folder; name a file in it")
    }
    return file
  }

  /// Creates a file for writing, mode 0600, locked against a second writer.
  ///
  /// - Parameter overwriting: takes an existing file instead of failing; it loses its content with the first write.
  package static func create(_ path: String, overwriting: Bool) throws(CassetteError) -> CassetteFile {
    if path == "-" {
      throw CassetteError(
        .cannotOpen, file: path,
        "an output is a file, not standard output; name one, or ./- for a file of this name")
    }
    var descriptor: CInt = -1
    var isOld = false
    do {
      descriptor = try opened(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600, reading: false)
    } catch {
      guard overwriting, error.code == .exists else { throw error }
      descriptor = try opened(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600, reading: false)
      isOld = true
    }
    var file = CassetteFile(descriptor: descriptor, owned: true, path: path)
    try file.lock()
    // Not truncated yet: another writer may have been at work on it, and what wants to write may still fail.
    file.keepsOld = isOld && file.kind == S_IFREG
    return file
  }

  /// Creates a file for writing as ``create(_:overwriting:)`` does, but what it overwrites stays whole until ``commit()``:
  /// the new file grows beside it, under its name and `.partial`. Where that can't be (a device, a folder that takes no
  /// new files) the old one is overwritten in place.
  package static func create(replacing path: String) throws(CassetteError) -> CassetteFile {
    var old = try create(path, overwriting: true)
    guard old.keepsOld, let resolved = unsafe realpath(path, nil) else { return old }
    let place = unsafe String(cString: resolved) + partial
    unsafe free(resolved)
    // Left by a run that was killed, unless somebody holds it.
    guard
      let descriptor = try? opened(place, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600, reading: false)
    else { return old }
    var new = CassetteFile(descriptor: descriptor, owned: true, path: path)
    try new.lock()
    guard fchmod(descriptor, 0o600) == 0, retrying({ ftruncate(descriptor, 0) }) == 0 else {
      throw failure(errno, path, opening: true)
    }
    new.aside = place
    new.replaced = fcntl(old.descriptor, F_DUPFD_CLOEXEC, 0)  // the lock is on the open file, and goes on
    old.isLocked = new.replaced < 0
    return new
  }

  /// Whether the file is written beside the one that it will replace.
  var isAside: Bool { aside != nil }

  /// Puts a file that was written aside in its place.
  package mutating func commit() throws(CassetteError) {
    guard let place = aside else { return }
    guard unsafe rename(place, String(place.dropLast(Self.partial.count))) == 0 else {
      throw Self.failure(errno, path, opening: true)
    }
    aside = nil
  }

  private static let partial = ".partial"

  private static func opened(
    _ path: String, _ flags: CInt, _ mode: mode_t, reading: Bool
  ) throws(CassetteError) -> CInt {
    // A NUL would end the path early and open another file.
    if path.isEmpty || path.utf8.contains(0) {
      throw CassetteError(reading ? .noSuchFile : .cannotOpen, file: path, "this is no file name")
    }
    let descriptor = retrying { Self.openCall(path, flags, mode) }
    if descriptor >= 0 { return descriptor }
    if reading, errno == ENOENT || errno == ENOTDIR {
      throw CassetteError(.noSuchFile, file: path, "there is no such file")
    }
    if reading, errno != EISDIR { throw CassetteError(.unreadable, file: path, Self.text(of: errno)) }
    throw failure(errno, path, opening: true)
  }

  private static func openCall(_ path: String, _ flags: CInt, _ mode: mode_t) -> CInt {
    #if canImport(Glibc)
      unsafe Glibc.open(path, flags, mode)
    #elseif canImport(Musl)
      unsafe Musl.open(path, flags, mode)
    #else
      unsafe Darwin.open(path, flags, mode)
    #endif
  }

  private var kind: mode_t {
    var status = stat()
    return unsafe fstat(descriptor, &status) == 0 ? status.st_mode & S_IFMT : 0
  }

  /// Whether this is a file of its own, and no device or pipe.
  var isRegular: Bool { kind == S_IFREG }

  private mutating func lock() throws(CassetteError) {
    if kind != S_IFREG { return }  // devices and pipes are shared by nature
    if Self.retrying({ flock(descriptor, LOCK_EX | LOCK_NB) }) == 0 {
      isLocked = true
      return
    }
    // Only EWOULDBLOCK says that somebody holds it; some file systems have no locks at all.
    if errno == EWOULDBLOCK {
      throw CassetteError(
        .inUse, file: path, "another program is writing this file; wait for it or take another name")
    }
  }

  /// Reads into `buffer[range]`; 0 at the end of the file.
  mutating func read(into buffer: inout [UInt8], _ range: Range<Int>) throws(CassetteError) -> Int {
    precondition(range.lowerBound >= 0 && range.upperBound <= buffer.count, "a range outside the buffer")
    let descriptor = descriptor
    let count = Self.retrying {
      unsafe buffer.withUnsafeMutableBytes { buffer in
        unsafe Self.readCall(descriptor, buffer.baseAddress! + range.lowerBound, range.count)
      }
    }
    if count < 0 {
      if errno == EISDIR { throw CassetteError(.isFolder, file: path, "this is a folder; name a file in it") }
      if errno == EBADF {
        throw CassetteError(.unreadable, file: path, "it is closed, or open for writing only")
      }
      throw Self.failure(errno, path, opening: false)
    }
    return count
  }

  private static func readCall(_ descriptor: CInt, _ to: UnsafeMutableRawPointer, _ count: Int) -> Int {
    #if canImport(Glibc)
      unsafe Glibc.read(descriptor, to, count)
    #elseif canImport(Musl)
      unsafe Musl.read(descriptor, to, count)
    #else
      unsafe Darwin.read(descriptor, to, count)
    #endif
  }

  /// Writes all bytes. What a failing write got out before it failed stays in the file; what was in an overwritten one
  /// is gone with the first write, also with an empty one.
  package mutating func write(_ bytes: [UInt8]) throws(CassetteError) {
    let descriptor = descriptor
    if keepsOld {
      // The mode first: what comes must at no moment be readable to others.
      guard fchmod(descriptor, 0o600) == 0, Self.retrying({ ftruncate(descriptor, 0) }) == 0 else {
        throw Self.failure(errno, path, opening: true)
      }
      keepsOld = false
    }
    var done = 0
    while done < bytes.count {
      let count = Self.retrying {
        unsafe bytes.withUnsafeBytes { bytes in
          unsafe Self.writeCall(descriptor, bytes.baseAddress! + done, bytes.count - done)
        }
      }
      if count < 0 { throw Self.failure(errno, path, opening: false) }
      done += count
    }
    try checkName()
  }

  /// Writing to a file that was removed succeeds and keeps nothing: better said while there is still something to save.
  private func checkName() throws(CassetteError) {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_nlink == 0
    else { return }
    throw CassetteError(
      .removed, file: path, "the file was removed while it was being written: nothing of it is left")
  }

  private static func writeCall(_ descriptor: CInt, _ from: UnsafeRawPointer, _ count: Int) -> Int {
    #if canImport(Glibc)
      unsafe Glibc.write(descriptor, from, count)
    #elseif canImport(Musl)
      unsafe Musl.write(descriptor, from, count)
    #else
      unsafe Darwin.write(descriptor, from, count)
    #endif
  }

  /// Removes the file if its path still names this file. One that was to be overwritten, and was not, stays as it was.
  package mutating func remove() {
    if keepsOld || aside != nil { return }  // the one aside goes with its owner
    var mine = stat()
    var named = stat()
    guard unsafe fstat(descriptor, &mine) == 0, unsafe stat(path, &named) == 0,
      mine.st_dev == named.st_dev, mine.st_ino == named.st_ino, mine.st_mode & S_IFMT == S_IFREG
    else { return }
    unsafe unlink(path)
  }

  private static func retrying<Result: SignedInteger>(_ call: () -> Result) -> Result {
    while true {
      let result = call()
      if result >= 0 || errno != EINTR { return result }
    }
  }

  private static func text(of code: CInt) -> String {
    unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
  }

  private static func failure(_ code: CInt, _ path: String, opening: Bool) -> CassetteError {
    let text = text(of: code)
    switch code {
    case EEXIST:
      return CassetteError(
        .exists, file: path, "this exists already; take another name, or ask for it to be overwritten")
    case EISDIR:
      return CassetteError(
        opening ? .cannotOpen : .isFolder, file: path, "this is a folder; name a file in it")
    case ENOENT, ENOTDIR:
      return CassetteError(.cannotOpen, file: path, "there is no such folder; create it first")
    case ENOSPC, EDQUOT, EFBIG:
      return CassetteError(
        .noSpace, file: path, "no room to write (\(text))")
    default:
      return CassetteError(opening ? .cannotOpen : .inputOutput, file: path, text)
    }
  }
}
