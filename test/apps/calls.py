"""Count the calls in an archive as the module otf2 reads it: calls.py DIR/traces.otf2 RANKS

Every call must end before the next one of its location begins, and time must not run backwards.
"""
import collections
import sys

import otf2
from otf2.events import Enter, Leave

calls = 0
inside = collections.defaultdict(lambda: None)
last = collections.defaultdict(int)
locations = set()
with otf2.reader.open(sys.argv[1]) as trace:
    for location, event in trace.events:
        locations.add(location.group.name)
        if event.time < last[location]:
            sys.exit(f"{location.name}: {event} is before the previous event")
        last[location] = event.time
        if isinstance(event, Enter):
            if inside[location]:
                sys.exit(f"{location.name}: {event} is inside {inside[location].name}")
            inside[location] = event.region
            calls += 1
        elif isinstance(event, Leave):
            if inside[location] != event.region:
                sys.exit(f"{location.name}: {event} has no beginning")
            inside[location] = None
if any(inside.values()):
    sys.exit("a call has no end")
if len(locations) != int(sys.argv[2]):
    sys.exit(f"{len(locations)} ranks instead of {sys.argv[2]}")
print(calls)
