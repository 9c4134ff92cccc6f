#!/usr/bin/python3
"""The page of critpath view, decoded by the description in critpath/view/view_calls.h.

page.py whole PAGE		it is one well-formed file that asks for nothing
page.py path PAGE PATH.json	its critical path is that of `critpath path --format json`
page.py calls PAGE ARCHIVE	its calls are those of the archive
page.py tell PAGE		print waits, collectives and messages of the calls
"""
import base64
import html.parser
import json
import sys

EMPTY = {"meta", "link", "br", "img", "input"}


class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.open, self.tags, self.scripts, self.links, self.faults = [], [], {}, [], []
        with open(path, encoding="utf-8") as file:
            self.feed(file.read())
        self.faults += [f"<{tag}> is not closed" for tag in self.open]
        self.run = json.loads(self.scripts["run"])

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.tags.append(tag)
        self.links += [value for name, value in attributes.items() if name in ("href", "src", "srcset", "action")]
        if tag == "script":
            self.script = attributes.get("id", "code")
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"</{tag}> has no begin")

    def handle_data(self, data):
        if self.open and self.open[-1] == "script":
            self.scripts[self.script] = self.scripts.get(self.script, "") + data


def numbers(text):
    """Varints of a packed text."""
    value = place = 0
    for byte in base64.b64decode(text, validate=True):
        value |= (byte & 127) << place
        place += 7
        if byte < 128:
            yield value
            value = place = 0


def unfold(number):
    return number >> 1 if number % 2 == 0 else -(number + 1 >> 1)


def path(page):
    """Segments as (start, end, row, category, call)."""
    packed = numbers(page.scripts["path"])
    end = row = call = 0
    for _ in range(next(packed)):
        start = end + next(packed)
        end = start + next(packed)
        category = page.run["categories"][next(packed)]
        row += unfold(next(packed))
        call += unfold(next(packed))
        yield start, end, row, category, call
    if next(packed, None) is not None:
        sys.exit("the path has more than its segments")


def read_call(packed, run, rank, threads, last):
    """Read a call; last is what the call before it in the row had: (end, number, collective)."""
    head = next(packed)
    begin = last[0] + unfold(next(packed))
    end = begin + next(packed)
    number = last[1] + (next(packed) if threads > 1 or run["part"] else 1)
    wait = instance = None
    messages = []
    if head & 1:
        ns, kind, other, call = (next(packed) for _ in range(4))
        wait = ns, run["waits"][kind], rank + unfold(other), number + unfold(call)
    if head & 2:
        instance = last[2] + unfold(next(packed)), next(packed)
    for _ in range(next(packed) if head & 4 else 0):
        what, size, tag, comm = (next(packed) for _ in range(4))
        messages.append((what & 1, what >> 1 & 1, rank + unfold(what >> 2), size, tag, run["communicators"][comm]))
    return begin, end, number, run["functions"][str(head >> 3)], wait, instance, messages


def calls(page):
    """Calls as (rank, thread, read_call)."""
    packed = numbers(page.scripts["calls"])
    for rank, threads in enumerate(page.run["threads"]):
        for thread in range(threads):
            last = 0, 0 if threads > 1 or page.run["part"] else -1, 0
            for _ in range(next(packed)):
                call = read_call(packed, page.run, rank, threads, last)
                last = call[1], call[2], call[5][0] if call[5] else last[2]
                yield rank, thread, call
    if next(packed, None) is not None:
        sys.exit("there is more than the calls")


def collectives(page):
    packed = numbers(page.scripts["collectives"])
    last = 0
    for _ in range(next(packed)):
        last += unfold(next(packed))
        yield last, last + unfold(next(packed)), next(packed), page.run["communicators"][next(packed)]


def whole(page):
    faults = page.faults + [f"it links to {link[:60]}" for link in page.links if not link.startswith(("data:", "#"))]
    faults += [f"there is no <{tag}>" for tag in ("noscript", "table", "title") if tag not in page.tags]
    faults += [f"there is {text}" for text in ("http:", "https:", "fetch(", "import ", "url(") if any(
        text in script for script in page.scripts.values())]
    return faults + [f"{name} is missing" for name in ("run", "path", "code") if name not in page.scripts]


def same_path(page, file):
    rows = [(rank, thread) for rank, threads in enumerate(page.run["threads"]) for thread in range(threads)]
    shown = [(start, end, rows[row][0], category, call or None) for start, end, row, category, call in path(page)]
    with open(file) as opened:
        wanted = [(row["start_ns"], row["end_ns"], row["rank"], row["category"], row.get("call"))
                  for row in json.load(opened)["segments"]]
    return [] if shown == wanted and shown else [f"{shown}\ninstead of\n{wanted}"]


def same_calls(page, folder):
    import otf2
    open_calls, wanted, begins = {}, [], []
    with otf2.reader.open(folder + "/traces.otf2") as trace:
        for location, event in trace.events:
            rank, thread = int(location.group.name.split()[-1]), int(location.name.split()[-1]) if "Thread" in location.name else 0
            if isinstance(event, otf2.events.Enter):
                open_calls[location] = event.time
            elif isinstance(event, otf2.events.Leave):
                wanted.append((rank, thread, event.region.name, open_calls.pop(location), event.time))
                if event.region.name == "MPI_Init":
                    begins.append(event.time)
    shown = [(rank, thread, call[3], call[0] + min(begins), call[1] + min(begins)) for rank, thread, call in calls(page)]
    return [] if sorted(shown) == sorted(wanted) and shown else [f"{sorted(shown)}\ninstead of\n{sorted(wanted)}"]


def tell(page):
    instances = list(collectives(page))
    for rank, thread, (begin, end, number, function, wait, instance, messages) in calls(page):
        parts = [f"{rank}.{thread} call {number + 1} {function} {begin}-{end}"]
        if wait:
            parts.append(f"waits {wait[0]} ({wait[1]}) for {wait[2]} call {wait[3] + 1}")
        if instance:
            last, first, members, comm = instances[instance[0]]
            parts.append(f"{comm} of {members}, {instance[1]} bytes, last begin {last}, first end {first}")
        parts += [f"{'receives' if receives else 'sends'} {size} tag {tag} {comm} {'from' if receives else 'to'} {peer}"
                  + ("" if matched else " alone") for receives, matched, peer, size, tag, comm in messages]
        print(", ".join(parts))
    return []


def main():
    what, page = sys.argv[1], Page(sys.argv[2])
    faults = {"whole": whole, "path": same_path, "calls": same_calls, "tell": tell}[what](page, *sys.argv[3:])
    for fault in faults:
        print(fault)
    sys.exit(1 if faults else 0)


main()
