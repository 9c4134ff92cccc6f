#!/usr/bin/python3
"""critpath waits against the definitions of Scalasca's wait states, computed from the events of archives by the module otf2.

    late sender     a receive, or the call that completes some, was entered before the send: until then
    late receiver   a send, or the call that completes some, was entered before the receive was posted, and not left before: until
                    then
    barrier, n-to-n until the last member entered
    late broadcast  until the root entered
    early reduce    the root, until the first other member entered: critpath counts until the last one

With archives as arguments these are compared, else random ones.  Nothing is shared with critpath, which has its own reader, matching and definitions (doc/critpath.md).
"""
import collections
import json
import os
import random
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.environ["SOURCE"], "test/cli/critpath"))
import tap

import otf2
from otf2 import events
from otf2.enums import CollectiveOp

import archive

DATA = os.environ.get("DATA", os.environ["SOURCE"] + "/../shared/data")
BARRIERS = {CollectiveOp.BARRIER}
ROOT_FIRST = {CollectiveOp.BCAST, CollectiveOp.SCATTER}
ROOT_LAST = {CollectiveOp.REDUCE, CollectiveOp.GATHER}


class Call:
    def __init__(self, rank, function, enter):
        self.rank, self.function, self.enter, self.leave = rank, function, enter, None


class Run:
    """The calls of an archive, with messages and collectives matched in the order of their records."""
    def __init__(self, path):
        self.sends, self.receives = collections.defaultdict(list), collections.defaultdict(list)
        self.members = collections.defaultdict(list)
        counts, open_calls, posted, begun = collections.Counter(), {}, {}, {}
        with otf2.reader.open(path) as trace:
            ranks = {location: number for number, location in enumerate(
                sorted(trace.definitions.locations, key=lambda location: int(str(location.group.name).split()[-1])))}
            self.scale = 1e9 / trace.timer_resolution
            for location, event in trace.events:
                rank, time = ranks[location], event.time * self.scale
                call = open_calls.get(rank)
                if isinstance(event, events.Enter) and event.region.name.startswith("MPI_"):
                    open_calls[rank] = Call(rank, event.region.name, time)
                elif isinstance(event, events.Leave) and call and event.region.name == call.function:
                    call.leave = time
                    open_calls[rank] = None
                elif isinstance(event, events.MpiSend):
                    self.sends[rank, event.receiver, event.msg_tag].append([call, call])
                elif isinstance(event, events.MpiIsend):
                    begun[rank, event.request_id] = [call, None]
                    self.sends[rank, event.receiver, event.msg_tag].append(begun[rank, event.request_id])
                elif isinstance(event, events.MpiIsendComplete):
                    begun[rank, event.request_id][1] = call
                elif isinstance(event, events.MpiRecv):
                    self.receives[event.sender, rank, event.msg_tag].append((call, call))
                elif isinstance(event, events.MpiIrecvRequest):
                    posted[rank, event.request_id] = call
                elif isinstance(event, events.MpiIrecv):
                    self.receives[event.sender, rank, event.msg_tag].append((posted[rank, event.request_id], call))
                elif isinstance(event, events.MpiCollectiveEnd):
                    root = event.root if isinstance(event.root, int) and event.root < len(ranks) else None
                    self.members[counts[rank]].append((call, event.collective_op, root))
                    counts[rank] += 1


def found_by_scalasca(run):
    """Waits of a run: (rank, function, pattern, ns), and those of early reduces as (Scalasca's, until the last member)."""
    waits, reduces = [], []
    late_senders, late_receivers = collections.Counter(), collections.Counter()
    for channel, sends in run.sends.items():
        for (send, sent), (post, received) in zip(sends, run.receives[channel]):
            late_senders[received] = max(late_senders[received], send.enter - received.enter)
            if sent and post.enter <= sent.leave:
                late_receivers[sent] = max(late_receivers[sent], post.enter - sent.enter)
    for call, wait in late_senders.items():
        if wait > 0:
            waits.append((call.rank, call.function, "late-sender", min(wait, call.leave - call.enter)))
    for call, wait in late_receivers.items():
        # What a call waits for a receive adds nothing to what it waits for a sender.
        if wait > 0 >= late_senders[call]:
            waits.append((call.rank, call.function, "late-receiver", wait))
    for members in run.members.values():
        last = max(call.enter for call, _, _ in members)
        first_out = {root: call for call, _, root in members if root == call.rank}
        for call, operation, root in members:
            if operation in ROOT_FIRST:
                wait, pattern = first_out[root].enter - call.enter, "late-broadcast"
            elif operation in ROOT_LAST:
                if call.rank != root:
                    continue
                others = [other.enter for other, _, _ in members if other is not call]
                reduces.append((max(0, min(others) - call.enter), max(0, last - call.enter)))
                wait, pattern = last - call.enter, "early-reduce"
            else:
                wait, pattern = last - call.enter, "barrier" if operation in BARRIERS else "collective"
            if wait > 0:
                waits.append((call.rank, call.function, pattern, min(wait, call.leave - call.enter)))
    return waits, reduces


