#!/usr/bin/python3
"""Write the calls of a program whose best change is known, for archive.py; check the advice.

    programs.py PROGRAM             write the calls: Times in ms, messages take none
    programs.py check JSON [CHANGE:]KEY=VALUE...    compare values of the advice
    programs.py estimate JSON SAID  compare the limits of gains with what schedgen has said
    programs.py commands JSON       run the commands of each change and compare T
"""
import json
import re
import subprocess
import sys

MS = 1000000


class Program:
    """Ranks that compute and call MPI, in time: a barrier lasts until the last rank is there."""

    def __init__(self, ranks):
        self.now = [MS] * ranks
        self.lines = [f"{r} 0 {MS} MPI_Init" for r in range(ranks)]

    def compute(self, rank, ms):
        self.now[rank] += round(ms * MS)

    def call(self, rank, until, text):
        until = max(until, self.now[rank])
        self.lines.append(f"{rank} {self.now[rank]} {until} {text}")
        self.now[rank] = until

    def barrier(self, name="MPI_Barrier coll:BARRIER"):
        last = max(self.now)
        for rank in range(len(self.now)):
            self.call(rank, last, name)

    def message(self, sender, receiver, size=8):
        self.call(sender, self.now[sender], f"MPI_Send send:{receiver}:0:{size}")
        self.call(receiver, self.now[sender], f"MPI_Recv recv:{sender}:0:{size}")

    def print(self):
        for rank, now in enumerate(self.now):
            self.lines.append(f"{rank} {now} {now} MPI_Finalize")
        print("\n".join(self.lines))


def turns(rounds=10):
    """Two ranks in turns have more work: 10 and 6 ms, ten barriers."""
    program = Program(2)
    for i in range(rounds):
        program.compute(i % 2, 10)
        program.compute(1 - i % 2, 6)
        program.barrier()
    program.print()


def three():
    """As turns, but three of them."""
    turns(3)


def two():
    """As turns, but two of them."""
    turns(2)


def pairs():
    """Of two pairs of ranks one has more work in each, 100 and 60 ms, before they reduce; then all meet."""
    program = Program(4)
    for rank, line in enumerate(program.lines):
        program.lines[rank] = f"{line} create:{'0,1' if rank < 2 else '2,3'}"
    for rank, ms in enumerate((100, 60, 100, 60)):
        program.compute(rank, ms)
    for first in (0, 2):
        for rank in (first, first + 1):
            program.call(rank, 101 * MS, f"MPI_Allreduce coll:ALLREDUCE::{first},{first + 1} site:pair{first}.c:1")
    program.barrier("MPI_Barrier coll:BARRIER site:end.c:1")
    program.print()


def chain():
    """As pairs, and two more ranks send each other 200 messages in turn."""
    program = Program(6)
    for rank, line in enumerate(program.lines):
        program.lines[rank] = f"{line} create:{rank // 2 * 2},{rank // 2 * 2 + 1}"
    for rank, ms in enumerate((100, 60, 100, 60)):
        program.compute(rank, ms)
    for i in range(200):
        program.message(4 + i % 2, 5 - i % 2)
    for first in (0, 2):
        for rank in (first, first + 1):
            program.call(rank, 101 * MS, f"MPI_Allreduce coll:ALLREDUCE::{first},{first + 1} site:pair{first}.c:1")
    program.barrier("MPI_Barrier coll:BARRIER site:end.c:1")
    program.print()


def moves():
    """Of two pairs of ranks one computes 100 and 20 ms before it gathers, the other reduces forty times."""
    program = Program(4)
    for rank, line in enumerate(program.lines):
        program.lines[rank] = f"{line} create:{'0,1' if rank < 2 else '2,3'}"
    program.compute(0, 100)
    program.compute(1, 20)
    for rank in (0, 1):
        program.call(rank, 101 * MS, "MPI_Allgather coll:ALLGATHER::0,1")
    for _ in range(40):
        for rank in (2, 3):
            program.call(rank, 0, "MPI_Allreduce coll:ALLREDUCE::2,3")
    program.print()


def strangers():
    """Ranks 0 and 2 compute in turns, 2 ms before each of a hundred messages, and ranks 1 and 3 do so for 1 ms."""
    program = Program(4)
    for i in range(100):
        for first in (0, 1):
            sender = first + i % 2 * 2
            program.compute(sender, 2 - first)
            program.message(sender, first + 2 - i % 2 * 2)
    program.print()


