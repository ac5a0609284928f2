#!/usr/bin/env python3
"""httpx-sse (from PyPI) as a subject: wiretape check x.cassette --subject 'python3 httpx_sse_subject.py'"""

import httpx
import httpx_sse

from subject import serve


class Parser:
    def __init__(self):
        self.chunks = []

    def feed(self, chunk):
        self.chunks.append(chunk)
        return ()

    def end(self):
        response = httpx.Response(200, headers={"content-type": "text/event-stream"}, content=iter(self.chunks))
        for event in httpx_sse.EventSource(response).iter_sse():
            yield event.event, event.data, event.id


serve(Parser)