def found_by_critpath(path):
    done = subprocess.run(["critpath", "waits", path, "--format", "json"], stdout=subprocess.PIPE, check=True)
    return [(row["rank"], row["function"], row["pattern"], row["wait_ns"]) for row in json.loads(done.stdout)["rows"]]


def differences(path):
    """Waits that only one of both has, where times agree within 2 ns."""
    expected, reduces = found_by_scalasca(Run(os.path.join(path, "traces.otf2")))
    found = found_by_critpath(path)
    texts = [] if len(expected) == len(found) else [f"{len(found)} waits instead of {len(expected)}"]
    texts += [f"{one} instead of {other}" for one, other in zip(sorted(found), sorted(expected))
              if one[:3] != other[:3] or abs(one[3] - other[3]) > 2]
    # Scalasca's early reduce is a part of ours.
    texts += [f"early reduce {pair}" for pair in reduces if pair[0] > pair[1]]
    return texts, len(expected)


def random_calls(seed):
    """Calls of ranks that compute and communicate: [(rank, enter, leave, function, [event])]."""
    numbers = random.Random(seed)
    ranks = numbers.randrange(2, 6)
    clock, calls, requests = [1000] * ranks, [], 0
    for rank in range(ranks):
        calls.append((rank, 0, 1000, "MPI_Init", []))

    def call(rank, function, until, event):
        enter = clock[rank]
        clock[rank] = max(until, enter) + numbers.randrange(1, 60)
        calls.append((rank, enter, clock[rank], function, event))

    for _ in range(numbers.randrange(5, 60)):
        for rank in range(ranks):
            if numbers.random() < 0.5:
                clock[rank] += numbers.randrange(1000)
        kind = numbers.randrange(8)
        source, target = numbers.sample(range(ranks), 2)
        tag = numbers.randrange(2)
        if kind < 4:
            sent, ready = clock[source], clock[target]
            synchronous = kind == 0
            call(source, "MPI_Ssend" if synchronous else "MPI_Send", ready if synchronous else 0, [f"send:{target}:{tag}"])
            if kind == 3:
                requests += 1
                clock[target] = ready
                call(target, "MPI_Irecv", 0, [f"post:{requests}"])
                clock[target] += numbers.randrange(400)
                call(target, "MPI_Wait", sent, [f"irecv:{source}:{tag}:{requests}"])
            else:
                call(target, "MPI_Recv", sent, [f"recv:{source}:{tag}"])
            continue
        last = max(clock)
        root = numbers.randrange(ranks)
        at_root = clock[root]
        for rank in range(ranks):
            if kind == 4:
                call(rank, "MPI_Barrier", last, ["coll:BARRIER"])
            elif kind == 5:
                call(rank, "MPI_Allreduce", last, ["coll:ALLREDUCE"])
            elif kind == 6:
                call(rank, "MPI_Bcast", at_root, [f"coll:BCAST:{root}"])
            else:
                call(rank, "MPI_Reduce", last if rank == root else 0, [f"coll:REDUCE:{root}"])
    end = max(clock)
    for rank in range(ranks):
        calls.append((rank, clock[rank], end, "MPI_Finalize", []))
    return calls


def check_made():
    wrong, waits = [], 0
    for seed in range(60):
        archive.write(f"random-{seed}", random_calls(seed))
        texts, count = differences(f"random-{seed}")
        wrong += [f"seed {seed}: {text}" for text in texts[:3]]
        waits += count
    tap.check(not wrong and waits > 500, "Scalasca's wait states of random programs are the waits of critpath", *wrong[:20])
    with open(os.environ["SOURCE"] + "/test/cli/critpath_tables/mixed.calls", encoding="utf-8") as file:
        archive.write("mixed", archive.read_calls(file))
    texts, count = differences("mixed")
    tap.check(not texts and count == 18, "... and those of a program with each kind of wait", *texts)
    path = os.path.join(DATA, "otf2", "scorep-ping-pong")
    if os.path.isdir(path):
        texts, count = differences(path)
        tap.check(not texts and count, "... and those of a trace of Score-P", *texts)
    else:
        tap.skip("... and those of a trace of Score-P", f"{DATA} is missing")


def main():
    for path in sys.argv[1:]:
        texts, count = differences(path)
        tap.check(not texts and count, f"Scalasca's wait states of {path} are the waits of critpath", *texts[:20])
    if sys.argv[1:]:
        tap.end()
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        check_made()
    tap.end()


main()
