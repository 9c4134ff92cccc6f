#!/usr/bin/python3
"""Write an OTF2 archive whose call sites are not those of any program: make_trace.py FOLDER [SITE]..."""
import sys

import otf2
from otf2.enums import CommFlag, GroupFlag, GroupType, Paradigm, RegionRole, Type

SITES = sys.argv[2:] or [
    "</script><script>alert(1)</script>",
    "/p/<img src=x onerror=alert(1)>+0x10",
    'a"b\\c\x1b[31m\n,x',
    "/nowhere/'quoted',\"both\"+0x7",
    "+0x1",
    "",
    "/a/b/",
    "+0xffffffffffffffff1",
    "/etc+0x1",
    "/dev/zero+0x1",
    "/etc/passwd+0x5[ab]",
    "/etc/passwd+0x5[zz]",
    "long" * 3000 + "+0x1",
]

with otf2.writer.open(sys.argv[1], timer_resolution=1000000000) as trace:
    definitions = trace.definitions
    attribute = definitions.attribute("CallSite", "where the program made the call", Type.STRING)
    machine = definitions.system_tree_node("machine")
    locations = []
    for rank in range(2):
        group = definitions.location_group(f"MPI Rank {rank}", system_tree_parent=machine)
        locations.append(definitions.location("Master thread", group=group))
    definitions.group("", GroupType.COMM_LOCATIONS, Paradigm.MPI, GroupFlag.NONE, locations)
    group = definitions.group("world", GroupType.COMM_GROUP, Paradigm.MPI, GroupFlag.NONE, locations)
    comm = definitions.comm("MPI_COMM_WORLD", group, flags=CommFlag.NONE)
    regions = {name: definitions.region(name, source_file="", region_role=RegionRole.POINT2POINT, paradigm=Paradigm.MPI)
               for name in ("MPI_Init", "MPI_Send", "MPI_Recv", "MPI_Finalize")}
    for rank, location in enumerate(locations):
        writer = trace.event_writer_from_location(location)
        writer.enter(0, regions["MPI_Init"])
        writer.leave(100, regions["MPI_Init"])
        for i in range(2 * len(SITES)):
            site = {attribute: SITES[(i + rank) % len(SITES)]}
            time = 1000 * (i + 1)
            if rank == 0:
                writer.enter(time + 500, regions["MPI_Send"], attributes=site)
                writer.mpi_send(time + 500, 1, comm, 5, 8)
                writer.leave(time + 600, regions["MPI_Send"])
            else:
                writer.enter(time, regions["MPI_Recv"], attributes=site)
                writer.mpi_recv(time + 650, 0, comm, 5, 8)
                writer.leave(time + 650, regions["MPI_Recv"])
        writer.enter(100000, regions["MPI_Finalize"])
        writer.leave(100010, regions["MPI_Finalize"])