def pipeline():
    """Rank 0 computes for 60 ms, of which 50 are a delay, the others for 10 ms; each receives from the rank before and sends to the next."""
    program = Program(4)
    for rank in range(4):
        program.compute(rank, 10 if rank else 60)
    for rank in range(3):
        program.message(rank, rank + 1)
    program.print()


def lone():
    """Of four ranks one computes for 50 ms before a barrier, the others not at all."""
    program = Program(4)
    program.compute(0, 50)
    program.barrier()
    program.print()


def ring(work=(10, 10, 10, 10)):
    """A ring of turns: each rank computes when the message of the one before has come, three times round."""
    program = Program(len(work))
    for i in range(3 * len(work)):
        rank = i % len(work)
        program.compute(rank, work[rank])
        program.message(rank, (rank + 1) % len(work))
    program.print()


def phases():
    """Before two barriers one of four ranks computes for 15 ms, another one each time, and the others for 5."""
    program = Program(4)
    for i in range(2):
        for rank in range(4):
            program.compute(rank, 15 if rank == i else 5)
        program.barrier()
    program.print()


def parts():
    """Rank 0 sends 4 messages at once, which rank 1 posts and awaits together; then it computes. A message takes 10 ms of both."""
    program = Program(2)
    for i in range(4):
        program.call(1, 0, f"MPI_Irecv post:{i}")
        program.call(0, program.now[0] + 10 * MS, f"MPI_Isend isend:1:0:{4 + i}:8")
    program.call(0, 0, "MPI_Waitall " + " ".join(f"isent:{4 + i}" for i in range(4)))
    program.call(1, program.now[0] + 10 * MS, "MPI_Waitall " + " ".join(f"irecv:0:0:{i}:8" for i in range(4)))
    program.compute(1, 100)
    program.print()


def waits():
    """Rank 0 computes for 100 ms and sends; rank 1 computes for 50, receives, and computes for 100."""
    program = Program(2)
    program.compute(0, 100)
    program.compute(1, 50)
    program.message(0, 1)
    program.compute(1, 100)
    program.print()


def halo():
    """Ranks 0 and 1 compute for 100 ms and send; rank 2 posts receives at two sites, awaits both, and computes for 100."""
    program = Program(3)
    for rank in (0, 1):
        program.compute(rank, 100)
        program.call(rank, 0, "MPI_Send send:2:0:8 site:send.c:9")
    program.call(2, 0, "MPI_Irecv post:1 site:left.c:1")
    program.call(2, 0, "MPI_Irecv post:2 site:right.c:2")
    program.call(2, 101 * MS, "MPI_Waitall irecv:0:0:1:8 irecv:1:0:2:8 site:wait.c:3")
    program.compute(2, 100)
    program.print()


def namesakes():
    """Rank 1 posts receives in two files of one name, awaits each of them, and computes for 50 ms after each."""
    program = Program(2)
    program.compute(0, 100)
    for _ in range(2):
        program.call(0, 0, "MPI_Send send:1:0:8 site:send.c:9")
    for number, folder in enumerate(("left", "right")):
        program.call(1, 0, f"MPI_Irecv post:{number} site:{folder}/x.c:1")
    for number in range(2):
        program.call(1, 101 * MS, f"MPI_Wait irecv:0:0:{number}:8 site:wait.c:{number}")
        program.compute(1, 50)
    program.print()


def crossed():
    """Ranks send each other two messages, and post the second receive behind both sends; they compute after receives."""
    program = Program(2)
    for text in ("MPI_Irecv post:1", "MPI_Send send:{}:0:8", "MPI_Send send:{}:0:8", "MPI_Irecv post:2",
                 "MPI_Waitall irecv:{0}:0:1:8 irecv:{0}:0:2:8"):
        for rank in (0, 1):
            program.call(rank, 0, text.format(1 - rank))
            if not text.startswith("MPI_Send"):
                program.compute(rank, 50)
    program.print()


def posts():
    """Rank 0 computes for 100 ms and sends; rank 1 posts the receive and awaits it at once, and then computes for 100."""
    program = Program(2)
    program.compute(0, 100)
    program.call(0, 0, "MPI_Send send:1:0:8")
    program.call(1, 0, "MPI_Irecv post:1")
    program.call(1, program.now[0], "MPI_Wait irecv:0:0:1:8")
    program.compute(1, 100)
    program.print()


