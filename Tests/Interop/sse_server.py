#!/usr/bin/env python3
"""A stranger's event-stream server: Python's own http.server, nothing of ours.

  /orders       order statuses with heartbeats; the first connection drops in mid-event, a later one resumes after
                the Last-Event-ID it is sent, and the one after the last event gets 204
  /llm          tokens in several languages, one chunk each, some cut inside a character; GET or POST; ends with [DONE]
  /crlf         CRLF line ends and events of several data lines
  /files/NAME   the file NAME below the folder given as the second argument, in chunks of uneven size

Prints its port on the first line of standard output. Usage: sse_server.py [PORT] [FOLDER]
"""

import http.server
import os
import socketserver
import sys
import time

ORDERS = ["placed", "paid", "packed", "handed over", "out for delivery", "delivered"]
TOKENS = ["Hello", " world", "! ", "Grüße", " aus ", "Zürich", ", ", "こんにちは", "、", "世界", " 🚚", "📦 ", "नमस्ते ", "مرحبا ", "👩‍👩‍👧‍👦", "."]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def start(self, content_type="text/event-stream"):
        self.send_response(200)
        self.send_header("Content-Type", content_type)
        self.send_header("Cache-Control", "no-store")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

    def chunk(self, data, pause=0.002):
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()
        time.sleep(pause)

    def end(self):
        self.wfile.write(b"0\r\n\r\n")

    def drop(self):
        self.close_connection = True
        self.connection.shutdown(2)

    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.do_GET()

    def do_GET(self):
        path = self.path.split("?")[0]
        if path == "/orders":
            self.orders()
        elif path == "/llm":
            self.llm()
        elif path == "/crlf":
            self.crlf()
        elif path.startswith("/files/") and len(sys.argv) > 2:
            self.file(os.path.join(sys.argv[2], os.path.basename(path)))
        else:
            self.send_response(404)
            self.send_header("Content-Type", "text/plain")
            self.send_header("Content-Length", "10")
            self.end_headers()
            self.wfile.write(b"not found\n")

    def orders(self):
        last = int(self.headers.get("Last-Event-ID") or 0)
        if last >= len(ORDERS):
            self.send_response(204)
            self.end_headers()
            return
        self.start()
        self.chunk(b"retry: 50\n\n")
        for number, status in enumerate(ORDERS[last:], last + 1):
            self.chunk(b": heartbeat\n\n")
            event = b'event: order.status\nid: %d\ndata: {"order":4711,"status":"%s"}\n\n' % (number, status.encode())
            if number == 4 and last == 0:
                self.chunk(event[:30])
                return self.drop()
            self.chunk(event[:17])
            self.chunk(event[17:])
        self.end()

    def llm(self):
        self.start("text/event-stream; charset=utf-8")
        for token in TOKENS:
            event = ('data: {"delta":"%s"}\n\n' % token).encode()
            cut = next((i for i, byte in enumerate(event) if byte > 0x7F), None)
            if cut is None:
                self.chunk(event)
            else:
                self.chunk(event[: cut + 1])
                self.chunk(event[cut + 1 :])
        self.chunk(b"data: [DONE]\n\n")
        self.end()

    def crlf(self):
        self.start()
        self.chunk(b":ok\r\n\r\n")
        for number in range(1, 6):
            event = b"id: %d\r\nevent: report\r\ndata: line one of %d\r\ndata:\r\ndata:   line three\r\n\r\n" % (number, number)
            middle = event.index(b"\r\n") + 1
            self.chunk(event[:middle])
            self.chunk(event[middle:-1])
            self.chunk(event[-1:])
        self.end()

    def file(self, name):
        try:
            with open(name, "rb") as source:
                body = source.read()
        except OSError:
            return self.send_error(404)
        self.start()
        position, size = 0, 1
        while position < len(body):
            self.chunk(body[position : position + size], pause=0)
            position += size
            size = size * 3 % 4001 + 1
        self.end()

    def log_message(self, *arguments):
        pass


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True


if __name__ == "__main__":
    server = Server(("127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 0), Handler)
    print(server.server_address[1], flush=True)
    server.serve_forever()
