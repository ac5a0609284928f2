// The page: one file that needs nothing else, no network, and follows the reader's light or dark mode. The facts stand in
// it as JSON; the script draws them.

extension SessionReport {
  /// The page as UTF-8 HTML.
  public var html: [UInt8] {
    // "<" must not end the script element early, whatever a stream holds.
    var json: [UInt8] = []
    for byte in facts.canonicalBytes {
      if byte == UInt8(ascii: "<") { json += Array("\\u003c".utf8) } else { json.append(byte) }
    }
    return Array(Self.before.utf8) + json + Array(Self.after.utf8)
  }

  private static let before = """
    <!doctype html>
    <html lang="en">
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
    <title>Event stream session</title>
    <style>
    :root { color-scheme: light dark; --ink: #1c2430; --dim: #6b7686; --line: #dfe3e8; --page: #fbfcfd; --card: #fff;
      --chunk: #4a7dbd; --event: #2a9d6e; --gap: #f3e3c0; --bad: #c8453b; --note: #8a5fbf; }
    @media (prefers-color-scheme: dark) { :root { --ink: #e6eaf0; --dim: #93a0b3; --line: #2b3442; --page: #12161d;
      --card: #1a202a; --chunk: #6da2e6; --event: #4cc793; --gap: #54451f; --bad: #f0796f; --note: #b795e6; } }
    body { margin: 0; padding: 24px; background: var(--page); color: var(--ink); font: 14px/1.45 system-ui, sans-serif; }
    h1 { font-size: 20px; margin: 0 0 4px; } h2 { font-size: 15px; margin: 28px 0 8px; }
    p { margin: 4px 0; color: var(--dim); }
    .numbers { display: flex; flex-wrap: wrap; gap: 12px; margin: 16px 0; padding: 0; }
    .numbers div { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 8px 14px; }
    .numbers b { display: block; font-size: 18px; font-variant-numeric: tabular-nums; } .numbers span { color: var(--dim); }
    canvas { width: 100%; background: var(--card); border: 1px solid var(--line); border-radius: 8px; display: block; }
    #timeline { height: 320px; cursor: grab; touch-action: none; } #sizes { height: 140px; max-width: 640px; }
    #tip { position: fixed; pointer-events: none; background: var(--card); border: 1px solid var(--line); border-radius: 6px;
      padding: 6px 10px; max-width: 480px; display: none; overflow-wrap: anywhere; box-shadow: 0 2px 8px #0003; white-space: pre-wrap; }
    button { font: inherit; color: inherit; background: var(--card); border: 1px solid var(--line); border-radius: 6px; padding: 3px 10px; }
    .scroll { overflow-x: auto; } table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
    th, td { text-align: left; padding: 4px 10px 4px 0; border-bottom: 1px solid var(--line); vertical-align: top; }
    th { color: var(--dim); font-weight: 500; } td { white-space: nowrap; } td.url { white-space: normal; overflow-wrap: anywhere; } .bad { color: var(--bad); }
    .key i { display: inline-block; width: 10px; height: 10px; border-radius: 2px; margin: 0 4px 0 12px; }
    </style>
    <h1 id="title"></h1><p id="about"></p>
    <div class="numbers" id="numbers"></div>
    <h2>Over time</h2>
    <p class="key"><button id="all">Show all</button> wheel or pinch to zoom, drag to move, point for details
      <i style="background:var(--chunk)"></i>chunk<i style="background:var(--event)"></i>event<i style="background:var(--gap)"></i>gap
      <i style="background:var(--bad)"></i>broken off<i style="background:var(--note)"></i>note</p>
    <canvas id="timeline" role="img" aria-label="chunks and events over time, a lane for each connection"></canvas>
    <div id="tip"></div>
    <h2>Connections</h2><div class="scroll"><table id="exchanges"></table></div>
    <div id="warnings"></div>
    <h2>Longest gaps between chunks</h2><div class="scroll"><table id="gaps"></table></div>
    <h2>Chunk sizes</h2><canvas id="sizes" role="img" aria-label="how many chunks have which size"></canvas>
    <script id="facts" type="application/json">
    """

