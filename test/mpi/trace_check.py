#!/usr/bin/python3
"""Traces say what the programs say they have done.

Each program is run under llamp-trace and writes a log of its calls
(trace_log.h); the trace of each rank, read with the otf2 module, must be the
same, line by line, and otf2-print must read it without a complaint.  Functions
that concern no other rank (class LOCAL of the table) may be left out of a log;
a log that has one of them must have all its calls.
"""
import os
import re
import subprocess
import sys
import tempfile

import otf2

BUILD = os.environ["BUILD"]
MPIEXEC = os.environ["MPIEXEC"]
# Open MPI 4.1's MPI_File_read_all_end never comes back on one rank when the file is too short.
TRANSFER_RANKS = (3,) if os.environ.get("MPI") == "openmpi" else (1, 3)
# Nor does it make windows of one rank.
WINDOW_RANKS = (2, 4) if os.environ.get("MPI") == "openmpi" else (1, 2, 4)
RUNS = [("trace_blocking", (2, 3)), ("trace_requests", (2, 3)), ("trace_probes", (2, 3)),
        ("trace_large", (2,)),
        ("trace_collectives", (1, 3, 5)), ("trace_comms", (3, 6)),
        ("trace_regions", (1, 2)), ("trace_mpi4", (2, 3)), ("trace_rma", WINDOW_RANKS), ("trace_transfers", TRANSFER_RANKS),
        ("trace_neighbours", (1, 4)), ("trace_mpif", (2, 3)), ("trace_use_mpi", (2,)),
        ("trace_f08", (2, 3))]
with open(os.environ["SOURCE"] + "/trace/mpi_functions.def", encoding="ascii") as table:
    LOCAL = {"MPI_" + name for name in re.findall(r"^MPI_FUNCTION\((\w+), LOCAL,", table.read(), re.M)}
tests = 0
# The module of OTF2 3.0 gives inter-communicators the fields of communicators as well.
FIELDS = otf2.definitions.InterComm._fields
if len(FIELDS) == 8:
    otf2.definitions.InterComm._fields = type(FIELDS)(FIELDS[i] for i in (0, 4, 5, 2, 3))


def report(good, sentence, *details):
    global tests
    tests += 1
    print(f"{'ok' if good else 'not ok'} {tests} - {sentence}")
    for detail in details if not good else ():
        print("# " + str(detail).replace("\n", "\n# "))


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
    """The same of one-sided communication."""
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
    """A record as the log has it; None for those without a line of their own."""
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
    """Lines for each rank, and complaints about the order of events."""
    lines, complaints = {}, []
    with otf2.reader.open(path) as trace:
        last, inside = {}, {}
        for location, event in trace.events:
            rank = location._ref
            if event.time < last.get(rank, 0):
                complaints.append(f"rank {rank}: time runs backwards at {event}")
            last[rank] = event.time
            kind = type(event)
            if kind in (otf2.events.ProgramBegin, otf2.events.ProgramEnd):
                continue
            if kind is otf2.events.MeasurementOnOff:
                lines.setdefault(rank, []).append(member(event.measurement_mode).lower())
            elif kind is otf2.events.Enter:
                inside[rank] = []
                function = event.region.name
            elif kind is otf2.events.Leave:
                records = " | ".join(inside.pop(rank)) + extras(event)
                polls = next((v for a, v in (event.attributes or {}).items() if a.name == "Polls"), 1)
                lines.setdefault(rank, []).extend(
                    [f"{event.region.name}: {records.strip()}".rstrip()] * polls)
            else:
                text = record(event)
                if text is not None:
                    inside[rank].append(text)
    return lines, complaints


def check(program, ranks):
    name = f"{program} on {ranks} rank{'s' if ranks > 1 else ''}"
    with tempfile.TemporaryDirectory() as folder:
        logs = os.path.join(folder, "logs")
        os.mkdir(logs)
        done = subprocess.run(
            [MPIEXEC, "-n", str(ranks), "llamp-trace", "-o", folder + "/trace",
             f"{BUILD}/test/mpi/{program}"],
            env=dict(os.environ, TRACE_LOG=logs), stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, timeout=120)
        report(done.returncode == 0 and not done.stdout,
               f"{name} runs under the tracer without a word", done.returncode, done.stdout)
        path = folder + "/trace/traces.otf2"
        shown = subprocess.run(["otf2-print", path], stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, text=True)
        report(shown.returncode == 0 and not shown.stderr, f"{name}: otf2-print reads the trace",
               shown.stderr[:2000])
        try:
            lines, complaints = traced(path)
        except Exception as error:
            report(False, f"{name}: the trace can be read", repr(error))
            return
        report(not complaints, f"{name}: time never runs backwards", *complaints[:5])
        wrong = []
        for rank in range(ranks):
            with open(f"{logs}/{rank}", encoding="ascii") as file:
                said = [" ".join(line.split()) for line in file]
            unsaid = {name + ":" for name in LOCAL} - {line.split(" ")[0] for line in said}
            found = [line for line in lines.get(rank, []) if line not in unsaid]
            for i in range(max(len(said), len(found))):
                a = said[i] if i < len(said) else "(nothing)"
                b = found[i] if i < len(found) else "(nothing)"
                if a != b:
                    wrong.append(f"rank {rank} line {i + 1}:\n  did    {a[:300]}\n  traced {b[:300]}")
                    break
        report(not wrong, f"{name}: the trace has what the program did", *wrong)


for program, counts in RUNS:
    if len(sys.argv) > 1 and program not in sys.argv[1:]:
        continue
    for count in counts:
        check(program, count)
