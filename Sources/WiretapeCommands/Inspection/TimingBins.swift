// How many bytes came when, in a fixed number of bins that grow wider as time goes on, and its picture as a row of
// blocks. Constant memory for a stream of any length.

/// Bytes over time.
struct TimingBins {
  private static let most = 512
  private var bins: [Int] = []
  private var width: Int64 = 1000

  /// Counts bytes at a time in microseconds.
  mutating func add(_ bytes: Int, at microseconds: Int64) {
    let time = max(0, microseconds)
    while time / width >= Self.most {
      let halved = stride(from: 0, to: bins.count, by: 2).map {
        bins[$0] + ($0 + 1 < bins.count ? bins[$0 + 1] : 0)
      }
      bins = halved
      width *= 2
    }
    let bin = Int(time / width)
    if bin >= bins.count { bins += Array(repeating: 0, count: bin + 1 - bins.count) }
    bins[bin] = bins[bin].addingReportingOverflow(bytes).partialValue
  }

  /// A row of so many columns for the time from 0 to `end`: a block for bytes, higher for more (a step for each
  /// factor), a blank where nothing came.
  func row(columns: Int, until end: Int64) -> String {
    var sums = Array(repeating: 0, count: columns)
    for (bin, bytes) in bins.enumerated() where bytes > 0 {
      let time = Double(Int64(bin) * width)
      let column = min(columns - 1, Int(time / Double(max(1, end)) * Double(columns)))
      sums[column] += bytes
    }
    let blocks = Array("▁▂▃▄▅▆▇█")
    let highest = sums.max() ?? 0
    return String(
      sums.map { sum -> Character in
        guard sum > 0 else { return " " }
        // By bits, as sizes differ by powers: 1 byte is the lowest block, the most bytes are the highest.
        let bits = Int.bitWidth - sum.leadingZeroBitCount
        let most = max(1, Int.bitWidth - highest.leadingZeroBitCount)
        return blocks[min(7, bits * 8 / most - (bits == most ? 1 : 0))]
      })
  }
}
