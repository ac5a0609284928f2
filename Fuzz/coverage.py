"""Reads what `llvm-cov export` printed: regions reached in the files that fuzzing is about, and those that weren't.

A generic or inlined function stands there once for each of its forms: a region that was reached in one is reached.
"""

import collections
import json
import sys

FORMAT = "Sources/EventCassettes/Format/"
PARTS = [
    ("parser", ["Sources/ServerSentEvents/Parser/"]),
    ("state machine", ["Sources/ServerSentEvents/Client/EventSourceStateMachine"]),
    (
        "cassette reader",
        [FORMAT + name for name in ("CassetteFormat1", "CassetteReader", "Inflater", "JSONParser", "LEB128", "RecordSequence")],
    ),
]
CODE = 0


def main(export, root):
    reached = collections.defaultdict(lambda: collections.defaultdict(int))
    for part in json.load(open(export))["data"]:
        for function in part["functions"]:
            for line, column, end_line, end_column, count, file, _, kind in function["regions"]:
                if kind == CODE:
                    path = function["filenames"][file].removeprefix(root + "/")
                    reached[path][(line, column, end_line, end_column)] += count
    print("| part | file | regions | reached |\n| --- | --- | --- | --- |")
    never = []
    for part, beginnings in PARTS:
        for path in sorted(path for path in reached if path.startswith(tuple(beginnings))):
            regions = reached[path]
            missed = sorted(region for region, count in regions.items() if count == 0)
            never += [(path, region) for region in missed if not any(contains(other, region) for other in missed)]
            share = 100 * (len(regions) - len(missed)) / len(regions)
            print(f"| {part} | {path.split('/')[-1]} | {len(regions)} | {share:.1f} % |")
    print(f"\n{len(never)} places are never reached:")
    for path, (line, column, end_line, end_column) in never:
        source = open(f"{root}/{path}").read().split("\n")
        if line == end_line:
            text = source[line - 1][column - 1 : end_column - 1]
        else:
            text = source[line - 1][column - 1 :] + " …"
        print(f"{path}:{line}:{column} {source[line - 1].strip()}  [{text.strip()}]")


def contains(outer, inner):
    return outer != inner and outer[:2] <= inner[:2] and inner[2:] <= outer[2:]


main(*sys.argv[1:])
