#!/usr/bin/python3
"""Checks of llamp timeline and critpath view, with a decoder of Perfetto's format of its own:

    timeline.py run PFTRACE JSON GOAL_JSON PATH_JSON   whole run: slices nest, as many arrows as messages, times of the path
    timeline.py same PFTRACE JSON                      both formats have the same slices and arrows
    timeline.py part PFTRACE WHOLE FROM TO RANKS       the part of the whole that was chosen; "-" for none
    timeline.py svg SVG PFTRACE                        the picture shows the same slices, to scale, and messages
    timeline.py recorded PFTRACE JSON [MESSAGES BYTES] critpath view: the same, with so many messages of so many bytes
    timeline.py messages PFTRACE                       print the messages of a recorded run by time
    timeline.py alone PFTRACE NAME                     slices of this name do not overlap in a rank
    timeline.py slices PFTRACE                         print all slices as "track | start end | name"
"""
import collections
import json
import sys
import xml.etree.ElementTree
from decimal import Decimal

Slice = collections.namedtuple("Slice", "number track depth start end name category arguments")
Arrow = collections.namedtuple("Arrow", "source target")


class Run:
    """tracks: number to path of names; slices in the order of their beginnings; arrows by id."""

    def __init__(self):
        self.tracks, self.slices, self.arrows = {}, [], collections.defaultdict(lambda: [None, None])

    def arrow(self, number, end, index):
        assert self.arrows[number][end] is None, f"arrow {number} has two ends of a kind"
        self.arrows[number][end] = index


# ------------------------------------------------------------------- Perfetto
# https://protobuf.dev/programming-guides/encoding/ and https://perfetto.dev/docs/reference/trace-packet-proto

def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 0x7f) << shift
        shift += 7
        at += 1
        if data[at - 1] < 0x80:
            return value, at


def fields(data):
    """[(number, value)] of a message; bytes for a field with a length."""
    at, found = 0, []
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        elif key & 7 == 1:
            value, at = int.from_bytes(data[at:at + 8], "little"), at + 8
        else:
            assert key & 7 == 2, f"type {key & 7}"
            count, at = varint(data, at)
            value, at = data[at:at + count], at + count
            assert len(value) == count, "a field ends behind its message"
        found.append((key >> 3, value))
    return found


def one(data):
    found = fields(data)
    assert len(dict(found)) == len(found), "a field is there twice"
    return dict(found)


def read_descriptor(run, message, ranks):
    track = one(message)
    parent = track.get(5)
    assert track[1] not in run.tracks and track[1] != 0
    assert track[11] == 3, "children are in the order of their ranks"
    order = (parent, track[12])
    assert order not in ranks, "two children have the same place"
    ranks.add(order)
    above = run.tracks[parent] if parent is not None else ()
    run.tracks[track[1]] = above + (track[2].decode(),)


class Texts:
    CATEGORY, NAME, ARGUMENT = 1, 2, 3

    def __init__(self):
        self.of = {}

    def read(self, message):
        for table, entry in fields(message):
            entry = one(entry)
            assert table in (1, 2, 3) and (table, entry[1]) not in self.of and entry[1] > 0
            self.of[table, entry[1]] = entry[2].decode()


def read_event(event, texts):
    """(type, track, name, category, arguments, arrow ends) of a TrackEvent."""
    known = {number: value for number, value in event if number != 4}
    arguments = {}
    for number, value in event:
        if number == 4:
            value = one(value)
            name = texts.of[Texts.ARGUMENT, value[1]]
            assert name not in arguments
            arguments[name] = value[6].decode() if 6 in value else value[3]
    name = texts.of[Texts.NAME, known[10]] if 10 in known else None
    category = texts.of[Texts.CATEGORY, known[3]] if 3 in known else None
    assert set(known) <= {3, 9, 10, 11, 47, 48}
    return known[9], known[11], name, category, arguments, [known.get(47), known.get(48)]


