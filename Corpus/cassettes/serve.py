#!/usr/bin/env python3
"""The server that the cassettes here were recorded from; README.md says how. Standard library only, loopback only.

Chunks are HTTP chunks written one by one with pauses between, so that they arrive as they are cut here: also inside
characters, between CR and LF, and in the middle of an event where the connection drops.
"""
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOKENS = [
    "Hello", ", here", " is", " the", " weather", ":\n", "Zürich", " ", "bewölkt", " ☁️", ", 7", "\u202f°C", "\n",
    "東京", "は", "晴れ", "☀️", "、", "18", "度", "\n", "القاهرة", " مشمسة", " 🌞", "\n", "São", " Paulo", ": ", "chuva",
    " 🌧️", "\n", "Київ", " — ", "сніг", " ❄️", "\n", "दिल्ली", " धुंध", " 🌫️", "\n", "Family emoji: ", "👨‍👩‍👧‍👦", ", flag: ", "🇨🇭",
    ", e\u0301 is not \u00e9", ".",
]


def order(number, state, more=""):
    return f'id: {number}\nevent: order\ndata: {{"order":"A-1001","state":"{state}"{more}}}\n\n'


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def start(self, content_type="text/event-stream; charset=utf-8"):
        self.send_response(200)
        self.send_header("Content-Type", content_type)
        self.send_header("Cache-Control", "no-cache")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

    def chunk(self, text, pause=0.05):
        data = text.encode() if isinstance(text, str) else text
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()
        time.sleep(pause)

    def finish_body(self):
        self.wfile.write(b"0\r\n\r\n")

    def drop(self):
        self.wfile.flush()
        self.close_connection = True

    def do_GET(self):
        if self.path == "/orders":
            self.orders(self.headers.get("Last-Event-ID", ""))
        elif self.path == "/log":
            self.log()
        else:
            self.send_error(404)

    def orders(self, last):
        if last == "5":
            self.send_response(204)
            self.end_headers()
            return
        self.start()
        if last == "":
            self.chunk("retry: 400\n\n: connected\n\n")
            self.chunk(order(1, "placed"), 0.3)
            self.chunk(": heartbeat\n\n", 0.4)
            self.chunk(order(2, "paid", ',"total":"19.90"'), 0.2)
            self.chunk(": heartbeat\n\n", 0.4)
            self.chunk(order(3, "packed") + 'id: 4\nevent: order\ndata: {"order":"A-1001","st', 0.1)
            self.drop()
        else:
            self.chunk(": resumed after " + last + "\n\n")
            self.chunk(order(4, "shipped", ',"carrier":"Post"'), 0.4)
            self.chunk(": heartbeat\n\n", 0.4)
            self.chunk(order(5, "delivered"), 0.1)
            self.finish_body()

    def log(self):
        self.start()
        self.chunk(b"\xef\xbb")
        self.chunk(b"\xbf: log of a build\r\n\r\n")
        self.chunk("event: step\r\ndata: compile\r\ndata:   3 files\r\ndata:\r\ndata: done in 1.2 s\r")
        self.chunk("\n\r\nid: s2\r\nevent: step\r\n")
        self.chunk("data: test\r\ndata: ✓ parses\r\ndata: ✗ fails: expected “a:b”, got “a”\r\n\r")
        self.chunk("\n: still here\r\n\r\nid\r\ndata\r\n\r")
        self.chunk("\nevent: step\r\ndata: no space\r\ndata:no space\r\ndata:\ttab\r\nunknown: field\r\n\r\ndata: bye\r\n\r\n")
        self.finish_body()

    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path != "/chat":
            return self.send_error(404)
        self.start()
        stream = ""
        for number, token in enumerate(TOKENS):
            escaped = token.replace("\n", "\\n")
            stream += f'data: {{"index":{number},"delta":{{"content":"{escaped}"}}}}\n\n'
        stream += "data: [DONE]\n\n"
        data = stream.encode()
        # Lengths that no event keeps to, as a busy proxy would forward them: many cuts fall inside characters.
        lengths = [61, 47, 103, 29, 88, 131, 17, 71]
        start = turn = 0
        while start < len(data):
            end = start + lengths[turn % len(lengths)]
            self.chunk(data[start:end], 0.02)
            start, turn = end, turn + 1
        self.finish_body()


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 18080), Handler)
    server.serve_forever()
