"""Write an OTF2 archive with regions below MPI: make_run.py FOLDER [without]

Rank 0 posts a receive, computes and waits; in MPI_Wait polls find the message that rank 1 has begun to send before.  A
thread of rank 0 calls no function of MPI and polls.  Times are in microseconds.  With "without", there are the calls of MPI only.
"""
import sys

import otf2
from otf2.enums import CommFlag, GroupFlag, GroupType, Paradigm, RegionRole, Type

WITHOUT = len(sys.argv) > 2
NOTHING = "ucp_worker_progress (nothing)"
NAMES = "MPI_Init", "MPI_Irecv", "MPI_Wait", "MPI_Send", "MPI_Finalize"
BELOW = NOTHING, "ucp_worker_progress", "ucp_tag_send_nbx", "ucp_tag_recv_nbx", "ucp_rkey_destroy"

with otf2.writer.open(sys.argv[1], timer_resolution=10**6) as trace:
    definitions = trace.definitions
    machine = definitions.system_tree_node("machine")
    ranks = [definitions.location_group(f"MPI Rank {rank}", system_tree_parent=machine) for rank in range(2)]
    locations = [definitions.location("Master thread", group=rank) for rank in ranks]
    progress = locations[0] if WITHOUT else definitions.location("Thread 1", group=ranks[0])
    definitions.group("", GroupType.COMM_LOCATIONS, Paradigm.MPI, GroupFlag.NONE, locations)
    world = definitions.group("world", GroupType.COMM_GROUP, Paradigm.MPI, GroupFlag.NONE, locations)
    comm = definitions.comm("MPI_COMM_WORLD", world, flags=CommFlag.NONE)
    regions = {name: definitions.region(name, paradigm=Paradigm.MPI, region_role=RegionRole.FUNCTION) for name in NAMES}
    if not WITHOUT:
        regions |= {name: definitions.region(name, paradigm=Paradigm.USER, region_role=RegionRole.FUNCTION) for name in BELOW}
    polls, found, size = (definitions.attribute(name, "", Type.UINT64) for name in ("Polls", "Found", "Bytes"))
    first, second, thread = (trace.event_writer_from_location(location) for location in (*locations, progress))

    def call(writer, begin, end, name, inner=(), entered=None, left=None):
        writer.enter(begin, regions[name], attributes=entered)
        for record in inner:
            record()
        writer.leave(end, regions[name], attributes=left)

    def below(writer, begin, end, name, **attributes):
        return lambda: WITHOUT or call(writer, begin, end, name, **attributes)

    for writer in (first, second):
        call(writer, 10, 1000, "MPI_Init")
    call(first, 1100, 1120, "MPI_Irecv", [below(first, 1105, 1110, "ucp_tag_recv_nbx", entered={size: 4096}),
                                          lambda: first.mpi_irecv_request(1120, 1)])
    call(first, 3100, 4000, "MPI_Wait", [
        below(first, 3110, 3300, "ucp_worker_progress", left={found: 2}), below(first, 3310, 3600, NOTHING, left={polls: 77}),
        below(first, 3610, 3990, "ucp_worker_progress", left={found: 1},
              inner=[below(first, 3700, 3800, "ucp_rkey_destroy")]),
        lambda: first.mpi_irecv(4000, 1, comm, 1, 4096, 1)])
    call(second, 1150, 4100, "MPI_Send", [
        lambda: second.mpi_send(1150, 0, comm, 1, 4096), below(second, 1160, 1200, "ucp_tag_send_nbx", entered={size: 4096}),
        below(second, 1210, 3300, NOTHING, left={polls: 999}), below(second, 3310, 4090, "ucp_worker_progress", left={found: 3})])
    below(thread, 1500, 2000, NOTHING, left={polls: 5})()
    for writer in (first, second):
        call(writer, 5000, 5100, "MPI_Finalize")