def read_perfetto(path):
    with open(path, "rb") as file:
        data = file.read()
    run, texts, ranks, opened = Run(), Texts(), set(), collections.defaultdict(list)
    timed = []
    for number, (field, packet) in enumerate(fields(data)):
        assert field == 1, "a trace has nothing but packets"
        packet = one(packet)
        assert packet[10] == 1, "all packets are one sequence"
        assert number > 0 or packet[13] == 1, "the first packet begins the texts"
        if 60 in packet:
            read_descriptor(run, packet[60], ranks)
        elif 12 in packet:
            texts.read(packet[12])
        else:
            assert packet[13] == 2, "an event needs texts"
            timed.append((packet[8], read_event(fields(packet[11]), texts)))
    timed.sort(key=lambda event: event[0])      # stable, as Perfetto sorts
    for time, (kind, track, name, category, arguments, ends) in timed:
        assert track in run.tracks, "an event has a track"
        stack = opened[track]
        if kind == 2:
            index = stack.pop()
            run.slices[index] = run.slices[index]._replace(end=time)
            continue
        assert kind == 1
        for end, arrow in enumerate(ends):
            if arrow is not None:
                run.arrow(arrow, end, len(run.slices))
        stack.append(len(run.slices))
        run.slices.append(Slice(track, run.tracks[track][1:], len(stack) - 1, time, None, name, category, arguments))
    assert not any(opened.values()), "a slice does not end"
    return run


# ----------------------------------------------------------------------- JSON

def ns(value):
    value *= 1000
    assert value == int(value), "times are whole ns"
    return int(value)


def read_chrome(path):
    with open(path, encoding="utf-8") as file:
        events = json.load(file, parse_float=Decimal, parse_int=Decimal)["traceEvents"]
    run, processes, threads, begun = Run(), {}, {}, {}
    for event in events:
        place = int(event["pid"]), int(event["tid"])
        if event["name"] == "process_name":
            processes[place[0]] = event["args"]["name"]
        elif event["name"] == "thread_name":
            threads[place] = event["args"]["name"]
        elif event["ph"] == "X":
            begun[place] = len(run.slices)
            track = (processes[place[0]],) + ((threads[place],) if threads[place] != processes[place[0]] else ())
            start = ns(event["ts"])
            arguments = {name: value if isinstance(value, str) else int(value)
                         for name, value in event.get("args", {}).items()}
            run.slices.append(Slice(None, track, None, start, start + ns(event["dur"]), event["name"], event.get("cat"),
                                    arguments))
        elif event["ph"] in "sf":
            run.arrow(int(event["id"]), event["ph"] == "f", begun[place])
            assert ns(event["ts"]) == run.slices[begun[place]].start
        else:
            assert event["ph"] == "M", event
    return run


# --------------------------------------------------------------------- checks

def nests(run):
    """Slices of a track contain each other or follow each other; an operation is never in another one."""
    stacks = collections.defaultdict(list)
    for slice_ in run.slices:
        assert slice_.start <= slice_.end
        stack = stacks[slice_.number]
        del stack[slice_.depth:]
        assert len(stack) == slice_.depth
        if stack:
            assert stack[-1].start <= slice_.start and slice_.end <= stack[-1].end, (stack[-1], slice_)
            inner = {"call": {"operation", "critical", "message", "wait"}, "operation": {"operation"}, "critical": {"critical"}}
            assert slice_.category in inner[stack[-1].category], (stack[-1], slice_)
            assert (slice_.name == "overhead") == (stack[-1].category != "call"), slice_
        stack.append(slice_)


def operations(run):
    """{(rank, operation): slice}"""
    found = {}
    for slice_ in run.slices:
        if slice_.track[0].startswith("rank ") and "operation" in slice_.arguments:
            key = int(slice_.track[0][5:]), slice_.arguments["operation"]
            assert key not in found, "an operation is there once"
            found[key] = slice_
    return found


def check_arrows(run):
    for number, (source, target) in run.arrows.items():
        assert source is not None and target is not None, f"arrow {number} has one end"
        source, target = run.slices[source], run.slices[target]
        assert source.start <= target.start, "a message does not go back in time"


def path_slices(run):
    return [slice_ for slice_ in run.slices if slice_.track == ("critical path",)]


