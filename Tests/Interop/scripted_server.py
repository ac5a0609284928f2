"""A server that does exactly what its script says, byte by byte and pause by pause, and what the other scripts here need
besides: the records of a cassette, by a reader that isn't ours, and a certificate."""

import contextlib
import io
import json
import os
import socket
import ssl
import struct
import subprocess
import sys
import threading
import time

here = os.path.dirname(os.path.abspath(__file__))
tool = os.path.abspath(os.environ.get("WIRETAPE", os.path.join(here, "../../.build/debug/wiretape")))
sys.path.insert(0, os.path.join(here, "../EventCassettesTests/Format"))
import read_cassette  # noqa: E402

EVENT = b"data: a\n\n"
OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
PAUSE, RESET, CUT, FOREVER = object(), object(), object(), object()  # what a script does between its bytes


def chunk(data):
    return b"%x\r\n%s\r\n" % (len(data), data)


def endless(line, pause=0.0):
    """The same line until nobody takes it any more; for ever at full speed, or with a pause after each."""

    def go(connection):
        while True:
            connection.sendall(line if pause else line * 500)
            time.sleep(pause)

    return go


class Server:
    """Plays one script to each connection; notes the requests."""

    def __init__(self, script, tls=None, closed=lambda: None):
        self.script, self.tls, self.closed, self.requests = script, tls, closed, []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.url = "%s://localhost:%d/events" % ("https" if tls else "http", self.port)
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self.listener.accept()
                threading.Thread(target=self.answer, args=(connection,), daemon=True).start()

    def answer(self, connection):
        try:
            self.play(connection)
        except OSError:
            pass  # the client has gone
        finally:
            self.closed()

    def play(self, connection):
        with connection:
            if self.tls:
                connection = self.tls.wrap_socket(connection, server_side=True)
            connection.settimeout(60)
            request = b""
            while b"\r\n\r\n" not in request:
                request += self.more(connection)
            head, _, body = request.partition(b"\r\n\r\n")
            fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:])
            while len(body) < int(fields.get(b"content-length", 0)):
                body += self.more(connection)
            self.requests.append((head, body))
            script = self.script(len(self.requests)) if callable(self.script) else self.script
            for step in script:
                if step is PAUSE:
                    time.sleep(0.15)
                elif step is FOREVER:
                    connection.recv(1)
                elif step is CUT:
                    return socket.socket(fileno=os.dup(connection.fileno())).shutdown(socket.SHUT_RDWR)  # TLS isn't asked
                elif step is RESET:
                    time.sleep(0.15)
                    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    return os.close(connection.detach())
                elif callable(step):
                    step(connection)
                else:
                    connection.sendall(step)
            if self.tls:
                connection.unwrap()

    @staticmethod
    def more(connection):
        data = connection.recv(65536)
        if not data:
            raise OSError("the client has gone")
        return data


def records(file):
    output = io.StringIO()
    with lock, contextlib.redirect_stdout(output):
        read_cassette.read(file)
    return [json.loads(line) for line in output.getvalue().splitlines()]


lock = threading.Lock()


class Failure(Exception):
    pass


def certify(folder):
    """A certificate for localhost, and the server's side of it."""
    key, certificate = os.path.join(folder, "key"), os.path.join(folder, "certificate")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", key,
         "-out", certificate, "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"],
        check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    return certificate, context
