#!/usr/bin/python3
"""Write an OTF2 archive from a list of calls: archive.py FOLDER [OPTION...] <CALLS

Each line of CALLS is a call: RANK ENTER LEAVE FUNCTION [EVENT...], with times in ns and events

    send:PEER:TAG  recv:PEER:TAG           messages of 8 bytes on MPI_COMM_WORLD
    isend:PEER:TAG:REQUEST  isent:REQUEST  post:REQUEST  irecv:PEER:TAG:REQUEST
                           ... of other sizes with :BYTES after PEER:TAG or PEER:TAG:REQUEST
    test:REQUEST           a test finds the request incomplete
    polls:NUMBER:SUM:LEAST the call stands for so many polls, with these times between them
    flush:NS               trace data are written for so long after the call
    coll:KIND[:ROOT[:RANK,RANK...]]        a collective, such as coll:BCAST:0, on MPI_COMM_WORLD or a communicator that was made
    create:RANK,RANK...                    a communicator of these ranks is made
    site:TEXT                              the call site
    in:NAME  out:NAME                      a region of the program is entered, or left, after the call
    off:NS                                 recording is switched off after the call, for so long

Options:

    --scale N            multiply all times by N
    --clock RANK=NS      the clock of the rank is late by so many ns, and the archive has the offset
    --wrong RANK=NS      ... and the archive does not have it
    --preempted RANK=COUNT/NS[/NS]   the rank was preempted so often in this time, as llamp-trace says it
    --node RANK=NUMBER   the rank is on a node of this number; without, all are on one
"""
import sys

import _otf2
import otf2
from otf2.enums import (CollectiveOp, CommFlag, GroupFlag, GroupType, MeasurementMode, Paradigm, RegionRole,
                        Type)

NO_ROOT = 2**32 - 1


def read_calls(lines):
    """[(rank, enter, leave, function, [event])]"""
    calls = []
    for line in lines:
        words = line.split("#")[0].split()
        if words:
            calls.append((int(words[0]), int(words[1]), int(words[2]), words[3], words[4:]))
    return calls


def write_event(writer, time, world, made, text):
    kind, *arguments = text.split(":")
    numbers = [int(word) for word in arguments if word.isdigit()]
    named = 3 if kind in ("isend", "irecv") else 2
    size = numbers[named] if len(numbers) > named else 8
    if kind == "send":
        writer.mpi_send(time, numbers[0], world, numbers[1], size)
    elif kind == "recv":
        writer.mpi_recv(time, numbers[0], world, numbers[1], size)
    elif kind == "isend":
        writer.mpi_isend(time, numbers[0], world, numbers[1], size, numbers[2])
    elif kind == "isent":
        writer.mpi_isend_complete(time, numbers[0])
    elif kind == "post":
        writer.mpi_irecv_request(time, numbers[0])
    elif kind == "irecv":
        writer.mpi_irecv(time, numbers[0], world, numbers[1], size, numbers[2])
    elif kind == "test":
        writer.mpi_request_test(time, numbers[0])
    elif kind == "flush":
        writer.buffer_flush(time, time + numbers[0])
    elif kind == "coll":
        writer.mpi_collective_begin(time)
        comm = made[arguments[2]] if len(arguments) > 2 else world
        writer.mpi_collective_end(time, getattr(CollectiveOp, arguments[0]), comm, numbers[0] if numbers else NO_ROOT, 8, 8)
    elif kind == "create":
        writer.comm_create(time, made[arguments[0]])
    else:
        sys.exit(f"unknown event {text}")


def site_of(definitions, events):
    """The attributes of the Enter of a call, as llamp-trace writes them."""
    for event in events:
        if event.startswith("site:"):
            return {definitions.attribute("CallSite", type=Type.STRING): event[5:]}
    return None


def attributes_of(definitions, events):
    """The attributes of the Leave of a call, as llamp-trace writes them."""
    names = ("Polls", "PollGaps", "LeastPollGap")
    for event in events:
        kind, *numbers = event.split(":")
        if kind == "polls":
            return {definitions.attribute(name, type=Type.UINT64): int(number) for name, number in zip(names, numbers)}
    return None


