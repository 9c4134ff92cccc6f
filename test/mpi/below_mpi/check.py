#!/usr/bin/python3
"""check.py ARCHIVE FACT...: what an archive has below MPI.

A region below MPI is a call of UCX.  Facts:
    none            there is no such region, and no attribute of one
    inside          all of them are within a call of MPI, of each thread that calls MPI
    posts=BYTES     MPI_Irecv posts a receive, and MPI_Isend a send, of so many bytes
    waits           in MPI_Wait a poll finds something, and runs of polls that find nothing have their number
    tests           calls of MPI_Test that found nothing are one, and so are the polls in them
    thread          a thread that calls no function of MPI polls
"""
import sys

import otf2
from otf2.events import Enter, Leave

NOTHING = "ucp_worker_progress (nothing)"


class Call:
    """A region that was entered and left: the calls within it, and its attributes by name."""

    def __init__(self, location, region, inner):
        self.location, self.region, self.name, self.inner = location, region, region.name, inner
        self.calls, self.attributes = [], {}

    def is_below(self):
        return self.name.startswith("ucp_")

    def all_below(self):
        for call in self.calls:
            if call.is_below():
                yield call
            yield from call.all_below()


def read(path):
    """All outermost calls, and the names of attributes."""
    stacks, outermost = {}, []
    with otf2.reader.open(path) as archive:
        for location, event in archive.events:
            stack = stacks.setdefault(location, [])
            if isinstance(event, Enter):
                call = Call(location, event.region, bool(stack))
                (stack[-1].calls if stack else outermost).append(call)
                stack.append(call)
            elif isinstance(event, Leave):
                call = stack.pop()
                assert call.region == event.region, f"{event.region.name} leaves {call.name}"
            else:
                continue
            call.attributes.update({key.name: value for key, value in (event.attributes or {}).items()})
        defined = {region.name: region for region in archive.definitions.regions}
        attributes = {attribute.name for attribute in archive.definitions.attributes}
    assert not any(stacks.values()), "regions are not left"
    return outermost, defined, attributes


def none(calls, defined, attributes):
    return not any(name.startswith("ucp") for name in defined) and not {"Found", "Pending"} & attributes


def inside(calls, defined, attributes):
    callers = {call.location for call in calls if not call.is_below()}
    return not [call.name for call in calls if call.is_below() and call.location in callers] and \
        all(defined[call.name].paradigm == otf2.Paradigm.USER for of in calls for call in of.all_below())


def posts(calls, defined, attributes, size):
    found = {(of.name, call.name.split("_nb")[0], call.attributes.get("Bytes")) for of in calls for call in of.all_below()}
    return {("MPI_Irecv", "ucp_tag_recv", int(size)), ("MPI_Isend", "ucp_tag_send", int(size))} <= found


def waits(calls, defined, attributes):
    polls = [call for of in calls if of.name == "MPI_Wait" for call in of.all_below()]
    finds = [call.attributes["Found"] for call in polls if call.name == "ucp_worker_progress"]
    empty = [call.attributes["Polls"] for of in calls for call in of.all_below() if call.name == NOTHING]
    return finds and all(found > 0 for found in finds) and empty and all(count > 0 for count in empty)


def tests(calls, defined, attributes):
    runs = [call for call in calls if call.name == "MPI_Test" and call.attributes.get("Polls", 0) > 1]
    return any(call.name == NOTHING and call.attributes["Polls"] > 1 for run in runs for call in run.calls)


def thread(calls, defined, attributes):
    callers = {call.location for call in calls if not call.is_below()}
    return any(call.location not in callers and call.name in (NOTHING, "ucp_worker_progress") for call in calls)


read_all = read(sys.argv[1])
for word in sys.argv[2:]:
    name, *arguments = word.split("=")
    if not globals()[name](*read_all, *arguments):
        for of in read_all[0]:
            print(of.location, of.name, of.attributes)
            for call in of.all_below():
                print("   ", call.name, call.attributes)
        sys.exit(f"not true: {word}")
