#!/usr/bin/python3
"""Compare the log that llamp-usage makes of an archive with sums of its records, read by the module otf2.

    sums.py ARCHIVE/traces.otf2 LOG.json

The log has all ranks.  Calls, bytes, bytes moved and time of each function of each rank must be equal.  Of a profile, another run of
the program, the times are not compared, and receives that it posts have the bytes that they have room for, at least those that came.
"""
import collections
import json
import sys

import otf2
from otf2.enums import CollectiveOp as Op
from otf2.events import (Enter, IoOperationBegin, Leave, MpiCollectiveEnd, MpiIrecv, MpiIrecvRequest, MpiIsend, MpiRecv, MpiSend,
                         MpiRequestCancelled, NonBlockingCollectiveComplete, NonBlockingCollectiveRequest, RmaAtomic, RmaGet, RmaPut)

BLOCK_SENT = (Op.GATHER, Op.GATHERV, Op.REDUCE)
BLOCK_RECEIVED = (Op.BCAST, Op.SCATTER, Op.SCATTERV)
EQUAL = (Op.ALLGATHER, Op.ALLTOALL, Op.ALLREDUCE, Op.REDUCE_SCATTER_BLOCK, Op.ALLGATHERV)
SENT = (Op.ALLTOALLV, Op.ALLTOALLW, Op.REDUCE_SCATTER)


def vector(text):
    """"8,0*2,16" is [8, 0, 0, 16]."""
    values = []
    for part in text.split(","):
        value, _, count = part.partition("*")
        values += [int(value)] * int(count or 1)
    return values


class Call:
    def __init__(self, name, time):
        self.name, self.time, self.count, self.gaps = name, time, 1, 0
        self.bytes = self.moved = 0


def group_of(event, rank):
    comm = event.communicator
    if isinstance(comm, otf2.definitions.InterComm):
        groups = [[member._ref for member in group.members] for group in (comm.group_a, comm.group_b)]
        return groups if rank in groups[0] else groups[::-1]
    members = [member._ref for member in comm.group.members]
    return (members or [rank], None)


