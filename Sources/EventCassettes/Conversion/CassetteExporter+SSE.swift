// The body bytes alone, of all exchanges one after the other, as they came.

extension CassetteExporter {
  /// The raw event-stream bytes.
  public static let sse = CassetteExporter(
    name: "sse", summary: "the raw body bytes, one exchange after the other"
  ) {
    BodySteps()
  }
}

private struct BodySteps: ExportSteps {
  func take(_ record: CassetteRecord, at: Int64) -> [UInt8] {
    if case .chunk(let chunk) = record { chunk.bytes } else { [] }
  }

  func finish() -> [UInt8] { [] }
}