  private static let after = #"""
    </script>
    <script>
    'use strict';
    (() => {  // window has names of its own, such as top
    const f = JSON.parse(document.getElementById('facts').textContent);
    const $ = id => document.getElementById(id);
    const color = name => getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();
    const time = us => us < 1e3 ? us + ' µs' : us < 1e6 ? (us / 1e3).toFixed(us < 1e4 ? 2 : 1) + ' ms' : us < 12e7 ? (us / 1e6).toFixed(2) + ' s' : (us / 6e7).toFixed(1) + ' min';
    const size = n => n < 1e3 ? n + ' bytes' : n < 1e6 ? (n / 1e3).toFixed(1) + ' KB' : (n / 1e6).toFixed(1) + ' MB';
    const add = (parent, tag, text, kind) => { const e = document.createElement(tag); if (text !== undefined) e.textContent = text; if (kind) e.className = kind; parent.append(e); return e; };
    const total = Math.max(f.durationUs, 1), end = x => x.endedAt;
    document.title = f.title + ': event stream session';
    $('title').textContent = f.title;
    $('about').textContent = 'recorded ' + f.recordedAt + (f.finished ? '' : ', unfinished') + ', timing ' + f.timing;
    for (const [value, name] of [[time(f.durationUs), 'duration'], [f.exchanges.length, 'connections'], [f.chunkCount, 'chunks'], [size(f.byteCount), 'body'], [f.eventCount, 'events'], [f.commentCount, 'comments'], [f.warnings.length, 'warnings']].map(([n, name]) => [n, n === 1 ? name.slice(0, -1) : name])) { const d = add($('numbers'), 'div'); add(d, 'b', value); add(d, 'span', name); }

    const bad = x => x.cause && x.cause !== 'complete' && x.cause !== 'cancelled';
    const row = (table, cells, tag = 'td') => { const r = add(table, 'tr'); for (const c of cells) add(r, tag, c.text ?? c, c.kind); };
    row($('exchanges'), ['#', 'request', 'last event ID', 'status', 'began', 'lasted', 'ended'], 'th');
    f.exchanges.forEach((x, i) => row($('exchanges'), [i + 1, { text: x.method + ' ' + x.url, kind: 'url' }, x.lastEventId ?? '', x.status ?? '', time(x.at), time(end(x) - x.at), { text: (x.cause ?? 'open') + (x.detail ? ': ' + x.detail : ''), kind: bad(x) ? 'bad url' : 'url' }]));
    if (f.warnings.length) { add($('warnings'), 'h2', 'What the stream hides'); const t = add($('warnings'), 'table'); row(t, ['connection', 'byte', 'what'], 'th'); for (const [i, at, what] of f.warnings) row(t, [i, at, { text: what, kind: 'url' }]); }

    const gaps = [];
    for (let i = 1; i < f.chunks.length; i++) if (f.chunks[i][1] === f.chunks[i - 1][1]) gaps.push([f.chunks[i][0] - f.chunks[i - 1][0], f.chunks[i - 1][0], f.chunks[i][1]]);
    gaps.sort((a, b) => b[0] - a[0]);
    row($('gaps'), ['gap', 'from', 'connection'], 'th');
    for (const g of gaps.slice(0, 10)) row($('gaps'), [time(g[0]), time(g[1]), g[2] + 1]);
    const longGap = Math.max(total / 50, gaps.length ? gaps[Math.floor(gaps.length / 2)][0] * 8 : 0);

    const prepare = c => { const r = devicePixelRatio || 1, b = c.getBoundingClientRect(); c.width = b.width * r; c.height = b.height * r; const g = c.getContext('2d'); g.scale(r, r); g.font = '11px system-ui'; return [g, b.width, b.height]; };
    const first = (list, t) => { let a = 0, b = list.length; while (a < b) { const m = a + b >> 1; if (list[m][0] < t) a = m + 1; else b = m; } return a; };
    let from = 0, to = total;
    const lanes = Math.max(f.exchanges.length, 1), left = 36, top = 22;
    const lane = (h, i) => { const space = (h - top - 8) / lanes; return [top + space * i + Math.min(4, space * .1), Math.max(space - Math.min(8, space * .2), 1)]; };
    function draw() {
      const [g, w, h] = prepare($('timeline')), x = t => left + (t - from) / (to - from) * (w - left - 8);
      g.fillStyle = color('dim'); g.strokeStyle = color('line');
      const raw = (to - from) / 8, unit = Math.pow(10, Math.floor(Math.log10(raw))), step = Math.max(1, unit * (raw / unit < 2 ? 2 : raw / unit < 5 ? 5 : 10));
      for (let t = Math.ceil(from / step) * step; t <= to; t += step) { g.beginPath(); g.moveTo(x(t), top - 4); g.lineTo(x(t), h); g.stroke(); const label = time(Math.round(t)); if (x(t) + 3 + g.measureText(label).width < w) g.fillText(label, x(t) + 3, 13); }
      f.exchanges.forEach((e, i) => {
        const [y, tall] = lane(h, i), a = Math.max(x(e.at), left), b = Math.min(x(end(e)), w - 8);
        g.fillStyle = color('dim'); if (tall > 8) g.fillText('#' + (i + 1), 6, y + tall / 2 + 4);
        if (b < left || a > w) return;
        g.strokeStyle = color('line'); g.strokeRect(a, y, Math.max(b - a, 1), tall);
        if (bad(e)) { g.fillStyle = color('bad'); g.fillRect(Math.min(b, w - 10) - 1, y, 3, tall); }
      });
      // From where a connection ended to where the next one began: the client waited.
      f.exchanges.slice(1).forEach((e, i) => {
        const [y, tall] = lane(h, i), [next] = lane(h, i + 1), a = x(end(f.exchanges[i])), b = x(e.at);
        if (b < left || a > w - 8 || b - a < 1) return;
        const p = Math.max(a, left), q = Math.min(b, w - 8);
        g.strokeStyle = g.fillStyle = color('dim'); g.setLineDash([3, 3]); g.beginPath(); g.moveTo(p, y + tall / 2); g.lineTo(q, y + tall / 2); if (q === b) g.lineTo(q, next); g.stroke(); g.setLineDash([]);
        const label = 'waited ' + time(e.at - end(f.exchanges[i]));
        if (tall > 14 && g.measureText(label).width + 10 < q - p) g.fillText(label, p + 6, y + tall / 2 - 4);
      });
      g.fillStyle = color('gap');
      for (const [long, start, i] of gaps) { if (long < longGap) break; const [y, tall] = lane(h, i), a = Math.max(x(start), left), b = Math.min(x(start + long), w - 8); if (b > a) g.fillRect(a, y + 1, b - a, tall - 2); }
      const most = Math.log2(2 + f.chunks.reduce((m, c) => Math.max(m, c[2]), 0));
      g.fillStyle = color('chunk');
      for (let n = first(f.chunks, from), lastX = -1, lastLane = -1; n < f.chunks.length && f.chunks[n][0] <= to; n++) { const [t, i, s] = f.chunks[n], p = Math.round(x(t) * 2) / 2; if (p === lastX && i === lastLane && f.chunks.length > 4000 && n % 4) continue; lastX = p; lastLane = i; const [y, tall] = lane(h, i), k = tall * .55 * Math.log2(2 + s) / most; g.fillRect(p, y + tall - k, 1.5, k); }
      g.fillStyle = color('event');
      for (let n = first(f.events, from); n < f.events.length && f.events[n][0] <= to; n++) { const [y, tall] = lane(h, f.events[n][1]); g.beginPath(); g.arc(x(f.events[n][0]), y + tall * .22, Math.min(3.5, tall / 3), 0, 7); g.fill(); }
      g.fillStyle = color('note');
      for (const [t, name] of f.notes) if (t >= from && t <= to) { g.fillRect(x(t), top - 4, 1.5, h); g.fillText(name, x(t) + 4, top + 6); }
    }
    function drawSizes() {
      const [g, w, h] = prepare($('sizes')), used = f.sizes.map((n, i) => [n, i]).filter(p => p[0] > 0);
      if (!used.length) return;
      const a = used[0][1], b = used[used.length - 1][1], wide = (w - 16) / (b - a + 1), most = Math.max(...f.sizes);
      for (let i = a; i <= b; i++) { const k = (h - 44) * f.sizes[i] / most, x = 8 + (i - a) * wide; g.fillStyle = color('chunk'); g.fillRect(x + 2, h - 20 - k, wide - 4, k); g.fillStyle = color('dim'); g.fillText(f.sizes[i] || '', x + 3, h - 24 - k); g.fillText(wide > 90 ? size(1 << i - 1) + ' to ' + (i < 11 ? size((1 << i) - 1) : size(1 << i)) : size(1 << i - 1).replace(' ', ''), x + 3, h - 6); }
    }
    const bound = () => { const span = Math.min(Math.max(to - from, 20), total); from = Math.min(Math.max(from, 0), total - span); to = from + span; draw(); };
    const at = e => { const b = $('timeline').getBoundingClientRect(); return from + (e.clientX - b.left - left) / (b.width - left - 8) * (to - from); };
    $('timeline').addEventListener('wheel', e => { e.preventDefault(); const t = at(e), k = Math.exp(e.deltaY * .0015); from = t - (t - from) * k; to = t + (to - t) * k; bound(); }, { passive: false });
    let grab = null;
    $('timeline').addEventListener('pointerdown', e => { grab = at(e); $('timeline').setPointerCapture(e.pointerId); });
    $('timeline').addEventListener('pointerup', () => { grab = null; });
    $('timeline').addEventListener('pointermove', e => {
      if (grab !== null) { const d = grab - at(e); from += d; to += d; return bound(); }
      const b = $('timeline').getBoundingClientRect(), t = at(e), near = (to - from) / (b.width - left) * 6;
      const pick = list => { let best = null; for (let n = first(list, t - near); n < list.length && list[n][0] <= t + near; n++) { const [y, tall] = lane(b.height, list[n][1]); if (e.clientY - b.top < y || e.clientY - b.top > y + tall) continue; if (!best || Math.abs(list[n][0] - t) < Math.abs(best[0] - t)) best = list[n]; } return best; };
      const ev = pick(f.events), ch = pick(f.chunks), lines = [];
      if (ch) lines.push('chunk of ' + size(ch[2]) + ' at ' + time(ch[0]));
      if (ev) lines.push(ev[2] + ' event' + (ev[5] ? ' (last event ID ' + ev[5] + ')' : '') + ', ' + size(ev[3]), ev[4]);
      $('tip').style.display = lines.length ? 'block' : 'none'; $('tip').textContent = lines.join('\n');
      $('tip').style.left = Math.min(e.clientX + 14, innerWidth - 500) + 'px'; $('tip').style.top = e.clientY + 14 + 'px';
    });
    $('timeline').addEventListener('pointerleave', () => { $('tip').style.display = 'none'; });
    $('all').onclick = () => { from = 0; to = total; draw(); };
    const redraw = () => { draw(); drawSizes(); };
    addEventListener('resize', redraw); matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw); redraw();
    })();
    </script>
    </html>

    """#
}