def write(folder, calls, scale=1, clocks=None, wrong=None, nodes=None, preempted=None):
    """Write the archive; clocks, wrong: {rank: ns}; nodes: {rank: number}; preempted: {rank: text}."""
    clocks, wrong, nodes = clocks or {}, wrong or {}, nodes or {}
    ranks = 1 + max(call[0] for call in calls)
    end = scale * max(call[2] for call in calls)
    with otf2.writer.open(folder, timer_resolution=10**9) as trace:
        definitions = trace.definitions
        machine = definitions.system_tree_node("machine")
        hosts = {number: definitions.system_tree_node(f"host{number}", "node", machine) for number in sorted(set(nodes.values()))}
        groups = [definitions.location_group(f"rank {rank}", system_tree_parent=hosts.get(nodes.get(rank), machine))
                  for rank in range(ranks)]
        for rank, text in (preempted or {}).items():
            definitions.location_group_property(groups[rank], "LLAMP::PREEMPTIONS", Type.STRING, text)
        locations = [definitions.location("thread", group=group) for group in groups]
        definitions.group("", GroupType.COMM_LOCATIONS, Paradigm.MPI, GroupFlag.NONE, locations)
        group = definitions.group("world", GroupType.COMM_GROUP, Paradigm.MPI, GroupFlag.NONE, locations)
        world = definitions.comm("MPI_COMM_WORLD", group, flags=CommFlag.NONE)
        writers = [trace.event_writer_from_location(location) for location in locations]
        regions, made = {}, {}
        for ranks_of in {text.split(":")[1] for call in calls for text in call[4] if text.startswith("create:")}:
            members = definitions.group(ranks_of, GroupType.COMM_GROUP, Paradigm.MPI, GroupFlag.NONE,
                                        [locations[int(rank)] for rank in ranks_of.split(",")])
            made[ranks_of] = definitions.comm(ranks_of, members, parent=world, flags=CommFlag.NONE)
        for rank, enter, leave, function, events in calls:
            late = clocks.get(rank, 0) + wrong.get(rank, 0)
            if function not in regions:
                regions[function] = definitions.region(function, paradigm=Paradigm.MPI,
                                                       region_role=RegionRole.FUNCTION)
            writers[rank].enter(scale * enter - late, regions[function], site_of(definitions, events))
            for event in (event for event in events if not event.startswith(("polls:", "off:", "site:", "in:", "out:"))):
                write_event(writers[rank], scale * (enter if event.startswith(("send", "isend:")) else leave) - late,
                            world, made, event)
            writers[rank].leave(scale * leave - late, regions[function], attributes_of(definitions, events))
            for kind, name in (event.split(":", 1) for event in events if event.startswith(("in:", "out:"))):
                if name not in regions:
                    regions[name] = definitions.region(name, paradigm=Paradigm.USER, region_role=RegionRole.FUNCTION)
                (writers[rank].enter if kind == "in" else writers[rank].leave)(scale * leave - late, regions[name])
            for gap in (int(event[4:]) for event in events if event.startswith("off:")):
                writers[rank].measurement_on_off(scale * leave - late, MeasurementMode.OFF)
                writers[rank].measurement_on_off(scale * (leave + gap) - late, MeasurementMode.ON)
        for rank, late in clocks.items():
            for time in (0, end):
                _otf2.DefWriter_WriteClockOffset(writers[rank]._def_handle, time, late, 0.0)


def main():
    folder, options = sys.argv[1], sys.argv[2:]
    scale, clocks = 1, {"--clock": {}, "--wrong": {}, "--node": {}, "--preempted": {}}
    for name, value in zip(options[::2], options[1::2]):
        if name == "--scale":
            scale = int(value)
        else:
            rank, late = value.split("=")
            clocks[name][int(rank)] = late if name == "--preempted" else int(late)
    write(folder, read_calls(sys.stdin), scale, clocks["--clock"], clocks["--wrong"], clocks["--node"], clocks["--preempted"])


if __name__ == "__main__":
    main()