def offered():
    """Rank 0 sends synchronously, then computes for 100 ms; rank 1 computes for 50, receives, and computes for 50."""
    program = Program(2)
    program.compute(1, 50)
    program.call(0, program.now[1], "MPI_Send send:1:0:8")
    program.call(1, 0, "MPI_Recv recv:0:0:8")
    program.compute(0, 100)
    program.compute(1, 50)
    program.print()


def late_receive(size, ms):
    """Rank 0 sends bytes, then computes for `ms`; rank 1 computes for half of it, then receives."""
    program = Program(2)
    program.compute(1, ms / 2)
    program.call(0, program.now[1], f"MPI_Send send:1:0:{size}")
    program.call(1, 0, f"MPI_Recv recv:0:0:{size}")
    program.compute(0, ms)
    program.print()


def kibibyte():
    """A late receive of 1 KiB: with a synchronous send 150 us, else 100."""
    late_receive(1024, 0.1)


def threshold():
    """A late receive of 8 bytes: with a synchronous send 150 ms, else 100."""
    late_receive(8, 100)


def deferred():
    """Rank 0 waits 100 ms for a send that moves when rank 1 waits, after its computation, and then computes as long."""
    program = Program(2)
    program.call(0, 0, "MPI_Isend isend:1:0:1")
    program.call(1, 0, "MPI_Irecv post:1")
    program.compute(1, 100)
    program.call(1, 0, "MPI_Wait irecv:0:0:1")
    program.call(0, program.now[1], "MPI_Wait isent:1")
    program.compute(0, 100)
    program.print()


def reduction():
    """Eight ranks reduce 8 bytes a hundred times, with 1 ms of work before."""
    program = Program(8)
    for _ in range(100):
        for rank in range(8):
            program.compute(rank, 1)
        program.barrier("MPI_Allreduce coll:ALLREDUCE")
    program.print()


def places():
    """Eight ranks reduce a hundred times in a loop and once at the end, and pairs of them in between."""
    program = Program(8)
    for line in program.lines:
        pair = int(line.split()[0]) // 2 * 2
        program.lines[program.lines.index(line)] = f"{line} create:{pair},{pair + 1}"
    for i in range(101):
        for rank in range(8):
            program.compute(rank, 1)
        program.barrier(f"MPI_Allreduce coll:ALLREDUCE site:{'loop.c:7' if i < 100 else 'end.c:9'}")
    for rank in range(8):
        pair = rank // 2 * 2
        program.call(rank, 0, f"MPI_Allreduce coll:ALLREDUCE::{pair},{pair + 1} site:end.c:10")
    program.print()


def windows():
    """Barriers beside one-sided communication."""
    program = Program(2)
    program.compute(0, 50)
    program.barrier()
    program.call(0, 0, "MPI_Win_flush")
    program.print()


def chatter():
    """Two ranks that compute for 10 ms and send each other messages, ten times."""
    program = Program(2)
    for _ in range(10):
        for sender in (0, 1):
            program.compute(0, 10)
            program.compute(1, 10)
            program.message(sender, 1 - sender)
    program.print()


def pause():
    """Two ranks that meet ten times; recording is off for 2 ms of 102."""
    program = Program(2)
    for i in range(10):
        for rank in (0, 1):
            program.compute(rank, 10)
        program.barrier()
        if i == 5:
            program.lines[-2:] = [f"{line} off:{2 * MS}" for line in program.lines[-2:]]
            program.now = [now + 2 * MS for now in program.now]
    program.print()


def files(share=4):
    """Two ranks that write a file ten times, for a fifth of their time, and meet after it."""
    program = Program(2)
    for _ in range(10):
        for rank in (0, 1):
            program.compute(rank, share)
            program.call(rank, program.now[rank] + MS, "MPI_File_write_at")
        program.barrier()
    program.print()


def writes():
    """As files, but for a twentieth of their time."""
    files(19)


def lost():
    """A message that nobody receives."""
    program = Program(2)
    program.compute(0, 50)
    program.barrier()
    program.call(0, 0, "MPI_Send send:1:0:8")
    program.print()


def busy():
    """One rank asks what time it is every 1.5 us, and recording that takes some of the time."""
    program = Program(2)
    for _ in range(20000):
        program.compute(0, 0.0015)
        program.call(0, 0, "MPI_Comm_rank")
    program.barrier()
    program.print()


def sizes():
    """As deferred, twenty times in turns, of which one message has 16 bytes and the others 8."""
    program = Program(2)
    for i in range(20):
        size = 16 if i == 10 else 8
        program.call(0, 0, f"MPI_Isend isend:1:0:{i}:{size}")
        program.call(1, 0, f"MPI_Irecv post:{i}")
        program.compute(1, 10)
        program.call(1, 0, f"MPI_Wait irecv:0:0:{i}:{size}")
        program.call(0, program.now[1], f"MPI_Wait isent:{i}")
        program.compute(0, 10)
        program.barrier()
    program.print()


