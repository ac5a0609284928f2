// How durations and sizes read, everywhere in the tool.

/// `0.25 ms`, `1.2 s`, `3 min 20 s`: rounded to what is shown.
func durationText(_ microseconds: Int64) -> String {
  if microseconds < 1000 { return "\(microseconds) µs" }
  let hundredthsOfMilliseconds = rounded(microseconds, to: 10)
  if hundredthsOfMilliseconds < 100_000 { return decimal(hundredthsOfMilliseconds, per: 100) + " ms" }
  let hundredths = rounded(microseconds, to: 10_000)
  if hundredths < 6000 { return decimal(hundredths, per: 100) + " s" }
  let seconds = rounded(microseconds, to: 1_000_000)
  if seconds < 3600 { return "\(seconds / 60) min \(seconds % 60) s" }
  let minutes = rounded(microseconds, to: 60_000_000)
  return "\(minutes / 60) h \(minutes % 60) min"
}

/// How many units something takes, the nearest number of them.
private func rounded(_ value: Int64, to unit: Int64) -> Int64 {
  value / unit + (value % unit >= unit / 2 ? 1 : 0)
}

private func decimal(_ value: Int64, per unit: Int64) -> String {
  let hundredths = value * 100 / unit
  guard hundredths % 100 != 0 else { return "\(hundredths / 100)" }
  let rest = hundredths % 100
  return "\(hundredths / 100)." + (rest % 10 == 0 ? "\(rest / 10)" : rest < 10 ? "0\(rest)" : "\(rest)")
}

/// `812 bytes`, `12.3 KB`: thousands, as file managers count.
func sizeText(_ bytes: Int) -> String {
  switch bytes {
  case ..<1000: counted(bytes, "byte")
  case ..<1_000_000: decimal(Int64(bytes), per: 1000) + " KB"
  case ..<1_000_000_000: decimal(Int64(bytes / 1000), per: 1000) + " MB"
  default: decimal(Int64(bytes / 1_000_000), per: 1000) + " GB"
  }
}
