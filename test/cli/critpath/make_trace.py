#!/usr/bin/python3
"""Write a small OTF2 archive: make_trace.py FOLDER order|name|alone|clocks|meet

order	two ranks and a second thread; receives complete in another order than they were posted, one of
	them was cancelled, one has a wildcard, and the sizes of the messages tell which is which
name	a communicator whose name has quotes, a backslash and an escape sequence
alone	a send and a receive without partner
clocks	a message that arrives before it is sent
meet	collectives: an allreduce that one rank leaves late, a bcast that the root leaves early
"""
import sys

import otf2
from otf2.enums import CollectiveOp, CommFlag, GroupFlag, GroupType, Paradigm, RegionRole


class Archive:
    def __init__(self, trace, name):
        self.trace, self.definitions, self.regions = trace, trace.definitions, {}
        machine = self.definitions.system_tree_node("machine")
        locations, self.writers = [], []
        for rank in range(2):
            group = self.definitions.location_group(f"MPI Rank {rank}", system_tree_parent=machine)
            locations.append(self.definitions.location("Master thread", group=group))
            if rank == 0:
                self.second = self.definitions.location("Thread 1", group=group)
        self.writers = [trace.event_writer_from_location(location) for location in locations]
        self.definitions.group("", GroupType.COMM_LOCATIONS, Paradigm.MPI, GroupFlag.NONE, locations)
        group = self.definitions.group("world", GroupType.COMM_GROUP, Paradigm.MPI, GroupFlag.NONE, locations)
        self.comm = self.definitions.comm(name, group, flags=CommFlag.NONE)

    def call(self, writer, enter, leave, name, *records):
        if name not in self.regions:
            self.regions[name] = self.definitions.region("MPI_" + name, paradigm=Paradigm.MPI,
                                                         region_role=RegionRole.FUNCTION)
        writer.enter(enter, self.regions[name])
        for record, *arguments in records:
            getattr(writer, record)(leave, *arguments)
        writer.leave(leave, self.regions[name])


def order(archive):
    zero, one = archive.writers
    second = archive.trace.event_writer_from_location(archive.second)
    comm = archive.comm
    archive.call(zero, 100, 200, "Init")
    archive.call(one, 100, 200, "Init")
    archive.call(zero, 300, 310, "Isend", ("mpi_isend", 1, comm, 5, 10, 1))
    archive.call(zero, 320, 400, "Send", ("mpi_send", 1, comm, 5, 20))
    archive.call(second, 330, 420, "Send", ("mpi_send", 1, comm, 6, 40))
    archive.call(zero, 410, 450, "Send", ("mpi_send", 1, comm, 5, 30))
    archive.call(zero, 460, 500, "Wait", ("mpi_isend_complete", 1))
    archive.call(one, 300, 301, "Irecv", ("mpi_irecv_request", 1))
    archive.call(one, 310, 311, "Irecv", ("mpi_irecv_request", 2))
    archive.call(one, 312, 313, "Irecv", ("mpi_irecv_request", 3))
    archive.call(one, 320, 321, "Wait", ("mpi_request_cancelled", 1))
    archive.call(one, 330, 600, "Wait", ("mpi_irecv", 0, comm, 5, 20, 3))
    archive.call(one, 610, 700, "Wait", ("mpi_irecv", 0, comm, 5, 10, 2))
    archive.call(one, 710, 800, "Recv", ("mpi_recv", 0, comm, 6, 40))
    archive.call(one, 810, 900, "Recv", ("mpi_recv", 0, comm, 5, 30))
    for writer in archive.writers:
        archive.call(writer, 1000, 1100, "Finalize")


def exchange(archive, send, recv, sends=True, receives=True):
    zero, one = archive.writers
    for writer in archive.writers:
        archive.call(writer, 100, 200, "Init")
    archive.call(zero, send, send + 50, "Send", *([("mpi_send", 1, archive.comm, 7, 8)] if sends else []))
    archive.call(one, recv, recv + 50, "Recv", *([("mpi_recv", 0, archive.comm, 7, 8)] if receives else []))
    if not sends:
        archive.call(zero, send + 60, send + 70, "Send", ("mpi_send", 1, archive.comm, 9, 8))
    for writer in archive.writers:
        archive.call(writer, 1000, 1100, "Finalize")


def meet(archive):
    def part(rank, enter, leave, name, kind, root):
        archive.call(archive.writers[rank], enter, leave, name, ("mpi_collective_begin",),
                     ("mpi_collective_end", kind, archive.comm, root, 8, 8))

    for writer in archive.writers:
        archive.call(writer, 100, 200, "Init")
    part(0, 300, 500, "Allreduce", CollectiveOp.ALLREDUCE, 2**32 - 1)
    part(1, 400, 560, "Allreduce", CollectiveOp.ALLREDUCE, 2**32 - 1)
    part(0, 600, 620, "Bcast", CollectiveOp.BCAST, 0)
    part(1, 700, 750, "Bcast", CollectiveOp.BCAST, 0)
    for writer in archive.writers:
        archive.call(writer, 1000, 1100, "Finalize")


def main():
    folder, what = sys.argv[1:]
    name = 'a"b\\c\x1b[31m' if what == "name" else "MPI_COMM_WORLD"
    with otf2.writer.open(folder, timer_resolution=10**9) as trace:
        archive = Archive(trace, name)
        if what == "order":
            order(archive)
        elif what == "meet":
            meet(archive)
        elif what == "alone":
            exchange(archive, 300, 300, sends=False)
        elif what == "clocks":
            exchange(archive, 500, 300)
        else:
            exchange(archive, 300, 320)


main()