def check_run(perfetto_path, chrome_path, goal_path, path_path):
    run = read_perfetto(perfetto_path)
    with open(goal_path, encoding="utf-8") as file:
        counts = json.load(file)
    with open(path_path, encoding="utf-8") as file:
        path = json.load(file, parse_float=Decimal, parse_int=Decimal)
    nests(run)
    check_arrows(run)
    same(perfetto_path, chrome_path)
    assert len(run.arrows) == counts["sends"], (len(run.arrows), counts)
    found = operations(run)
    kinds = collections.Counter(slice_.name.split(",")[0] for slice_ in found.values())
    assert kinds["send"] == kinds["recv"] == counts["sends"] and kinds["compute"] <= counts["calcs"], (kinds, counts)
    drawn = [(s.start, s.end, s.name, s.arguments["rank"], s.arguments["operation"]) for s in path_slices(run)]
    segments = [(int(s["start_ns"]), int(s["end_ns"]), s["category"], s["rank"], s["operation"])
                for s in path["segments"]]
    assert drawn == segments, (drawn[:5], segments[:5])
    assert max(s.end for s in run.slices) == int(path["runtime_ns"])
    marked = {key for key, slice_ in found.items() if slice_.name.endswith(", critical")}
    assert marked == {(s["rank"], s["operation"]) for s in path["segments"]} & set(found)
    assert marked == {key for key, slice_ in found.items() if slice_.category == "critical"}
    for (rank, operation), slice_ in found.items():
        if (rank, operation) in marked:
            assert any(s[0] <= slice_.end and s[1] >= slice_.start for s in segments)
    if "functions" in path:
        check_calls(run, path, found)


def check_calls(run, path, found):
    """The calls that llamp path names are slices with the same number."""
    calls = {(s.track[0], s.name, s.arguments["number"]) for s in run.slices if s.category == "call"}
    assert calls
    for segment in path["segments"]:
        if segment.get("function"):
            assert (f"rank {segment['rank']}", segment["function"], segment["call"]) in calls, segment


def same(perfetto_path, chrome_path):
    perfetto, chrome = read_perfetto(perfetto_path), read_chrome(chrome_path)

    def plain(run):
        ends = {}
        for arrow, pair in run.arrows.items():
            for end, index in enumerate(pair):
                if index is not None:
                    ends[index] = (arrow, end)
        return collections.Counter((s._replace(number=None, depth=None, arguments=tuple(s.arguments.items())), ends.get(i))
                                   for i, s in enumerate(run.slices))
    a, b = plain(perfetto), plain(chrome)
    assert a == b, (list((a - b).items())[:3], list((b - a).items())[:3])


def check_part(part_path, whole_path, start, end, ranks):
    part, whole = read_perfetto(part_path), read_perfetto(whole_path)
    start = int(start) if start != "-" else 0
    end = int(end) if end != "-" else 1 << 63
    ranks = set(json.loads(ranks)) if ranks != "-" else None

    def inside(slice_):
        return slice_.end >= start and slice_.start <= end

    nests(part)
    check_arrows(part)
    expected = {key: (s.start, s.end, s.name) for key, s in operations(whole).items()
                if inside(s) and (ranks is None or key[0] in ranks)}
    assert {key: (s.start, s.end, s.name) for key, s in operations(part).items()} == expected
    assert path_slices(part) == [s for s in path_slices(whole) if inside(s)]    # of all ranks

    def calls(run):
        return {(s.track[0], s.name, s.start, s.end, s.arguments["number"]) for s in run.slices if s.category == "call"
                and inside(s) and (ranks is None or int(s.track[0][5:]) in ranks)}
    assert calls(part) == calls(whole)
    count = 0
    for arrow in whole.arrows.values():
        # A receive may wait in the part and get its message after it.
        ends = [enclosing(whole, arrow[0]), whole.slices[arrow[1]]]
        count += all(inside(end) and (ranks is None or int(end.track[0][5:]) in ranks) for end in ends)
    assert len(part.arrows) == count, (len(part.arrows), count)
    print(len(part.slices), "slices,", count, "arrows")


def enclosing(run, index):
    """The operation of a slice: itself, or the one that an overhead is in."""
    track = run.slices[index].number
    while run.slices[index].name == "overhead" or run.slices[index].number != track:
        index -= 1
    return run.slices[index]


def print_slices(path):
    run = read_perfetto(path)
    for s in run.slices:
        print(" > ".join(s.track), "|", "  " * s.depth + f"{s.start} {s.end}", "|", s.name +
              "".join(f" {name}={value}" for name, value in s.arguments.items()))


