// The page of the replay server: the stream as the browser's own EventSource sees it beside our parse of the same
// cassette. One self-contained document; what it compares with is worked out here, before anything is sent.

import EventCassettes
import ServerSentEvents

struct ReplayPage: Sendable {
  /// Events shown and compared at most, so that the page of a huge cassette still opens.
  static let mostEvents = 5000

  /// What an event source of a browser hands to the page, over all its connections.
  private(set) var events: [ServerSentEvent] = []
  /// What the reader of the page should know.
  private(set) var remarks: [String] = []

  init(exchanges: [PreparedExchange], faults: [FaultSpec]) {
    if !faults.isEmpty {
      remarks.append(
        "Faults are placed (\(faults.map(\.description).joined(separator: "  "))): the two may rightly differ."
      )
    }
    var parser = EventStreamParser()
    connections: for exchange in exchanges {
      switch exchange.head?.status {
      case nil, 301, 302, 303, 307, 308: continue
      case 204: break connections
      case .some where exchange.head?.isEventStream == true: break
      case .some(let status):
        remarks.append(
          "Exchange \(exchange.number) has status \(status) or another content type: a browser stops there.")
        break connections
      }
      for piece in exchange.pieces {
        for case .event(let event) in parser.append(piece.bytes) { events.append(event) }
        if events.count >= Self.mostEvents { break }
      }
      if events.count >= Self.mostEvents {
        events = Array(events.prefix(Self.mostEvents))
        remarks.append("Only the first \(Self.mostEvents) events are shown and compared.")
        break
      }
      parser.finish()
    }
  }

  /// The document.
  var html: String {
    let list = events.map { event in
      JSONValue.object([
        "type": .string(event.type), "data": .string(event.data), "lastEventId": .string(event.lastEventID),
      ])
    }
    let json = JSONValue.object(["events": .array(list), "remarks": .array(remarks.map { .string($0) })])
    // In a script element only a less-than sign could end the text.
    let text = String(decoding: json.canonicalBytes, as: UTF8.self).split(
      separator: "<", omittingEmptySubsequences: false
    ).joined(separator: "\\u003c")
    return Self.template.0 + text + Self.template.1
  }

  /// The document before and after the data.
  private static let template = (
    """
    <!DOCTYPE html>
    <html lang="en">
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width">
    <title>Wiretape replay</title>
    <style>
      :root { color-scheme: light dark; font: 15px/1.4 system-ui, sans-serif; }
      body { margin: 1.5rem; }
      h1 { font-size: 1.3rem; }
      #verdict { padding: .5rem .8rem; border-radius: .4rem; background: #8883; display: inline-block; }
      #verdict[data-agree="yes"] { background: #2a83; }
      #verdict[data-agree="no"] { background: #d334; }
      table { border-collapse: collapse; width: 100%; table-layout: fixed; margin-top: 1rem; }
      th, td { text-align: left; vertical-align: top; padding: .25rem .5rem; border-top: 1px solid #8885; }
      th:first-child, td:first-child { width: 4rem; }
      td pre { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; font: 13px/1.4 ui-monospace, monospace; }
      tr.differs td { background: #d333; }
      small { opacity: .7; }
    </style>
    <h1>This browser beside Wiretape</h1>
    <p id="verdict" data-agree="pending" role="status">Connecting…</p>
    <ul id="remarks"></ul>
    <table>
      <thead><tr><th>Event<th>The browser's EventSource, live<th>Wiretape's parse of the cassette</thead>
      <tbody id="rows"></tbody>
    </table>
    <script type="application/json" id="cassette">
    """,
    """
    </script>
    <script>
      'use strict';
      const { events: expected, remarks } = JSON.parse(document.getElementById('cassette').textContent);
      const verdict = document.getElementById('verdict');
      const rows = document.getElementById('rows');
      let received = 0, differences = 0, connections = 0, isReported = false;

      function cell(row, event) {
        const pre = row.insertCell().appendChild(document.createElement('pre'));
        if (!event) return;
        const head = event.type + (event.lastEventId ? ' · id ' + JSON.stringify(event.lastEventId) : '');
        pre.append(Object.assign(document.createElement('small'), { textContent: head }), '\\n' + event.data);
      }
      function show(number, live) {
        const wanted = expected[number];
        const row = rows.rows[number] || rows.insertRow();
        row.replaceChildren();
        row.insertCell().textContent = number + 1;
        cell(row, live);
        cell(row, wanted);
        if (!live) return;
        const same = wanted && ['type', 'data', 'lastEventId'].every(key => live[key] === wanted[key]);
        if (!same) { row.className = 'differs'; differences++; }
      }
      function judge(isOver) {
        const counts = `${received} of ${expected.length} events over ${connections} connection(s)`;
        const [agree, text] = differences > 0 ? ['no', `They differ in ${differences} event(s): ${counts}.`]
          : received === expected.length ? ['yes', `They agree: ${counts}.`]
          : isOver ? ['no', `They differ, the browser closed early: ${counts}.`]
          : ['pending', `They agree so far: ${counts}.`];
        verdict.dataset.agree = agree;
        verdict.textContent = text;
        if (agree !== 'pending' && !isReported) {
          isReported = true;
          fetch(`/verdict?agree=${agree}&events=${received}&connections=${connections}`, { method: 'POST' });
        }
        document.title = `Wiretape replay: ${agree === 'yes' ? 'agree' : agree === 'no' ? 'differ' : '…'}`;
      }

      for (const remark of remarks) {
        document.getElementById('remarks').appendChild(document.createElement('li')).textContent = remark;
      }
      expected.forEach((_, number) => show(number));
      // A session of its own: a reload begins at the start of the cassette.
      const source = new EventSource('/events?session=page-' + Math.random().toString(36).slice(2));
      const listener = ({ type, data, lastEventId }) => {
        // What is beyond the list was left out of it, unless the list is whole.
        if (received < expected.length || expected.length < \(mostEvents)) {
          show(received++, { type, data, lastEventId });
        }
        judge(false);
      };
      source.onopen = () => { connections++; judge(false); };
      source.onerror = event => { if (!(event instanceof MessageEvent)) judge(source.readyState === EventSource.CLOSED); };
      for (const type of new Set(['message', ...expected.map(event => event.type)])) {
        source.addEventListener(type, event => { if (event instanceof MessageEvent) listener(event); });
      }
    </script>
    </html>

    """
  )
}
