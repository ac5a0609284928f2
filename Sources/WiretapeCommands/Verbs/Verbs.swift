// The verbs of the tool in the order that help lists them. This is the one list; each verb has a file of its own.

extension Verb {
  /// Every verb there is.
  static let all: [Verb] = [
    DemoVerb.verb,
    RecordVerb.verb,
    ProxyVerb.verb,
    ListenVerb.verb,
    InspectVerb.verb,
    ReplayVerb.verb,
    CheckVerb.verb,
    MinimizeVerb.verb,
    ServeVerb.verb,
    ParseVerb.verb,
    DiffVerb.verb,
    RecoverVerb.verb,
    RedactVerb.verb,
    CatVerb.verb,
    TrimVerb.verb,
    ImportVerb.verb,
    ExportVerb.verb,
    ReportVerb.verb,
    FuzzVerb.verb,
    CompletionsVerb.verb,
  ]
}