def check_recorded(perfetto_path, chrome_path, count=None, size=None):
    run = read_perfetto(perfetto_path)
    nests(run)
    same(perfetto_path, chrome_path)
    total, ends = 0, 0
    for source, target in run.arrows.values():
        source, target = run.slices[source], run.slices[target]
        assert (source.name, target.name) == ("send", "receive")
        assert source.track[0] == f"rank {target.arguments['from']}" and target.track[0] == f"rank {source.arguments['to']}"
        for name in ("bytes", "tag", "communicator"):
            assert source.arguments[name] == target.arguments[name]
        total += source.arguments["bytes"]
        ends += 2
    assert ends == sum(s.category == "message" for s in run.slices) or count is None
    assert path_slices(run)
    for before, after in zip(path_slices(run), path_slices(run)[1:]):
        assert before.end == after.start, "the critical path has a gap"
    for s in run.slices:
        assert s.depth == (s.category in ("message", "wait")), s
    if count is not None:
        assert (len(run.arrows), total) == (int(count), int(size)), (len(run.arrows), total, count, size)


def print_messages(path):
    run = read_perfetto(path)
    ends = [[run.slices[index] for index in pair] for pair in run.arrows.values()]
    for send, receive in sorted(ends, key=lambda pair: (pair[0].start, pair[1].start)):
        what = send.arguments
        print(send.start, send.track[0], "to", receive.track[0],
              f"{receive.start}: {what['bytes']} bytes, tag {what['tag']}, {what['communicator']}")


SVG = "{http://www.w3.org/2000/svg}"


def check_svg(svg_path, perfetto_path):
    picture = xml.etree.ElementTree.parse(svg_path).getroot()
    run = read_perfetto(perfetto_path)
    drawn = [s for s in run.slices if s.track[0].startswith("rank ") and s.name != "overhead"]
    low, high = min(s.start for s in drawn), max(s.end for s in drawn)
    width = float(picture.get("viewBox").split()[2])
    clip = next(g for g in picture.iter(SVG + "g") if g.get("clip-path"))
    region = next(picture.iter(SVG + "clipPath")).find(SVG + "rect")
    left, extent = float(region.get("x")), float(region.get("width"))
    assert 0 < left and left + extent < width
    expected, found = collections.Counter(), collections.Counter()
    for s in drawn:
        x = [left + (time - low) / (high - low) * extent for time in (s.start, s.end)]
        what = f"call {s.arguments['number']}" if s.category == "call" else f"operation {s.arguments['operation']}"
        expected[s.track[0], what, round(x[0] * 2), round(x[1] * 2)] += 1
    for group in clip.findall(SVG + "g"):
        rank, what = group.find(SVG + "title").text.split("; ")[0].split(": ")
        bar = group.find(SVG + "rect")
        start = float(bar.get("x"))
        end = start + float(bar.get("width"))
        found[rank, what.split(", ")[-1], round(start * 2), round(end * 2)] += 1
    # Half pixels may be rounded either way.
    for (rank, what, start, end), count in (expected - found).items():
        assert any((rank, what, start + i, end + k) in found for i in (-1, 0, 1) for k in (-1, 0, 1)), (rank, what, start)
    assert sum(found.values()) == len(drawn)
    lines = collections.Counter(line.get("class") for line in clip.findall(SVG + "line"))
    own = [s for s in path_slices(run) if s.name not in ("latency", "bandwidth")]
    stretches = sum(any(o.arguments.get("operation") == s.arguments["operation"] and
                        o.track[0] == f"rank {s.arguments['rank']}" for o in drawn) for s in own)
    assert lines["tick"] + lines["path"] == len(run.arrows) + stretches, (lines, len(run.arrows), stretches)
    moving = [s for s in path_slices(run) if s.name == "latency"]
    assert bool(moving) <= (lines["path"] > stretches)
    for text in picture.iter(SVG + "text"):
        assert 0 <= float(text.get("x")) <= width and text.text


def check_alone(path, name):
    """Slices of this name do not overlap in a rank."""
    until = collections.Counter()
    for s in sorted(read_perfetto(path).slices, key=lambda s: s.start):
        if s.name.split(",")[0] == name:
            assert s.start >= until[s.track[0]], s
            until[s.track[0]] = s.end
    assert until


COMMANDS = {"run": check_run, "same": same, "part": check_part, "alone": check_alone, "svg": check_svg,
            "recorded": check_recorded, "messages": print_messages, "slices": print_slices}
if __name__ == "__main__":
    COMMANDS[sys.argv[1]](*sys.argv[2:])
