// Every way in which a verb gives up over what it was asked for, its files and its server.

import ServerSentEvents

@testable import WiretapeCommands

extension CommandFailure {
  /// What each verb refuses.
  static let verbs = [
    CommandFailure(
      ["record", "http://h/"], .usage,
      """
      wiretape record: -o FILE is missing: where shall the cassette go?
      “wiretape help record” shows what record takes.
      """),
    CommandFailure(
      ["record", "h/events", "-o", "FOLDER/a"], .usage,
      """
      wiretape record: “h/events” is no URL of a stream
      Give one that begins with http:// or https://.
      """),
    CommandFailure(
      ["record", "-", "-o", "FOLDER/a", "--reconnect"], .usage,
      """
      wiretape record: --reconnect needs a URL; standard input can only be read
      “wiretape help record” shows what record takes.
      """),
    CommandFailure(
      ["record", "http://h/", "-o", "FOLDER/a", "-H", "@FOLDER/headers.txt"], .badData,
      """
      wiretape record: FOLDER/headers.txt, line 2: this is no header
      Write one “Name: value” on each line.
      """),
    CommandFailure(
      ["record", "http://h/", "-o", "FOLDER/a", "-d", "@/dev/zero"], .badData,
      """
      wiretape record: /dev/zero: more than 67108864 bytes
      Give a smaller file.
      """),
    CommandFailure(
      ["record", "http://h/", "-o", "FOLDER/a", "-d", "@FOLDER/none"], .noInput,
      """
      wiretape record: FOLDER/none: there is no such file
      Check the name and the folder.
      """),
    CommandFailure(
      ["record", "http://h/", "-o", "FOLDER/a"], .unavailable,
      """
      wiretape record: http://h/: no answer (unreachable: no server listens); no file was written
      Check the URL, and that the server runs and can be reached from here.
      """),
    CommandFailure(
      ["record", "https://h/", "-o", "FOLDER/a"], .unavailable,
      """
      wiretape record: https://h/: no answer (tls: wrong version number); no file was written
      The server was reached: check its certificate, the name in the URL, and whether it serves https.
      """, server: .ends(.tls, "wrong version number")),
    CommandFailure(
      ["record", "http://h/", "-o", "FOLDER/a"], .unavailable,
      """
      wiretape record: http://h/: no answer (protocol: a status line without a status); no file was written
      The server was reached: check whether this scheme and port are right, and look into its log.
      """, server: .ends(.protocol, "a status line without a status")),
    CommandFailure(
      ["record", "http://127.0.0.1:99999/", "-o", "FOLDER/a"], .usage,
      """
      wiretape record: “http://127.0.0.1:99999/” has no usable port
      Write a number from 1 to 65535 behind the host, or none.
      """),
    CommandFailure(
      ["listen", "http://[::1]:http/"], .usage,
      """
      wiretape listen: “http://[::1]:http/” has no usable port
      Write a number from 1 to 65535 behind the host, or none.
      """),
    CommandFailure(
      ["record", "http://h/", "-o", "FOLDER/orders.cassette"], .cannotCreate,
      """
      wiretape record: FOLDER/orders.cassette: this exists already; take another name, or ask for it to be overwritten
      --force overwrites it.
      """),
    CommandFailure(
      ["record", "http://h/", "-o", "FOLDER"], .cannotCreate,
      """
      wiretape record: FOLDER: this is a folder
      Name a file in it, such as FOLDER/events.cassette.
      """),
    CommandFailure(
      ["record", "http://h/", "-o", "FOLDER/none/a"], .cannotCreate,
      "wiretape record: FOLDER/none/a: there is no such folder; create it first"),
    CommandFailure(
      ["record", "http://h/", "-o", "FOLDER/a", "--no-redact", "--redact-key", "x"], .usage,
      """
      wiretape record: --no-redact masks nothing: it can’t stand beside another --redact option
      “wiretape help record” shows what record takes.
      """),
    CommandFailure(
      ["listen", "http://h/", "--one-shot"], .unavailable,
      "wiretape listen: http://h/: the server can't be reached (no server listens); check the address and the network"
    ),
    CommandFailure(
      ["listen", "http://h/"], .unavailable,
      """
      wiretape listen: http://h/: the server answered 404, which is no event stream; check the URL, the credentials and the error's body
      “wiretape record” keeps such an answer on a cassette to look at.
      """, server: .notFound),
    CommandFailure(
      ["listen", "http://h/"], .unavailable,
      """
      wiretape listen: http://h/: the server answered 302 (a redirect to ‘ftp://h/x’, which is no address of a web server, after 2 others), which is no event stream; check the URL, the credentials and the error's body
      “wiretape record” keeps such an answer on a cassette to look at.
      """, server: .redirectElsewhere),
    CommandFailure(
      ["listen", "http://h/"], .unavailable,
      """
      wiretape listen: http://h/: the server answered 200 with content type text/plain, not text/event-stream; check the URL
      “wiretape record” keeps such an answer on a cassette to look at.
      """, server: .twoTypes),
    CommandFailure(
      ["proxy", "http://h/"], .usage,
      """
      wiretape proxy: -o DIR is missing: where shall the cassettes go?
      “wiretape help proxy” shows what proxy takes.
      """),
    CommandFailure(
      ["proxy", "http://h/", "-o", "FOLDER/orders.cassette"], .cannotCreate,
      """
      wiretape proxy: FOLDER/orders.cassette: no folder can be made here
      Take another name, or remove what is there.
      """),
    CommandFailure(
      ["proxy", "h", "-o", "FOLDER"], .usage,
      "wiretape proxy: ‘h’ is no upstream: write http://HOST, with :PORT and /PATH if needed"),
    CommandFailure(
      ["inspect", "FOLDER/ordres.cassette"], .noInput,
      """
      wiretape inspect: FOLDER/ordres.cassette: there is no such file
      Check the name and the folder.
      """),
    CommandFailure(
      ["inspect", "FOLDER"], .noInput,
      "wiretape inspect: FOLDER: this is a folder; name a file in it"),
    CommandFailure(
      ["inspect", "FOLDER/stream.txt"], .badData,
      """
      wiretape inspect: FOLDER/stream.txt: member at byte 0, record 1: this is not a cassette: it doesn't begin as one (gzip with a plain head)
      “wiretape record” makes cassettes; “wiretape parse” reads raw event-stream bytes.
      """),
    CommandFailure(
      ["inspect", "FOLDER/orders.cassette", "--chunks", "--events"], .usage,
      """
      wiretape inspect: --exchanges, --chunks and --events are one list each; ask for one
      “wiretape help inspect” shows what inspect takes.
      """),
    CommandFailure(
      ["check", "FOLDER/golden.cassette"], .badData,
      "wiretape check: FOLDER/golden.events.jsonl: line 1 of the golden file is not a JSON object: write the file anew with `wiretape check --update`"
    ),
    CommandFailure(
      ["check", "--update", "FOLDER/torn.cassette"], .badData,
      """
      wiretape check: FOLDER/torn.cassette: this recording lacks its end, so no golden file was written
      “wiretape recover” makes a finished cassette of what is there; then check --update that.
      """),
    CommandFailure(
      ["check", "FOLDER/orders.cassette", "--update", "--subject", "cat"], .usage,
      """
      wiretape check: --update and --policy are for runs of the client; a subject is another parser
      “wiretape help check” shows what check takes.
      """),
    CommandFailure(
      ["check", "FOLDER/orders.cassette", "--subject-timeout", "5"], .usage,
      """
      wiretape check: --subject-timeout needs --subject CMD: who shall have that time?
      “wiretape help check” shows what check takes.
      """),
    CommandFailure(
      ["minimize", "FOLDER/orders.cassette"], .usage,
      """
      wiretape minimize: -o FILE is missing: where shall the small cassette go?
      “wiretape help minimize” shows what minimize takes.
      """),
    CommandFailure(
      ["minimize", "FOLDER/orders.cassette", "-o", "FOLDER/a"], .usage,
      """
      wiretape minimize: --subject CMD is missing: which parser fails?
      “wiretape help minimize” shows what minimize takes.
      """),
    CommandFailure(
      ["minimize", "FOLDER/orders.cassette", "-o", "FOLDER/a", "--subject", "echo ready; exec cat"],
      .unavailable,
      """
      wiretape minimize: this is no subject: it answered an empty stream with “ready”
      The answer is the line {"end": true}, and every event is a line of JSON before it. “wiretape help check” tells what a subject does.
      """),
    CommandFailure(
      [
        "minimize", "FOLDER/orders.cassette", "-o", "FOLDER/a", "--subject",
        #"echo '{"type":"a","data":"b","lastEventId":""}'; echo '{"end":true}'; exec cat >/dev/null"#,
      ], .badData,
      """
      wiretape minimize: FOLDER/orders.cassette: the subject fails on an empty stream already: {"type":"the subject printed events for an empty stream","data":"b","lastEventId":""}
      Nothing is smaller than that. “wiretape help minimize” says what a subject does.
      """),
    CommandFailure(
      ["check", "FOLDER/orders.cassette", "--subject", "sleep 0.01; echo 5"], .unavailable,
      """
      wiretape check: this is no subject: it answered an empty stream with “5”
      The answer is the line {"end": true}, and every event is a line of JSON before it. “wiretape help check” tells what a subject does.
      """),
    CommandFailure(
      ["check", "FOLDER/orders.cassette", "--subject", "false"], .unavailable,
      """
      wiretape check: the subject didn’t answer an empty stream: it exited with 1
      Does the command run? “wiretape help check” tells what a subject does.
      """),
    CommandFailure(
      ["serve", "FOLDER/orders.cassette", "--resume-sweep", "byte", "--loop"], .usage,
      """
      wiretape serve: --resume-sweep cuts by itself: it takes no --boundaries, --speed, --loop or --fault
      “wiretape help serve” shows what serve takes.
      """),
    CommandFailure(
      ["serve", "FOLDER/orders.cassette", "--resume-sweep", "byte"], .badData,
      "wiretape serve: no server can resume this session: event 1 has no ID of its own, so no server can resume after it; a sweep needs a session whose events have IDs of their own"
    ),
    CommandFailure(
      ["serve", "FOLDER/orders.cassette", "--boundaries", "each"], .usage,
      "wiretape serve: plan ‘each’ is many replays, not one: give a single split as at:OFFSET"),
    CommandFailure(
      ["parse", "FOLDER/none"], .noInput,
      """
      wiretape parse: FOLDER/none: there is no such file
      Check the name and the folder.
      """),
    CommandFailure(
      ["parse", "/dev/zero"], .badData,
      """
      wiretape parse: /dev/zero: the line that reaches byte 16777217 is longer than 16777216 bytes
      No client should take this in; if it is meant, split what the server sends.
      """),
    CommandFailure(
      ["diff", "-", "-"], .usage,
      """
      wiretape diff: standard input can be read once: name at least one file
      “wiretape help diff” shows what diff takes.
      """),
    CommandFailure(
      ["cat", "-", "-", "-o", "FOLDER/a"], .usage,
      """
      wiretape cat: standard input can be read once only
      “wiretape help cat” shows what cat takes.
      """),
    CommandFailure(
      ["redact", "FOLDER/orders.cassette"], .usage,
      """
      wiretape redact: -o FILE is missing: where shall the new cassette go?
      “wiretape help redact” shows what redact takes.
      """),
    CommandFailure(
      ["redact", "FOLDER/orders.cassette", "-o", "FOLDER/orders.cassette", "--force"], .cannotCreate,
      """
      wiretape redact: FOLDER/orders.cassette: this is the file that is read
      Write to another file, and rename it then.
      """),
    CommandFailure(
      ["trim", "FOLDER/orders.cassette", "-o", "FOLDER/a"], .usage,
      """
      wiretape trim: which part? give --from, --to, --exchange or --events
      “wiretape help trim” shows what trim takes.
      """),
    CommandFailure(
      ["trim", "FOLDER/orders.cassette", "-o", "FOLDER/a", "--from", "3", "--to", "2"], .usage,
      """
      wiretape trim: --from lies behind --to: nothing would be left
      “wiretape help trim” shows what trim takes.
      """),
    CommandFailure(
      ["trim", "FOLDER/orders.cassette", "-o", "FOLDER/a", "--exchange", "7"], .badData,
      """
      wiretape trim: FOLDER/orders.cassette: nothing lies in the part asked for: it has 1 exchange, 2 events, and lasts 21 ms
      “wiretape inspect” shows what there is.
      """),
    CommandFailure(
      ["import", "FOLDER/broken.jsonl"], .usage,
      """
      wiretape import: -o FILE is missing: where shall the cassette go?
      “wiretape help import” shows what import takes.
      """),
    CommandFailure(
      ["import", "FOLDER/stream.dat", "-o", "FOLDER/a"], .usage,
      """
      wiretape import: FOLDER/stream.dat: its ending tells no format; say --from sse, jsonl, har, asciicast
      “wiretape help import” shows what import takes.
      """),
    CommandFailure(
      ["import", "FOLDER/broken.jsonl", "-o", "FOLDER/a"], .badData,
      """
      wiretape import: FOLDER/broken.jsonl: line 2: JSON that is not an object
      “wiretape help import” lists the formats it reads.
      """),
    CommandFailure(
      ["export", "FOLDER/orders.cassette"], .usage,
      """
      wiretape export: --to FORMAT is missing: in which format?
      “wiretape help export” shows what export takes.
      """),
    CommandFailure(
      ["export", "FOLDER/orders.cassette", "--to", "corpus"], .usage,
      """
      wiretape export: -o FOLDER is missing: fuzz seeds are a folder of files
      “wiretape help export” shows what export takes.
      """),
    CommandFailure(
      ["export", "FOLDER/orders.cassette", "--to", "corpus", "-o", "FOLDER/stream.txt"], .cannotCreate,
      """
      wiretape export: FOLDER/stream.txt: no folder can be made here
      Take another name, or remove what is there.
      """),
    CommandFailure(
      ["report", "FOLDER/orders.cassette"], .usage,
      """
      wiretape report: -o FILE is missing: where shall the page go?
      “wiretape help report” shows what report takes.
      """),
    CommandFailure(
      ["completions", "tcsh"], .usage,
      """
      wiretape completions: SHELL is bash, zsh, fish or man, not “tcsh”
      “wiretape help completions” shows what completions takes.
      """),
  ]
}
