"""The frame loop of a subject in Python: import it, give `serve` a function that makes a parser of one stream.

The parser takes chunks (`feed(bytes)` yields events) and the end (`end()` yields events); an event is a tuple of type,
data and last event ID.
"""

import json
import struct
import sys


def serve(make_parser):
    read = sys.stdin.buffer.read
    parser = make_parser()
    while True:
        head = read(4)
        if len(head) < 4:
            return
        (length,) = struct.unpack(">I", head)
        events = parser.feed(read(length)) if length else parser.end()
        for kind, data, last_id in events:
            print(json.dumps({"type": kind, "data": data, "lastEventId": last_id}))
        if length == 0:
            print(json.dumps({"end": True}), flush=True)
            parser = make_parser()
