"""Simulate a GOAL graph as LogGOPSim does.

    python3 loggopsim.py FILE.bin [-L NS] [-o NS] [-g NS] [-G NS_PER_BYTE] [-O NS_PER_BYTE]

It prints the end of every rank in ns.  Its source is a description of LogGOPSim's rules (T. Hoefler, T. Schneider,
A. Lumsdaine: LogGOPSim, LSAP 2010; github.com/spcl/LogGOPSim), which doc/validation.md repeats.  It has eager messages
only, and no noise.  A message of 0 bytes costs as much as one of 1 byte, where LogGOPSim charges a G less.
"""
import argparse
import fractions
import heapq
import itertools
import struct

SEND, RECV, CALC, MESSAGE = 1, 2, 3, 4
ANY = 0xFFFFFFFF
UNIT = 10**9        # attoseconds of a nanosecond
OPERATION = struct.Struct("<IBIQIBBIIII")


class Operation:
    """Operation of a rank.  `starts` irequire it, `ends` require it."""

    def __init__(self, fields, successors):
        self.missing, self.kind, self.peer, self.size, self.tag, self.cpu, self.nic, ends, ends_at, starts, starts_at = fields
        self.starts = successors[starts_at:starts_at + starts]
        self.ends = successors[ends_at:ends_at + ends]


def read(path):
    """Operations of each rank of a binary graph (doc/goal-format.md)."""
    with open(path, "rb") as file:
        data = file.read()
    magic, ranks = struct.unpack_from("<QI", data)
    if magic != 4223:
        raise ValueError(f"{path}: not a binary GOAL graph")
    return [read_rank(data, *(8 + place for place in struct.unpack_from("<QQ", data, 14 + 16 * rank)))
            for rank in range(ranks)]


def read_rank(data, start, end):
    count, roots = struct.unpack_from("<II", data, start)
    first = start + 8 + 4 * roots
    successors = [word for word, in struct.iter_unpack("<I", data[first + count * OPERATION.size:end])]
    return [Operation(OPERATION.unpack_from(data, first + i * OPERATION.size), successors) for i in range(count)]


def matches(one, other):
    """Whether two (peer, tag) fit."""
    return all(a == b or ANY in (a, b) for a, b in zip(one, other))


def take(queue, wanted):
    """Remove the first element (peer, tag, ...) that fits, and return it, or None."""
    for i, element in enumerate(queue):
        if matches(element, wanted):
            return queue.pop(i)
    return None


class Rank:
    """Operations of a rank, the times at which its resources are free, and its queues."""

    def __init__(self, operations):
        self.operations = operations
        cpus, nics = (1 + max([getattr(op, name) for op in operations], default=0) for name in ("cpu", "nic"))
        self.cpu, self.send_nic, self.receive_nic = [0] * cpus, [0] * nics, [0] * nics
        self.receives, self.messages = [], []       # (source, tag, operation), (source, tag)


class Simulation:
    """Events are (time, number, kind, rank, operation, rank of the sender)."""

    def __init__(self, graph, L=0, o=0, g=0, G=0, O=0):
        self.ranks = [Rank(operations) for operations in graph]
        # Every rank has as many CPUs and NICs as the rank with most of them.
        for name in "cpu", "send_nic", "receive_nic":
            most = max(len(getattr(rank, name)) for rank in self.ranks)
            for rank in self.ranks:
                setattr(rank, name, [0] * most)
        self.L, self.o, self.g, self.G, self.O = (int(fractions.Fraction(str(value)) * UNIT) for value in (L, o, g, G, O))
        self.events, self.numbers = [], itertools.count()

    def push(self, time, kind, rank, operation, sender=None, number=None):
        heapq.heappush(self.events, (time, next(self.numbers) if number is None else number, kind, rank, operation, sender))

    def release(self, rank, successors):
        """Queue the successors that wait for nothing more: sends first, then receives, then calcs."""
        here, free = self.ranks[rank], []
        for number in successors:
            here.operations[number].missing -= 1
            if not here.operations[number].missing:
                free.append(number)
        self.queue(rank, free)

    def queue(self, rank, free):
        here = self.ranks[rank]
        for number in sorted(free, key=lambda number: here.operations[number].kind):
            op = here.operations[number]
            time = here.cpu[op.cpu]
            if op.kind == SEND:
                time = max(time, here.send_nic[op.nic])
            self.push(time, op.kind, rank, number)

    def run(self):
        """Simulate: ends of the ranks, in ns."""
        for rank, here in enumerate(self.ranks):
            self.queue(rank, [i for i, op in enumerate(here.operations) if not op.missing])
        handlers = {SEND: self.send, RECV: self.receive, CALC: self.calc, MESSAGE: self.message}
        while self.events:
            time, number, kind, rank, operation, sender = heapq.heappop(self.events)
            op = self.ranks[rank if sender is None else sender].operations[operation]
            later = handlers[kind](time, rank, operation, op, sender)
            if later is not None:
                self.push(later, kind, rank, operation, sender, number)
        for rank, here in enumerate(self.ranks):
            if here.receives or here.messages or any(op.missing for op in here.operations):
                raise ValueError(f"rank {rank} does not end")
        return [float(fractions.Fraction(max(here.cpu), UNIT)) for here in self.ranks]

    # Handlers of events.  Each returns None, or the time at which to try again.

    def calc(self, time, rank, _, op, __):
        cpu = self.ranks[rank].cpu
        if cpu[op.cpu] > time:
            return cpu[op.cpu]
        cpu[op.cpu] = time + op.size * UNIT
        self.release(rank, op.starts + op.ends)
        return None

    def send(self, time, rank, number, op, _):
        here, bytes_after_first = self.ranks[rank], max(op.size - 1, 0)
        free = max(here.cpu[op.cpu], here.send_nic[op.nic])
        if free > time:
            return free
        here.cpu[op.cpu] = time + self.o + bytes_after_first * self.O
        here.send_nic[op.nic] = time + self.g + bytes_after_first * self.G
        self.push(time + self.o + self.L, MESSAGE, op.peer, number, rank)
        self.release(rank, op.starts + op.ends)
        return None

    def message(self, time, rank, _, op, sender):
        """Take the first byte of the message that operation op of the sender sent."""
        here, bytes_after_first = self.ranks[rank], max(op.size - 1, 0)
        free = max(here.cpu[op.cpu], here.receive_nic[op.nic])
        if free > time:
            return free
        here.cpu[op.cpu] = time + self.o + bytes_after_first * max(self.O, self.G)
        here.receive_nic[op.nic] = time + self.g + bytes_after_first * self.G
        receive = take(here.receives, (sender, op.tag))
        if receive:
            self.release(rank, here.operations[receive[2]].ends)
        else:
            here.messages.append((sender, op.tag))
        return None

    def receive(self, _, rank, number, op, __):
        here = self.ranks[rank]
        successors = op.starts
        if take(here.messages, (op.peer, op.tag)):
            successors = successors + op.ends
        else:
            here.receives.append((op.peer, op.tag, number))
        self.release(rank, successors)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file")
    for name in "LogGO":
        parser.add_argument(f"-{name}", default="0")
    arguments = vars(parser.parse_args())
    for rank, end in enumerate(Simulation(read(arguments.pop("file")), **arguments).run()):
        print(f"{rank} {end:.12g}")


if __name__ == "__main__":
    main()