def quote():
    """As turns, at a call site that a shell must not read as words."""
    program = Program(2)
    for i in range(10):
        program.compute(i % 2, 10)
        program.compute(1 - i % 2, 6)
        program.barrier("MPI_Barrier coll:BARRIER site:it's;echo${IFS}read>shell;'.c:1")
    program.print()


def flight():
    """Two ranks that complete the messages of an iteration in the next one, after they have posted its own."""
    program = Program(2)
    for i in range(41):
        for rank in (0, 1):
            if i:
                program.compute(rank, 10)
            if i < 40:
                program.call(rank, 0, f"MPI_Irecv post:{i}")
        for rank in (0, 1):
            if i < 40:
                program.call(rank, 0, f"MPI_Isend isend:{1 - rank}:0:{1000 + i}")
            if i:
                program.call(rank, 0, f"MPI_Wait irecv:{1 - rank}:0:{i - 1}")
                program.call(rank, 0, f"MPI_Wait isent:{1000 + i - 1}")
    program.print()


def laps():
    """Two ranks with other work in each of thirty iterations, twice as much on the second one."""
    program = Program(2)
    for i in range(30):
        for rank in (0, 1):
            program.compute(rank, (1 + rank) * (10 + i * 7 % 5 / 10))
        program.barrier()
        program.barrier("MPI_Allreduce coll:ALLREDUCE")
    program.print()


def large():
    """Eight ranks that reduce at several sites and gather, often, for the benchmark: 10^6 operations."""
    program = Program(8)
    for step in range(2900):
        for line in range(1, 5):
            for rank in range(8):
                program.compute(rank, 1 + (rank * 7 + step * 3 + line) % 5 / 10)
            program.barrier(f"MPI_Allreduce coll:ALLREDUCE site:solve.c:{line}")
        program.barrier("MPI_Allgather coll:ALLGATHER site:step.c:1")
        program.barrier("MPI_Allgather coll:ALLGATHER site:step.c:2")
        program.barrier("MPI_Barrier coll:BARRIER site:step.c:3")
    program.print()


def check(path, *wanted):
    with open(path) as file:
        found = json.load(file)
    rows = {row["change"]: row for row in found["changes"]}
    for text in wanted:
        name, value = text.split("=", 1)
        change, key = name.rsplit(":", 1) if ":" in name else (None, name)
        if value == "absent":
            assert name not in rows, name
            continue
        is_ = (rows[change] if change else found)[key]
        if value.startswith("<"):
            assert is_ < float(value[1:]), f"{name} is {is_}"
            continue
        same = is_ is None if value == "null" else str(is_) == value if isinstance(is_, (str, bool)) else abs(is_ - float(value)) < 1e-9
        assert same, f"{name} is {is_}, not {value}"


def estimate(path, said):
    """Gains have the limits that follow from how far T may be off, as schedgen has said."""
    with open(path) as file:
        found = json.load(file)
    with open(said) as file:
        number, unit = re.search("T is that of the run within (\\S+) (\\S+) by estimate", file.read()).groups()
    off = 2 * float(number) * {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}[unit] / found["runtime_ns"]
    rows = [row for row in found["changes"] if row["gain_then"] is not None and not row["replaced"]]
    assert off > 0 and [row for row in rows if row["gain_then"] > 0]
    for row in rows:
        if row["kind"] == "network":
            continue
        assert abs(row["gain_low"] - (row["gain_then"] - off)) < 1e-9, row
        assert abs(row["gain_high"] - (row["gain_then"] + off)) < 1e-9, row
        assert row["step"] is None or row["gain_low"] > 0, row


def commands(path):
    with open(path) as file:
        rows = json.load(file)["changes"]
    assert rows
    for row in (row for row in rows if row["check"]):
        printed = subprocess.run(row["check"] + " --format json 2>/dev/null", shell=True, check=True, stdout=subprocess.PIPE).stdout
        found = json.loads(printed)["runtime_ns"]
        assert abs(found - row["runtime_ns"]) < 1e-6, f"{row['check']}: {found}, not {row['runtime_ns']}"


if sys.argv[1] in ("check", "commands", "estimate"):
    globals()[sys.argv[1]](*sys.argv[2:])
else:
    globals()[sys.argv[1]]()
