// A subject in JavaScript, for Node: the frame loop, and a parser after the standard's text that decodes incrementally.
// Put your own parser in the place of `makeParser`. wiretape check x.cassette --subject 'node subject.mjs'

function makeParser() {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: false });
  let buffer = '', data = [], type = '', lastId = '', pendingId = '', events = [];
  function line(text) {
    if (text === '') {
      lastId = pendingId;
      if (data.length) events.push({ type: type || 'message', data: data.join('\n'), lastEventId: lastId });
      data = []; type = '';
      return;
    }
    const colon = text.indexOf(':');
    if (colon === 0) return;
    const field = colon < 0 ? text : text.slice(0, colon);
    let value = colon < 0 ? '' : text.slice(colon + 1);
    if (value.startsWith(' ')) value = value.slice(1);
    if (field === 'data') data.push(value);
    else if (field === 'event') type = value;
    else if (field === 'id' && !value.includes('\0')) pendingId = value;
  }
  let skipLF = false;
  return {
    feed(chunk) {
      buffer += decoder.decode(chunk, { stream: true });
      let start = 0;
      for (let i = 0; i < buffer.length; i++) {
        const c = buffer[i];
        if (skipLF) { skipLF = false; if (c === '\n') { start = i + 1; continue; } }
        if (c === '\n' || c === '\r') { line(buffer.slice(start, i)); start = i + 1; skipLF = c === '\r'; }
      }
      buffer = buffer.slice(start);
    },
    end() { return events; },
  };
}

let pending = Buffer.alloc(0), parser = makeParser();
process.stdin.on('data', bytes => {
  pending = Buffer.concat([pending, bytes]);
  while (pending.length >= 4) {
    const length = pending.readUInt32BE(0);
    if (pending.length < 4 + length) return;
    const chunk = pending.subarray(4, 4 + length);
    pending = pending.subarray(4 + length);
    if (length) { parser.feed(chunk); continue; }
    const lines = parser.end().map(event => JSON.stringify(event) + '\n').join('');
    process.stdout.write(lines + '{"end":true}\n');
    parser = makeParser();
  }
});
