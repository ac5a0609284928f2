// Every way in which the tool gives up over its words and its files, with what the user reads.

@testable import WiretapeCommands

extension CommandFailure {
  static let all = toolWide + values + verbs + fuzzing

  /// Before a verb is known, and what holds for each.
  private static let toolWide = [
    CommandFailure(
      ["rekord"], .usage,
      """
      wiretape: there is no verb “rekord”; did you mean “record”?
      “wiretape --help” lists the verbs.
      """),
    CommandFailure(
      ["help", "chekc"], .usage,
      """
      wiretape: there is no verb “chekc”; did you mean “check”?
      “wiretape --help” lists the verbs.
      """),
    CommandFailure(
      ["--verson"], .usage,
      """
      wiretape: there is no option --verson before the verb; did you mean --version?
      “wiretape --help” lists the verbs; options stand behind one.
      """),
    CommandFailure(
      ["record"], .usage,
      """
      wiretape record: URL is missing
      “wiretape help record” shows what record takes.
      """),
    CommandFailure(
      ["inspect", "a.cassette", "b.cassette"], .usage,
      """
      wiretape inspect: “b.cassette” is one argument too many
      “wiretape help inspect” shows what inspect takes.
      """),
    CommandFailure(
      ["record", "http://h/", "--lable", "a=b"], .usage,
      """
      wiretape record: there is no option --lable; did you mean --label?
      “wiretape help record” shows what record takes.
      """),
    CommandFailure(
      ["inspect", "FOLDER/orders.cassette", "--json=1"], .usage,
      """
      wiretape inspect: --json takes no value
      “wiretape help inspect” shows what inspect takes.
      """),
    CommandFailure(
      ["record", "http://h/", "-o"], .usage,
      """
      wiretape record: --output needs a value: --output FILE
      “wiretape help record” shows what record takes.
      """),
    CommandFailure(
      ["inspect", "FOLDER/orders.cassette", "--json", "--json"], .usage,
      """
      wiretape inspect: --json was given twice
      “wiretape help inspect” shows what inspect takes.
      """),
  ]

