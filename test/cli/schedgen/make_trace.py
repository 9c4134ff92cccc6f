#!/usr/bin/python3
"""Write a small OTF2 archive: make_trace.py FOLDER [unmatched|unsent]

Two ranks.  Each computes, rank 0 sends 100 bytes to rank 1 and 200 on the
communicator "turned" {1, 0}; both call MPI_Win_fence, which is not modelled,
and reduce 8 bytes.  With "unmatched", rank 1 does not receive the first message, with "unsent", rank 0 does not send it.
"""
import sys

import otf2
from otf2.enums import CollectiveOp, CommFlag, GroupFlag, GroupType, Paradigm, RegionRole


def define(trace):
    definitions = trace.definitions
    machine = definitions.system_tree_node("machine")
    locations = []
    for rank in range(2):
        group = definitions.location_group(f"MPI Rank {rank}", system_tree_parent=machine)
        locations.append(definitions.location("Master thread", group=group))
    definitions.group("", GroupType.COMM_LOCATIONS, Paradigm.MPI, GroupFlag.NONE, locations)
    comms = []
    for name, members in (("MPI_COMM_WORLD", locations), ("turned", locations[::-1])):
        group = definitions.group(name, GroupType.COMM_GROUP, Paradigm.MPI, GroupFlag.NONE, members)
        comms.append(definitions.comm(name, group, flags=CommFlag.NONE))
    return [trace.event_writer_from_location(location) for location in locations], comms


def main():
    folder = sys.argv[1]
    unmatched = sys.argv[2:] == ["unmatched"]
    unsent = sys.argv[2:] == ["unsent"]
    with otf2.writer.open(folder, timer_resolution=10**9) as trace:
        writers, (world, turned) = define(trace)
        regions = {}

        def call(rank, enter, leave, name, *records):
            if name not in regions:
                regions[name] = trace.definitions.region("MPI_" + name, paradigm=Paradigm.MPI,
                                                         region_role=RegionRole.FUNCTION)
            writers[rank].enter(enter, regions[name])
            for record, *arguments in records:
                getattr(writers[rank], record)(leave, *arguments)
            writers[rank].leave(leave, regions[name])

        call(0, 100, 1000, "Init")
        call(0, 2000, 2500, "Send", *([] if unsent else [("mpi_send", 1, world, 7, 100)]))
        call(0, 2600, 3000, "Send", ("mpi_send", 0, turned, 7, 200))
        call(0, 3100, 3150, "Comm_rank")
        call(1, 100, 1100, "Init")
        call(1, 1500, 3200, "Recv", *([] if unmatched else [("mpi_recv", 0, world, 7, 100)]))
        call(1, 3300, 3500, "Recv", ("mpi_recv", 1, turned, 7, 200))
        for rank in range(2):
            call(rank, 4000, 4500, "Win_fence")
            call(rank, 5000, 5500, "Allreduce", ("mpi_collective_begin",),
                 ("mpi_collective_end", CollectiveOp.ALLREDUCE, world, 2**32 - 1, 16, 16))
            call(rank, 6000, 6500, "Finalize")


main()
