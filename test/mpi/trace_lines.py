"""Compare a trace, read as the lines that a program logs, with these logs (trace_log.h).

    python3 trace_lines.py ARCHIVE LOGS RANKS [cut]

`cut` says that the run was killed and its trace recovered.
"""
import os
import re
import sys

import otf2

with open(os.environ["SOURCE"] + "/trace/call/mpi_functions.def", encoding="ascii") as table:
    LOCAL = {"MPI_" + name for name in re.findall(r"^MPI_FUNCTION\((\w+), LOCAL,", table.read(), re.M)}
REQUEST = re.compile(r"#[0-9.]+")
# In the module of OTF2 3.0 inter-communicators have the fields of communicators, too.
FIELDS = otf2.definitions.InterComm._fields
if len(FIELDS) == 8:
    otf2.definitions.InterComm._fields = type(FIELDS)(FIELDS[i] for i in (0, 4, 5, 2, 3))


def member(value):
    """Name of an enumeration's value, whatever the binding prints before it."""
    return str(value).rsplit(".", 1)[-1]


def numbered(comm):
    return comm.name or f"comm{comm._ref}"


def extras(event):
    short = {"PostedWildcard": "posted", "InPlace": "inplace", "ReduceOperation": "op",
             "Neighbours": "neighbours",
             "SendBytes": "sends", "ReceiveBytes": "receives",
             "Communicator": "comm", "Source": "source", "Tag": "tag",
             "Bytes": "bytes", "Partitions": "partitions"}
    found = {a.name: numbered(v) if a.name == "Communicator" else v
             for a, v in (event.attributes or {}).items()}
    return "".join(f" {short[name]}={found[name]}" for name in short if name in found)


def root(value):
    return {0xffffffff: "none", 0xfffffffe: "self", 0xfffffffd: "group"}.get(value, value)


def collective(event):
    op = member(event.collective_op)
    sent, received = event.size_sent, event.size_received
    return f"{op} {root(event.root)} {sent} {received} {numbered(event.communicator)}{extras(event)}"


def message(event, peer):
    return f"{peer} {event.msg_tag} {event.msg_length} {numbered(event.communicator)}"


def window(event):
    return event.win.name or f"win{event.win._ref}"


def whom(rank):
    return "all" if rank == 0xffffffff else rank


def level(value):
    return {0: "none", 1: "process", 2: "memory", 3: "both"}[getattr(value, "value", value)]


def one_sided(event):
    """Format a record of one-sided communication as in the log."""
    e = otf2.events
    kinds = {
        e.RmaWinCreate: lambda: f"create {window(event)} {numbered(event.win.comm)}",
        e.RmaWinDestroy: lambda: f"destroy {window(event)}",
        e.RmaCollectiveBegin: lambda: None,
        e.RmaCollectiveEnd: lambda: f"rma {member(event.collective_op)} {level(event.sync_level)} "
                                    f"{window(event)}",
        e.RmaGroupSync: lambda: f"sync {level(event.sync_level)} {window(event)} "
                                + ",".join(str(m._ref) for m in event.group.members),
        e.RmaRequestLock: lambda: f"lock {whom(event.remote)} {member(event.lock_type)} {window(event)}",
        e.RmaReleaseLock: lambda: f"unlock {whom(event.remote)} {window(event)}",
        e.RmaSync: lambda: f"rmasync {event.remote} {window(event)}",
        e.RmaPut: lambda: f"put {event.remote} {event.bytes} {window(event)} #{event.matching_id}",
        e.RmaGet: lambda: f"get {event.remote} {event.bytes} {window(event)} #{event.matching_id}",
        e.RmaAtomic: lambda: f"{member(event.type)} {event.remote} {event.bytes_sent} "
                             f"{event.bytes_received} {window(event)} #{event.matching_id}{extras(event)}",
        e.RmaOpCompleteNonBlocking: lambda: f"here #{event.matching_id}",
        e.RmaOpCompleteRemote: lambda: f"there #{event.matching_id}",
        e.RmaOpTest: lambda: f"optest #{event.matching_id}",
    }
    return kinds[type(event)]()


def record(event):
    """Format a record as in the log; None for records that the log lacks."""
    e = otf2.events
    if type(event).__name__.startswith("Rma"):
        return one_sided(event)
    kinds = {
        e.MpiSend: lambda: f"send {message(event, event.receiver)}",
        e.MpiRecv: lambda: f"recv {message(event, event.sender)}{extras(event)}",
        e.MpiIsend: lambda: f"isend {message(event, event.receiver)} #{event.request_id}{extras(event)}",
        e.MpiIrecvRequest: lambda: f"irecv #{event.request_id}{extras(event)}",
        e.MpiIrecv: lambda: f"received {message(event, event.sender)} #{event.request_id}",
        e.MpiIsendComplete: lambda: f"sent #{event.request_id}",
        e.MpiRequestTest: lambda: f"test #{event.request_id}",
        e.MpiRequestCancelled: lambda: f"cancelled #{event.request_id}",
        e.MpiCollectiveBegin: lambda: None,
        e.MpiCollectiveEnd: lambda: f"coll {collective(event)}",
        e.NonBlockingCollectiveRequest: lambda: f"icoll #{event.request_id}",
        e.NonBlockingCollectiveComplete: lambda: f"completed {collective(event)} #{event.request_id}",
        e.CommCreate: lambda: f"create {numbered(event.communicator)}",
        e.CommDestroy: lambda: f"destroy {numbered(event.communicator)}",
        e.BufferFlush: lambda: None,
    }
    return kinds[type(event)]()