def own_bytes(event, rank, attributes):
    own, remote = group_of(event, rank)
    size, me, op = len(own), own.index(rank), event.collective_op
    peers = len(remote) if remote is not None else size
    sent, received = event.size_sent, event.size_received
    in_place = "InPlace" in attributes
    others = peers - 1 if in_place else peers
    if sent % peers and peers > 1 and sent % (peers - 1) == 0:
        others = peers - 1      # tools that do not mark it
    if "Neighbours" in attributes:
        text = attributes.get("SendBytes", "")
        if op in (Op.ALLTOALLV, Op.ALLTOALLW):
            return sent
        return vector(text)[0] if text else 0
    if op == Op.BARRIER:
        return 0
    if remote is not None and op in BLOCK_SENT + BLOCK_RECEIVED:
        if op in BLOCK_SENT:
            return sent
        if op == Op.SCATTERV and sent:
            return sent
        return received or sent // peers
    if op in BLOCK_SENT:
        if not in_place:
            return sent
        return vector(attributes["ReceiveBytes"])[me] if op == Op.GATHERV else received // others if others else 0
    if op == Op.SCATTERV and "SendBytes" in attributes:
        return sum(vector(attributes["SendBytes"]))
    if op in BLOCK_RECEIVED:
        return (sent // others if others else 0) if in_place else received
    if op in EQUAL:
        return sent // others if others else 0
    if op in SENT:
        if in_place and op != Op.REDUCE_SCATTER:
            return sum(vector(attributes["ReceiveBytes"]))
        return sum(vector(attributes["SendBytes"])) if "SendBytes" in attributes else sent
    if op in (Op.SCAN, Op.EXSCAN):
        to, after = (me + (op == Op.SCAN and not in_place)), size - me - 1 + (op == Op.SCAN and not in_place)
        return received // to if to else sent // after if after else 0
    return 0


def recorded(archive):
    """{rank: {function: [calls, bytes, moved, ns]}}"""
    sums = collections.defaultdict(lambda: collections.defaultdict(lambda: [0, 0, 0, 0]))
    requests, stacks, done = {}, collections.defaultdict(list), collections.defaultdict(list)
    with otf2.reader.open(archive) as trace:
        ranks, first = {}, {}
        for location in trace.definitions.locations:
            ranks.setdefault(location.group._ref, len(ranks))
            first.setdefault(location.group._ref, location._ref)
        scale = 10**9 / trace.definitions.clock_properties.timer_resolution
        for location, event in trace.events:
            rank, stack = ranks[location.group._ref], stacks[location._ref]
            attributes = {key.name: value for key, value in (event.attributes or {}).items()}
            call = stack[0] if stack else None
            if isinstance(event, Enter):
                if event.region.name.startswith("MPI_"):
                    stack.append(Call(event.region.name, event.time))
            elif isinstance(event, Leave) and event.region.name.startswith("MPI_"):
                call = stack.pop()
                if stack:
                    continue
                call.count, call.gaps = attributes.get("Polls", 1), attributes.get("PollGaps", 0)
                call.bytes += attributes.get("Bytes", 0) if "File" in call.name else 0
                call.moved += attributes.get("Bytes", 0) if "File" in call.name else 0
                call.ns = round((event.time - call.time) * scale) - call.gaps
                done[rank].append(call)
            elif isinstance(event, (MpiSend, MpiIsend)):
                call.bytes += event.msg_length
                call.moved += event.msg_length
            elif isinstance(event, (MpiIrecvRequest, NonBlockingCollectiveRequest)):
                requests[rank, event.request_id] = call
            elif isinstance(event, (MpiRecv, MpiIrecv)):
                if isinstance(event, MpiIrecv):
                    call = requests.pop((rank, event.request_id), call)
                call.moved += event.msg_length
                call.bytes += 0 if "endrecv" in call.name else event.msg_length
            elif isinstance(event, MpiRequestCancelled):
                requests.pop((rank, event.request_id), None)
            elif isinstance(event, (MpiCollectiveEnd, NonBlockingCollectiveComplete)):
                if isinstance(event, NonBlockingCollectiveComplete):
                    call = requests.pop((rank, event.request_id), call)
                if call.name.startswith("MPI_Comm_") or call.name.startswith("MPI_Intercomm_"):
                    continue
                call.bytes += own_bytes(event, first[location.group._ref], attributes)
                call.moved += event.size_sent + event.size_received
            elif isinstance(event, (RmaPut, RmaGet)):
                call.bytes += event.bytes
                call.moved += event.bytes
            elif isinstance(event, RmaAtomic):
                call.bytes += event.bytes_sent
                call.moved += event.bytes_sent + event.bytes_received
    for rank, calls in done.items():
        for call in calls:
            row = sums[rank][call.name]
            for i, value in enumerate((call.count, call.bytes, call.moved, call.ns)):
                row[i] += value
    return sums


def logged(path):
    with open(path, encoding="utf-8") as file:
        log = json.load(file)
    result = {}
    for rank in log["rank_list"]:
        calls = rank["calls"]
        result[rank["rank"]] = {name: [calls[key][i] for key in ("calls", "bytes", "moved", "ns")]
                                for i, name in enumerate(calls["function"])}
    return result, log


# Functions that post receives, also persistent ones.
POST = ("MPI_Irecv", "MPI_Imrecv", "MPI_Start", "MPI_Startall", "MPI_Isendrecv", "MPI_Isendrecv_replace")


def agree(name, records, log, is_trace):
    if is_trace:
        return records[:3] == log[:3] and abs(records[3] - log[3]) <= 1 + records[0]
    if name in POST:
        return records[0] == log[0] and records[1] <= log[1] and records[2] <= log[2]
    return records[:3] == log[:3]


def main():
    wanted, (found, log) = recorded(sys.argv[1]), logged(sys.argv[2])
    faults = 0
    for rank in sorted(wanted.keys() | found.keys()):
        for name in sorted(wanted[rank].keys() | found.get(rank, {}).keys()):
            a, b = wanted[rank].get(name), found.get(rank, {}).get(name)
            if not a or not b or not agree(name, a, b, log["clock"] == "trace"):
                print(f"rank {rank}, {name}: records {a}, log {b} (calls, bytes, moved, ns)")
                faults += 1
    total = sum(row[0] for functions in wanted.values() for row in functions.values())
    print(f"{total} calls of {len(wanted)} ranks")
    sys.exit(1 if faults or not total else 0)


main()