  /// What an option's value may be.
  private static let values = [
    CommandFailure(
      ["record", "http://h/", "-o", "a", "--max-events", "many"], .usage,
      """
      wiretape record: --max-events takes a whole number, such as 10
      “wiretape help record” shows what record takes.
      """),
    CommandFailure(
      ["record", "http://h/", "-o", "a", "--max-events", "0"], .usage,
      """
      wiretape record: --max-events takes a whole number from 1 up
      “wiretape help record” shows what record takes.
      """),
    CommandFailure(
      ["record", "http://h/", "-o", "a", "--level", "12"], .usage,
      """
      wiretape record: --level takes 0 to 9
      “wiretape help record” shows what record takes.
      """),
    CommandFailure(
      ["record", "http://h/", "-o", "a", "--max-duration", "1m"], .usage,
      """
      wiretape record: --max-duration takes seconds, such as 30 or 2.5
      “wiretape help record” shows what record takes.
      """),
    CommandFailure(
      ["record", "http://h/", "-o", "a", "--max-duration", "0"], .usage,
      """
      wiretape record: --max-duration takes seconds above 0, such as 30 or 2.5
      “wiretape help record” shows what record takes.
      """),
    CommandFailure(
      ["record", "http://h/", "-o", ""], .usage,
      """
      wiretape record: --output takes a file's name, and got an empty one
      “wiretape help record” shows what record takes.
      """),
    CommandFailure(
      ["record", "http://h/", "-o", "a", "--label", "build"], .usage,
      """
      wiretape record: --label takes NAME=VALUE, such as build=42
      “wiretape help record” shows what record takes.
      """),
    CommandFailure(
      ["record", "http://h/", "-o", "a", "-X", "GET /"], .usage,
      """
      wiretape record: --method takes a method, such as GET or POST
      “wiretape help record” shows what record takes.
      """),
    CommandFailure(
      ["record", "http://h/", "-o", "a", "-H", "Accept"], .usage,
      """
      wiretape record: --header takes “Name: value”, or @FILE
      “wiretape help record” shows what record takes.
      """),
    CommandFailure(
      ["record", "http://h/", "-o", "a", "--last-event-id", "1\n2"], .usage,
      """
      wiretape record: --last-event-id takes an id without line ends and NUL
      “wiretape help record” shows what record takes.
      """),
    CommandFailure(
      ["record", "http://h/", "-o", "a", "--policy", "stubborn"], .usage,
      """
      wiretape record: --policy takes standard or resilient, not “stubborn”
      “wiretape help record” shows what record takes.
      """),
    CommandFailure(
      ["record", "http://h/", "-o", "a", "--redact-regex", "a("], .usage,
      """
      wiretape record: --redact-regex: “a(” is no regular expression: expected ')'
      “wiretape help record” shows what record takes.
      """),
    CommandFailure(
      ["listen", "http://h/", "--initial-retry", "3s"], .usage,
      """
      wiretape listen: --initial-retry takes milliseconds as a whole number, such as 3000
      “wiretape help listen” shows what listen takes.
      """),
    CommandFailure(
      ["check", "FOLDER/orders.cassette", "--seed", "-1"], .usage,
      """
      wiretape check: --seed takes a whole number from 0 to 18446744073709551615
      “wiretape help check” shows what check takes.
      """),
    CommandFailure(
      ["check", "FOLDER/orders.cassette", "--plans", ""], .usage,
      """
      wiretape check: --plans takes plans, such as hostile,bytes:1
      “wiretape help check” shows what check takes.
      """),
    CommandFailure(
      ["check", "FOLDER/orders.cassette", "--plans", "whole,hostil"], .usage,
      """
      wiretape check: --plans: ‘hostil’ is no boundary plan: use recorded, whole, bytes:N, random:SEED, at:OFFSET,…, hostile or each
      “wiretape help check” shows what check takes.
      """),
    CommandFailure(
      ["check", "FOLDER/orders.cassette", "--subject", ""], .usage,
      """
      wiretape check: --subject takes a command, and got an empty one
      “wiretape help check” shows what check takes.
      """),
    CommandFailure(
      ["replay", "FOLDER/orders.cassette", "--boundaries", "bytes"], .usage,
      """
      wiretape replay: --boundaries: plan ‘bytes’ lacks its number: write it like bytes:1
      “wiretape help replay” shows what replay takes.
      """),
    CommandFailure(
      ["replay", "FOLDER/orders.cassette", "--speed", "fast"], .usage,
      """
      wiretape replay: --speed takes instant, recorded or a number such as 2 or 0.5
      “wiretape help replay” shows what replay takes.
      """),
    CommandFailure(
      ["serve", "FOLDER/orders.cassette", "--fault", "reset"], .usage,
      """
      wiretape serve: --fault: fault ‘reset’ lacks its place: write it like reset@0
      “wiretape help serve” shows what serve takes.
      """),
    CommandFailure(
      ["trim", "FOLDER/orders.cassette", "-o", "a", "--events", "7-3"], .usage,
      """
      wiretape trim: --events takes numbers of events, the first one first, such as 3-7 or 5
      “wiretape help trim” shows what trim takes.
      """),
    CommandFailure(
      ["import", "FOLDER/stream.txt", "-o", "a", "--from", "csv"], .usage,
      """
      wiretape import: --from takes sse, jsonl, har or asciicast, not “csv”
      “wiretape help import” shows what import takes.
      """),
    CommandFailure(
      ["proxy", "http://h/", "-o", "a", "--listen", "everywhere"], .usage,
      """
      wiretape proxy: --listen takes an IPv4 address and a port, such as 127.0.0.1:9090
      “wiretape help proxy” shows what proxy takes.
      """),
  ]
}
