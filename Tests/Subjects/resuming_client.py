#!/usr/bin/env python3
"""An event source over httpx-sse (from PyPI), for the resume sweep of `wiretape serve`.

    wiretape serve x.cassette --resume-sweep byte      # prints a URL, and how often to run the client
    python3 resuming_client.py URL                     # prints the events as JSON lines, until a 204

Reconnects as the standard says: after the server's retry, with the last event ID that it has. With --forgetful it
leaves that out, which the sweep must find.
"""

import json
import sys
import time

import httpx
import httpx_sse


def events(url, forgetful):
    last_id, retry = "", 3.0
    with httpx.Client() as client:
        while True:
            headers = {"Last-Event-ID": last_id} if last_id and not forgetful else {}
            try:
                with httpx_sse.connect_sse(client, "GET", url, headers=headers) as source:
                    if source.response.status_code == 204:
                        return
                    for event in source.iter_sse():
                        # Each connection's decoder begins without an ID; that one has none yet doesn't unset it.
                        last_id = event.id or last_id
                        if event.retry is not None:
                            retry = event.retry / 1000
                        if event.data:
                            yield event
            except httpx.TransportError:
                pass  # broken off: what was complete has been seen
            time.sleep(retry)


for event in events(sys.argv[1], "--forgetful" in sys.argv):
    print(json.dumps({"type": event.event, "data": event.data, "lastEventId": event.id}), flush=True)
