#!/usr/bin/python3
"""The page of llamp-measure report in a browser: on a wide screen, on a phone and printed, light and dark.

Cells have the colours of their ratios, the same in light and dark, and a reader who points at one is told its numbers.
"""
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import zlib

sys.dont_write_bytecode = True
from layout import check_page, report, test

SOURCE = os.environ["SOURCE"]
FILES = os.path.join(SOURCE, "test/cli/llamp_measure_report")
COLOURS = {0: (0, 0, 0), 1: (0xd3, 0x1f, 0x24), 2: (0xff, 0xf3, 0x4d)}
SIZES = [64 * round(16 * 2 ** (step / 2)) for step in range(31)]
TIMES = [1000 * 2 ** (step / 2) for step in range(29)]
UNITS = {"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9, "B": 1, "KiB": 2**10, "MiB": 2**20, None: 1}


def run(*command):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def ratio_of(bench, size, time):
    """0 for small messages, 1 below and 2 above T_comm for large ones; noncontig is the other way round."""
    if size < 65536:
        return 0
    return 2 if (time > comm_of(size)) == (bench != "noncontig") else 1


def comm_of(size):
    return 2000 + size / 10


def spread(value):
    return [50] + 9 * [value]


def write_full(path):
    """A file with all cells of a full plane of three benchmarks, and threads."""
    with open(os.path.join(FILES, "tcp.overlap"), encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    cell = next(line for line in lines if "full" in line)
    with open(path, "w", encoding="utf-8") as file:
        print(json.dumps(lines[0]), file=file)
        for bench in ("sender", "receiver", "noncontig", "nload"):
            for size in SIZES:
                for step in range(9 if bench == "nload" else 29):
                    comm, time = comm_of(size), TIMES[step]
                    full = 2 * comm * 10 ** (step / 2) if bench == "nload" else \
                        max(comm, time) + ratio_of(bench, size, time) * min(comm, time)
                    print(json.dumps(dict(
                        cell, bench=bench, bytes=size, compute_ns=0 if bench == "nload" else time,
                        side="both" if bench == "nload" else "sender", threads=step if bench == "nload" else 0,
                        full=spread(full), latency=spread(0), comm=spread(comm),
                        comp=None if bench == "nload" else spread(time))), file=file)
        print(json.dumps({"end": "complete", "work_drift": 0.001}), file=file)


def prepare():
    for name in os.listdir(FILES):
        if name.endswith(".overlap"):
            shutil.copy(os.path.join(FILES, name), name)
    write_full("full.overlap")
    cases = {"full": ["full"], "quick": ["tcp"], "two": ["tcp", "tcp-thread"],
             "several": ["full", "shm", "killed", "empty", "collectives"], "empty": ["empty"]}
    for name, files in cases.items():
        run("llamp-measure", "report", *[file + ".overlap" for file in files], "-o", name + ".html")
    return cases


def read_png(data):
    """Rows of pixels (r, g, b) of a PNG of 8 bits a channel without interlacing."""
    at, packed = 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        if kind == b"IHDR":
            width, height, _, colour = struct.unpack(">IIBB", data[at + 8:at + 18])
        if kind == b"IDAT":
            packed += data[at + 8:at + 8 + size]
        at += size + 12
    raw, channels = zlib.decompress(packed), 4 if colour == 6 else 3
    stride, above, rows = width * channels, bytearray(width * channels), []
    for y in range(height):
        kind, line = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        for i in range(stride):
            left, corner = (line[i - channels], above[i - channels]) if i >= channels else (0, 0)
            guess = left + above[i] - corner
            paeth = min((left, above[i], corner), key=lambda value: abs(guess - value))
            line[i] = (line[i] + (0, left, above[i], (left + above[i]) // 2, paeth)[kind]) % 256
        rows.append([tuple(line[i:i + 3]) for i in range(0, stride, channels)])
        above = line
    return rows


# Boxes of the planes that are shown: title, left, top, width, height.
BOXES = """
scrollTo(0, 0);
return [...document.querySelectorAll('.plane')].filter(plane => plane.getClientRects().length && plane.querySelector('use')).map(plane => {
    const box = plane.querySelector('.empty').getBoundingClientRect();
    return [plane.querySelector('title').textContent, box.left, box.top, box.width, box.height];
});
"""


def check_colours(browser, width, dark):
    """The middles of cells have the colours of their ratios, but below the white line and where it is dark beside it."""
    browser.open(os.path.abspath("full.html"), width, dark=dark)
    browser.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                   {"width": width, "height": 2400, "deviceScaleFactor": 1, "mobile": width < 600})
    pixels, wrong, count = read_png(browser.driver.get_screenshot_as_png()), [], 0
    for title, left, top, wide, high in browser.run(BOXES):
        bench = {"sender side": "sender", "receiver side": "receiver", "non-contiguous": "noncontig"}.get(title.split(": ")[-1])
        for i, size in enumerate(SIZES if bench else []):
            for j, time in enumerate(TIMES):
                if abs(time / comm_of(size)) > 2 or abs(time / comm_of(size)) < 0.5:
                    x, y = left + (i + 0.5) / 31 * wide, top + (28.5 - j) / 29 * high
                    shown, wanted = pixels[int(y)][int(x)], COLOURS[ratio_of(bench, size, time)]
                    count += 1
                    if max(abs(a - b) for a, b in zip(shown, wanted)) > 3:
                        wrong.append(f"{bench} {size} B {time:.0f} ns: {shown} instead of {wanted}")
    where = f"at {width} pixels in {'dark' if dark else 'light'}"
    report(wrong if count > 1500 else [f"{count} cells"] + wrong, f"cells have the colours of their ratios {where}")


# Point at a share of the width and height of a plane.  Returns what is written below the picture.
POINT = """
const plane = [...document.querySelectorAll('.plane')].filter(plane => plane.getClientRects().length)
    .find(plane => plane.querySelector('title').textContent.endsWith('%s'));
const box = plane.querySelector('.empty').getBoundingClientRect(), svg = plane.closest('svg');
(plane.querySelector('use') || plane.querySelector('rect')).dispatchEvent(new PointerEvent('%s', {
    clientX: box.left + %f * box.width, clientY: box.top + %f * box.height, bubbles: true}));
return [...document.querySelectorAll('p.readout')].find(text => text.getClientRects().length).textContent;
"""


def told(text):
    """What is told as {name: number}."""
    found = re.findall(r"(?:; |, )([A-Za-z_ ]+?) (-?[\d.e+]+)(?: (ns|µs|ms|s|B|KiB|MiB))?(?=,|$)", text)
    return {name: float(value) * UNITS[unit or None] for name, value, unit in found}


def check_pointer(browser, width):
    browser.open(os.path.abspath("full.html"), width)
    wrong = []
    for bench, title in (("sender", "sender side"), ("noncontig", "non-contiguous")):
        for i, j in ((0, 0), (30, 28), (20, 3), (5, 27)):
            text = browser.run(POINT % (title, "pointermove" if i else "pointerdown", (i + 0.5) / 31, (28.5 - j) / 29))
            size, time = SIZES[i], TIMES[j]
            wanted = {"message size": size, "computation time": time, "ratio": ratio_of(bench, size, time), "ratio error": 0,
                      "T_comm": comm_of(size), "T_comp": time}
            wanted["measured"] = max(comm_of(size), time) + wanted["ratio"] * min(comm_of(size), time)
            numbers = told(text)
            if numbers.keys() != wanted.keys() or any(abs(numbers[name] - wanted[name]) > 0.006 * wanted[name] for name in wanted):
                wrong.append(f"{text!r} instead of {wanted}")
    text = browser.run(POINT % ("N threads load", "pointermove", 0.01, 0.01))
    numbers = told(text)
    if numbers.get("threads") != 8 or abs(numbers.get("slowdown", 0) - 9999) > 50:
        wrong.append(text)
    report(wrong, f"the numbers under the pointer are those of the cell at {width} pixels")
    left = browser.run("document.querySelectorAll('svg.d').forEach(svg => svg.dispatchEvent(new PointerEvent('pointerleave')));"
                       "return [...document.querySelectorAll('p.readout')].map(text => text.textContent).join('')")
    report([left] if left else [], f"... and nothing is told after it has left at {width} pixels")


def check_squares(browser):
    """Of cells with several squares the size and computation are their own."""
    browser.open(os.path.abspath("quick.html"), 1280)
    numbers = told(browser.run(POINT % ("sender side", "pointermove", 0.01, 0.99)))
    wrong = numbers.get("message size") != 1024 or numbers.get("ordered") != 401
    report([str(numbers)] if wrong else [], "the numbers of a coarse cell are its own")
    text = browser.run(POINT % ("sender side", "pointermove", 0.01, 0.01))
    report([] if text.endswith("not measured") else [text], "an empty place is said not to be measured")


def check(browser, cases):
    for name in cases:
        if name != "empty":
            check_page(browser, name)
    for width, dark in ((1280, False), (1280, True), (390, False), (390, True)):
        check_colours(browser, width, dark)
    for width in (1280, 390):
        check_pointer(browser, width)
    check_squares(browser)
    browser.open(os.path.abspath("empty.html"), 1280)
    report(browser.messages(), "a page without cells is one, too")


test("the planes are good to read in a browser", prepare, check)
