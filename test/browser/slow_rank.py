"""Write an OTF2 archive: slow_rank.py FOLDER

Eight ranks send 64 bytes around a ring twenty times, with an allreduce after each four.  Rank 3 computes three times as
long as the others, so all wait for it.
"""
import random
import sys

import otf2
from otf2.enums import CollectiveOp, CommFlag, GroupFlag, GroupType, Paradigm, RegionRole

RANKS, ROUNDS, SLOW = 8, 20, 3
NAMES = "Init", "Send", "Recv", "Allreduce", "Finalize"


def define(trace):
    definitions = trace.definitions
    machine = definitions.system_tree_node("machine")
    locations = [definitions.location("Master thread", group=definitions.location_group(
        f"MPI Rank {rank}", system_tree_parent=machine)) for rank in range(RANKS)]
    definitions.group("", GroupType.COMM_LOCATIONS, Paradigm.MPI, GroupFlag.NONE, locations)
    group = definitions.group("world", GroupType.COMM_GROUP, Paradigm.MPI, GroupFlag.NONE, locations)
    regions = {name: definitions.region("MPI_" + name, paradigm=Paradigm.MPI, region_role=RegionRole.FUNCTION)
               for name in NAMES}
    return ([trace.event_writer_from_location(location) for location in locations],
            definitions.comm("MPI_COMM_WORLD", group, flags=CommFlag.NONE), regions)


def main():
    numbers = random.Random(1)
    with otf2.writer.open(sys.argv[1], timer_resolution=10**9) as trace:
        writers, comm, regions = define(trace)
        times = [1000] * RANKS

        def call(rank, enter, leave, name, *records):
            writers[rank].enter(enter, regions[name])
            for record, *arguments in records:
                getattr(writers[rank], record)(leave, *arguments)
            writers[rank].leave(leave, regions[name])
            times[rank] = leave

        for rank in range(RANKS):
            call(rank, 100, 1000, "Init")
        for number in range(ROUNDS):
            sent = [time + numbers.randrange(1500, 2500) * (3 if rank == SLOW else 1) for rank, time in enumerate(times)]
            for rank in range(RANKS):
                call(rank, sent[rank], sent[rank] + 200, "Send", ("mpi_send", (rank + 1) % RANKS, comm, 1, 64))
            for rank in range(RANKS):
                source = (rank - 1) % RANKS
                call(rank, sent[rank] + 250, max(sent[rank] + 250, sent[source]) + 400, "Recv",
                     ("mpi_recv", source, comm, 1, 64))
            if number % 4 == 3:
                begin, last = list(times), max(times) + 50
                for rank in range(RANKS):
                    call(rank, begin[rank] + 50, last + 600 + 20 * rank, "Allreduce", ("mpi_collective_begin",),
                         ("mpi_collective_end", CollectiveOp.ALLREDUCE, comm, 2**32 - 1, 16, 16))
        for rank in range(RANKS):
            call(rank, times[rank] + 100, times[rank] + 1000, "Finalize")


main()