def traced(path):
    """Lines of each location (rank, thread), and faults in the order of events."""
    lines, complaints = {}, []
    with otf2.reader.open(path) as trace:
        last, inside = {}, {}
        for location, event in trace.events:
            place = location._ref & 0xffffffff, location._ref >> 32
            if event.time < last.get(place, 0):
                complaints.append(f"rank {place[0]}: time runs backwards at {event}")
            last[place] = event.time
            kind = type(event)
            if kind in (otf2.events.ProgramBegin, otf2.events.ProgramEnd):
                continue
            # What is below MPI (--below-mpi) is within calls of MPI, and not in the logs.
            if kind in (otf2.events.Enter, otf2.events.Leave) and event.region.paradigm == otf2.Paradigm.USER:
                continue
            if kind is otf2.events.MeasurementOnOff:
                lines.setdefault(place, []).append(member(event.measurement_mode).lower())
            elif kind is otf2.events.Enter:
                inside[place] = []
            elif kind is otf2.events.Leave:
                records = " | ".join(inside.pop(place)) + extras(event)
                polls = next((v for a, v in (event.attributes or {}).items() if a.name == "Polls"), 1)
                lines.setdefault(place, []).extend(
                    [f"{event.region.name}: {records.strip()}".rstrip()] * polls)
            else:
                text = record(event)
                if text is not None:
                    inside[place].append(text)
    return lines, complaints


def read_logs(folder, rank):
    """Lines that the threads of a rank have logged, by thread; the first is 0."""
    logs = {}
    for name in os.listdir(folder):
        if name.split(".")[0] == str(rank):
            with open(os.path.join(folder, name), encoding="ascii") as file:
                logs[int((name + ".0").split(".")[1])] = [" ".join(line.split()) for line in file]
    return logs


def alike(said, found, cut):
    """Whether the lines are the same except for the numbers of requests."""
    said, found = REQUEST.sub("#", said), REQUEST.sub("#", found)
    if said == found or not cut:
        return said == found
    # Recovery drops records that other ranks do not have.
    (function, _, all_records), (called, _, records) = said.partition(":"), found.partition(":")
    kept = [text.strip() for text in records.split(" | ") if text.strip()]
    return function == called and all(text == "cancelled #" or text in all_records for text in kept)


def common(said, found, cut):
    """Count the lines that both begin with."""
    for i, (a, b) in enumerate(zip(said, found)):
        if not alike(a, b, cut):
            return i
    return min(len(said), len(found))


class Requests:
    """Mapping of a rank's requests in its logs to their numbers in the trace, one to one."""

    def __init__(self):
        self.numbers, self.names = {}, {}

    def same(self, said, found):
        for name, number in zip(REQUEST.findall(said), REQUEST.findall(found)):
            if "." not in name and name != number:
                return False
            if self.numbers.setdefault(name, number) != number or self.names.setdefault(number, name) != name:
                return False
        return True


def compare_location(found, logs, requests, cut):
    """
    Compare a location with the logs of its threads, one or several in turn, and remove these logs.
    Returns the first difference, or None.  A killed thread may have one line more in the trace than
    in its log.
    """
    at = 0
    while at < len(found):
        equal, thread = max(((common(log, found[at:], cut), number) for number, log in logs.items()),
                            default=(0, None))
        log = logs.pop(thread) if equal else []
        last = cut and at + equal + 1 == len(found)
        if equal == len(log) and last:
            return None
        wrong = equal
        if not cut:
            wrong = next((i for i in range(equal) if not requests.same(log[i], found[at + i])), equal)
        if not log or wrong < len(log):
            said = log[wrong] if wrong < len(log) else "(nothing)"
            there = found[at + wrong] if at + wrong < len(found) else "(nothing)"
            who = f"thread {thread} line {wrong + 1}" if log else "nobody"
            return f"{who}:\n  did    {said[:300]}\n  traced {there[:300]}"
        at += equal
    return None


def compare(lines, folder, ranks, cut=False):
    """Compare the lines of all locations with the logs of their threads; return the differences."""
    wrong = []
    for rank in range(ranks):
        logs = {thread: log for thread, log in read_logs(folder, rank).items() if log}
        if not logs:
            wrong.append(f"rank {rank} has no log")
        unsaid = {name + ":" for name in LOCAL} - {line.split(" ")[0] for log in logs.values() for line in log}
        requests = Requests()
        for place in sorted(place for place in lines if place[0] == rank):
            found = [line for line in lines[place] if line not in unsaid]
            problem = compare_location(found, logs, requests, cut)
            if problem:
                wrong.append(f"rank {rank}, location {place[1]}, {problem}")
        if not wrong:
            wrong += [f"rank {rank}, thread {thread} is not in the trace" for thread in logs]
    return wrong


def main(path, folder, ranks, cut=""):
    lines, complaints = traced(path)
    problems = complaints + compare(lines, folder, int(ranks), cut == "cut")
    print("\n".join(problems[:20]))
    return 1 if problems or not lines else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
