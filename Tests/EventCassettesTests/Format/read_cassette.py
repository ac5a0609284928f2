#!/usr/bin/env python3
"""Reads a cassette with Python's standard library alone, written from the format's page and not from our reader.

usage: read_cassette.py FILE

Prints one JSON array a record: [kind, payload], JSON payloads as objects, binary ones as hex (a D as [delay, hex]), and
last ["end", "finished" | "unfinished"]. Faults go to stderr with exit code 65.
"""

import json
import sys
import zlib

RECORD_LIMIT = 64 << 20
JSON_LIMIT = 1 << 20
HEAD = bytes([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255])


class Fault(Exception):
    pass


def leb128(data, place, most):
    """The number at `place`, and the place after it; None where it breaks off."""
    value = 0
    for index in range(most):
        if place + index >= len(data):
            return None, place
        byte = data[place + index]
        value |= (byte & 0x7F) << (7 * index)
        if byte < 0x80:
            if byte == 0 and index > 0:
                raise Fault("a number that is not in its shortest form")
            return value, place + index + 1
    raise Fault("a number that is too long")


def members(data):
    """Each gzip member as (offset, content, whether it is torn)."""
    place = 0
    while place < len(data):
        head = data[place : place + 10]
        if not HEAD.startswith(head):
            raise Fault("byte %d: no gzip member" % place)
        inflater = zlib.decompressobj(wbits=-15)
        try:
            content = inflater.decompress(data[place + 10 :])
        except zlib.error as error:
            raise Fault("byte %d: %s" % (place, error))
        tail = inflater.unused_data[:8]
        if not inflater.eof or len(tail) < 8:
            yield place, content, True
            return
        if int.from_bytes(tail[:4], "little") != zlib.crc32(content):
            raise Fault("byte %d: wrong checksum" % place)
        if int.from_bytes(tail[4:], "little") != len(content) & 0xFFFFFFFF:
            raise Fault("byte %d: wrong length" % place)
        yield place, content, False
        place = len(data) - len(inflater.unused_data) + 8


def parsed(kind, payload):
    if kind in "WQSXNZ":
        if len(payload) > JSON_LIMIT:
            raise Fault("too much JSON")
        value = json.loads(payload.decode("utf-8"))
        if not isinstance(value, dict):
            raise Fault("JSON that is not an object")
        # The page promises one spelling: sorted keys, no white space, nothing escaped that need not be.
        spelled = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode("utf-8")
        if spelled != payload:
            raise Fault("JSON that is not canonical: %r" % payload)
        return value
    if kind == "D":
        delay, place = leb128(payload, 0, 10)
        if delay is None or delay >= 1 << 63 or place >= len(payload):
            raise Fault("a bad chunk")
        return [delay, payload[place:].hex()]
    return payload.hex()


def records(data):
    for offset, content, torn in members(data):
        place = 0
        while place < len(content):
            length, start = leb128(content, place + 1, 5)
            if length is None or start + length > len(content):
                if torn:
                    break
                raise Fault("byte %d: a record runs past its member" % offset)
            if length > RECORD_LIMIT:
                raise Fault("too long a record")
            kind = chr(content[place])
            yield kind, parsed(kind, content[start : start + length]), content[start : start + length]
            place = start + length
        if torn:
            yield "torn", None, b""


def read(path):
    with open(path, "rb") as file:
        data = file.read()
    state, finished = "start", False
    totals = None
    for kind, value, payload in records(data):
        if kind == "torn":
            finished = False
            break
        finished = False
        if kind == "W":
            if state not in ("start", "ended") or value.get("format") != 1:
                raise Fault("a header where none may be")
            state, totals = "between", {"exchanges": 0, "chunks": 0, "bytes": 0, "crc": 0}
        elif state in ("start", "ended"):
            raise Fault("%s %s" % (kind, "before the header" if state == "start" else "after the trailer"))
        elif kind == "Q":
            if state != "between":
                raise Fault("a request while an exchange is open")
            state = "requested"
            totals["exchanges"] += 1
        elif kind == "B" and state != "requested" or kind == "S" and state != "requested":
            raise Fault("%s out of order" % kind)
        elif kind == "S":
            state = "responded"
        elif kind == "D":
            if state != "responded":
                raise Fault("a chunk before its response")
            body = bytes.fromhex(value[1])
            totals["chunks"] += 1
            totals["bytes"] += len(body)
            totals["crc"] = zlib.crc32(body, totals["crc"])
        elif kind == "X":
            if state not in ("requested", "responded"):
                raise Fault("an end outside an exchange")
            state = "between"
        elif kind == "Z":
            mine = [totals["exchanges"], totals["chunks"], totals["bytes"], "%08x" % totals["crc"]]
            if state != "between" or mine != [value[key] for key in ("exchanges", "chunks", "bytes", "crc32")]:
                raise Fault("a trailer that differs: %r" % mine)
            state, finished = "ended", True
        print(json.dumps([kind, value], sort_keys=True))
    if state == "start":
        raise Fault("not a cassette")
    print(json.dumps(["end", "finished" if finished else "unfinished"]))


if __name__ == "__main__":
    try:
        read(sys.argv[1])
    except Fault as fault:
        print("%s: %s" % (sys.argv[1], fault), file=sys.stderr)
        sys.exit(65)
