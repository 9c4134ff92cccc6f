#!/usr/bin/python3
"""arrows.py TRACE: print the number of messages that arrive before they are sent, the number of
messages, and the time of the shortest one in ns."""
import collections
import sys

import otf2
from otf2.events import MpiRecv, MpiSend

# Times per pair of ranks, in the order of each rank, as messages match in order.
sent, received = collections.defaultdict(list), collections.defaultdict(list)
with otf2.reader.open(sys.argv[1]) as trace:
    for location, event in trace.events:
        rank = location.group._ref
        if isinstance(event, MpiSend):
            sent[rank, event.receiver].append(event.time)
        elif isinstance(event, MpiRecv):
            received[event.sender, rank].append(event.time)
assert sent.keys() == received.keys() and all(len(sent[p]) == len(received[p]) for p in sent)
times = [r - s for pair in sent for s, r in zip(sent[pair], received[pair])]
print(sum(t < 0 for t in times), len(times), min(times))
