"""Compare an archive, read by the module otf2, with the program's own counts.

    tally.py DIR/traces.otf2 PREFIX

PREFIX.RANK are the files that examples/tally.h writes.  Print every difference, and exit with 1
if there is one.
"""
import collections
import glob
import sys

import otf2
from otf2.events import (Enter, MpiCollectiveEnd, MpiIrecv, MpiIsend, MpiRecv, MpiSend)


def counted(prefix):
    """Read the program's counts: {(rank, "send", peer): (messages, bytes), (rank, "collective", name): (calls,)}"""
    counts = {}
    for path in glob.glob(glob.escape(prefix) + ".*"):
        rank = int(path.rsplit(".", 1)[1])
        for line in open(path):
            kind, what, *numbers = line.split()
            key = (rank, kind, int(what) if kind != "collective" else what)
            counts[key] = tuple(map(int, numbers))
    return counts


def recorded(archive):
    counts = collections.defaultdict(lambda: [0, 0])
    region = {}
    with otf2.reader.open(archive) as trace:
        for location, event in trace.events:
            rank = location._ref

            def message(kind, peer):
                member = event.communicator.group.members[peer]
                pair = counts[rank, kind, member._ref]
                pair[0] += 1
                pair[1] += event.msg_length

            if isinstance(event, Enter):
                region[rank] = event.region.name
            elif isinstance(event, (MpiSend, MpiIsend)):
                message("send", event.receiver)
            elif isinstance(event, (MpiRecv, MpiIrecv)):
                message("recv", event.sender)
            elif isinstance(event, MpiCollectiveEnd):
                counts[rank, "collective", region[rank]][0] += 1
    return {key: tuple(value) if key[1] != "collective" else (value[0],) for key, value in counts.items()}


def main():
    archive, prefix = sys.argv[1:]
    wanted, found = counted(prefix), recorded(archive)
    if not wanted:
        sys.exit(f"{prefix}.*: the program counted nothing")
    different = [key for key in wanted.keys() | found.keys() if wanted.get(key) != found.get(key)]
    for key in sorted(different, key=str):
        print(f"rank {key[0]}, {key[1]} {key[2]}: program {wanted.get(key)}, archive {found.get(key)}")
    sys.exit(1 if different else 0)


main()
