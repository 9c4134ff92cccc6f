#!/usr/bin/python3
"""Write an OTF2 archive like those of Score-P of two ranks with OpenMP: make_trace.py FOLDER RANK...

Each RANK is Python, a list of threads, the first one is the master. A thread is a list of (from, to, region) in us since
MPI_Init; regions are those below. MPI_Finalize of the master begins at 10 us, and MPI calls communicate nothing.
"""
import ast
import sys

import otf2
from otf2.enums import CommFlag, GroupFlag, GroupType, Paradigm, RegionRole

REGIONS = {
    "MPI_Init": (RegionRole.FUNCTION, Paradigm.MPI),
    "MPI_Finalize": (RegionRole.FUNCTION, Paradigm.MPI),
    "MPI_Barrier": (RegionRole.BARRIER, Paradigm.MPI),
    "parallel": (RegionRole.PARALLEL, Paradigm.OPENMP),
    "loop": (RegionRole.LOOP, Paradigm.OPENMP),
    "barrier": (RegionRole.IMPLICIT_BARRIER, Paradigm.OPENMP),
    "task": (RegionRole.TASK, Paradigm.OPENMP),
    "taskwait": (RegionRole.TASK_WAIT, Paradigm.OPENMP),
    "critical": (RegionRole.CRITICAL, Paradigm.OPENMP),
    "inside": (RegionRole.CRITICAL_SBLOCK, Paradigm.OPENMP),
}
BEGIN_NS = 100

with otf2.writer.open(sys.argv[1], timer_resolution=1000000000) as trace:
    definitions = trace.definitions
    machine = definitions.system_tree_node("machine")
    ranks = [ast.literal_eval(text) for text in sys.argv[2:]]
    groups = [definitions.location_group(f"MPI Rank {rank}", system_tree_parent=machine) for rank in range(len(ranks))]
    masters = [definitions.location("Master thread", group=group) for group in groups]
    definitions.group("", GroupType.COMM_LOCATIONS, Paradigm.MPI, GroupFlag.NONE, masters)
    world = definitions.group("world", GroupType.COMM_GROUP, Paradigm.MPI, GroupFlag.NONE, masters)
    definitions.comm("MPI_COMM_WORLD", world, flags=CommFlag.NONE)
    regions = {name: definitions.region(name, source_file="", region_role=role, paradigm=paradigm)
               for name, (role, paradigm) in REGIONS.items()}
    for rank, threads in enumerate(ranks):
        for number, spans in enumerate(threads):
            location = masters[rank] if number == 0 else definitions.location(f"OMP thread {number}", group=groups[rank])
            writer = trace.event_writer_from_location(location)
            if number == 0:
                writer.enter(0, regions["MPI_Init"])
                writer.leave(BEGIN_NS, regions["MPI_Init"])
            # Regions that begin at once are given from the outside to the inside.
            open_spans = []
            for begin, end, name in spans + [(10, 10, None)]:
                while open_spans and open_spans[-1][0] <= begin:
                    until, last = open_spans.pop()
                    writer.leave(BEGIN_NS + int(1000 * until), regions[last])
                if name:
                    writer.enter(BEGIN_NS + int(1000 * begin), regions[name])
                    open_spans.append((end, name))
            if number == 0:
                writer.enter(BEGIN_NS + 10000, regions["MPI_Finalize"])
                writer.leave(BEGIN_NS + 10010, regions["MPI_Finalize"])
