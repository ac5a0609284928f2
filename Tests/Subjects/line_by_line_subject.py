#!/usr/bin/env python3
"""A parser as many write it first: each chunk is decoded and split into lines by itself. Made to be found out."""

from subject import serve


class Parser:
    def __init__(self):
        self.data, self.kind, self.last_id = [], "message", ""

    def feed(self, chunk):
        for line in chunk.decode("utf-8", "replace").splitlines():
            field, _, value = line.partition(":")
            value = value.removeprefix(" ")
            if line == "":
                if self.data:
                    yield self.kind, "\n".join(self.data), self.last_id
                self.data, self.kind = [], "message"
            elif field == "data":
                self.data.append(value)
            elif field == "event":
                self.kind = value
            elif field == "id":
                self.last_id = value

    def end(self):
        return ()


serve(Parser)
