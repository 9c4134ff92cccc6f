#!/usr/bin/python3
"""The report of the demo in a browser: on a wide screen, on a phone and printed, light and dark.

Labels do not overlap, nothing is cut off, nothing is asked for, and curves and zones are where the numbers of
llamp say.
"""
import itertools
import json
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
from layout import check_layout, check_page, outside, overlaps, report, test

SOURCE, BUILD, MPIEXEC = os.environ["SOURCE"], os.environ["BUILD"], os.environ["MPIEXEC"]
UNITS = {"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9, "%": 1, "": 1}


def run(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True).stdout


def prepare():
    """Trace the program of the demo, make its graphs, and write the reports: {name: files of the report}."""
    params = os.path.join(SOURCE, "examples/params/cscs-testbed.yaml")
    graphs = os.path.join(SOURCE, "test/cli/llamp/")
    run(*MPIEXEC.split(), "-n", "8", "llamp-trace", "-o", "cg.trace", os.path.join(BUILD, "examples/cg"), "--size", "32")
    for algorithm in ("recursive-doubling", "ring"):
        run("schedgen", "cg.trace", "-o", algorithm + ".bin", "--coll", "allreduce=" + algorithm)
    runtime = json.loads(run("llamp", "analyze", "ring.bin", "--params", params, "--format", "json"))["runtime_ns"]
    with open("measured.csv", "w") as file:
        file.write("L_ns,seconds\n")
        for latency in (3000, 4000, 7000, 7500):
            file.write(f"{latency},{runtime * (1 + latency / 1e6) / 1e9}\n")
    run("schedgen", "--pattern", "halo-2d", "--ranks", "2025", "--iterations", "3", "-o", "many.bin")
    cases = {"demo": ["recursive-doubling.bin"], "measured": ["ring.bin", "--measured", "measured.csv"],
             "both": ["recursive-doubling.bin", "ring.bin"], "small": [graphs + "tolerant.goal"],
             "silent": [graphs + "silent.goal"], "gap": ["ring.bin", "--vary", "G"], "many": ["many.bin"],
             "far": ["recursive-doubling.bin", "--max", "130us"]}
    for name, arguments in cases.items():
        run("llamp", "report", *arguments, "--params", params, "-o", name + ".html")
    return cases, params


# What the browser shows of the chart of T: the ticks of both axes as (text, px), their titles, path, zones, points.
CHART = """
const svg = [...document.querySelectorAll('svg.d')].find(svg => svg.getClientRects().length && svg.querySelector('.panel'));
const panel = svg.querySelector('.panel');
const place = (element, name) => [element.textContent, +element.getAttribute(name)];
return {
    x: [...svg.querySelectorAll('.xtick')].map(tick => place(tick, 'x')),
    y: [...panel.querySelectorAll('text.small')].map(tick => place(tick, 'y')),
    names: [...svg.querySelectorAll('.name')].map(name => name.textContent),
    paths: [...panel.querySelectorAll('path.line')].map(path => path.getAttribute('d')),
    zones: [...panel.querySelectorAll('rect.zone')].map(zone => [+zone.getAttribute('x'), +zone.getAttribute('width')]),
    points: [...panel.querySelectorAll('.point')].map(point => {
        const box = point.getBBox();
        return [box.x + box.width / 2, box.y + box.height / 2];
    }),
};
"""


def axis(ticks, title):
    """Function from values in ns to pixels, from the outermost ticks and the unit in the title."""
    size = UNITS[re.search(r"\((\S+?)\)(, not from 0)?$", title)[1]]
    (first, first_px), (last, last_px) = ((float(text) * size, px) for text, px in (ticks[0], ticks[-1]))
    return lambda value: first_px + (value - first) / (last - first) * (last_px - first_px)


def height_at(path, x):
    """y of a path "M x y L x y ..." at x."""
    corners = [tuple(map(float, pair.split())) for pair in re.split("[ML]", path)[1:]]
    for (left, top), (right, bottom) in zip(corners, corners[1:]):
        if left <= x <= right:
            return top if right == left else top + (bottom - top) * (x - left) / (right - left)
    return None


def check_curves(browser, name, graphs, params, width):
    browser.open(os.path.abspath(name + ".html"), width)
    return check_chart(browser, name, graphs, params, f"at {width} pixels")


def check_chart(browser, name, graphs, params, where):
    """Check the curves of T as they are shown now, which may be a part."""
    chart = browser.run(CHART)
    x, y = axis(chart["x"], chart["names"][-1]), axis(chart["y"], chart["names"][0])
    baseline = 4            # px from the tick to the base line of its label
    wrong, points = [], 0
    for graph, path in zip(graphs, chart["paths"]):
        unit = UNITS[re.search(r"\((\S+)\)$", chart["names"][-1])[1]]
        begin, end = (float(chart["x"][i][0]) * unit for i in (0, -1))
        swept = json.loads(run("llamp", "sweep", graph, "--params", params, "--min", f"{begin}ns", "--max", f"{end}ns",
                               "--format", "json"))["points"]
        points += len(swept)
        for point in swept:
            # Half a pixel beside it, too: the curve may be steep there.
            near = [height_at(path, x(point["L_ns"]) + beside) for beside in (-0.5, 0, 0.5)]
            if not any(shown is not None and abs(shown + baseline - y(point["runtime_ns"])) <= 1 for shown in near):
                wrong.append(f"{graph}: T({point['L_ns']}) is at {near}, not {y(point['runtime_ns']) - baseline}")
    if len(chart["paths"]) != len(graphs) or points < 2 * len(graphs):
        wrong.append(f"{len(chart['paths'])} curves for {len(graphs)} graphs, {points} points")
    report(wrong, f"{name} {where}: the curve of T passes through all critical latencies")
    return chart, x, y


# ------------------------------------------------------------------------------------------------ zoom

# Dispatch events at [type, kind, pointer, x, ...] in coordinates of the first picture, 100 pixels below its top.
EVENTS = """
const svg = [...document.querySelectorAll('svg.d')].find(svg => svg.getClientRects().length);
const box = svg.getBoundingClientRect();
for (const [type, kind, id, x, more] of %s)
    svg.dispatchEvent(new (type == 'wheel' ? WheelEvent : PointerEvent)(type, Object.assign({
        clientX: box.left + x / svg.viewBox.baseVal.width * box.width, clientY: box.top + 100, bubbles: true, cancelable: true,
        pointerId: id, pointerType: kind, isPrimary: id == 1}, more)));
"""
PICTURE = "return [...document.querySelectorAll('svg.d')].find(svg => svg.getClientRects().length).innerHTML"
BUTTONS = "return [...document.querySelectorAll('.zoom')].find(bar => bar.getClientRects().length).querySelectorAll('button')"


def shown_range(chart):
    """First and last tick."""
    return tuple(float(chart["x"][i][0]) for i in (0, -1))


def press(browser, button):
    """Press a button as the keyboard does."""
    browser.run(BUTTONS)[button].send_keys("\n")


def dispatch(browser, *events):
    # A pointer that no device has cannot be captured.
    browser.run("SVGElement.prototype.setPointerCapture = () => {};" + EVENTS % json.dumps(events))


# Numbers of ticks that drags show: parts of three sizes, from the whole width in steps of five pixels.
DRAGS = EVENTS % "[]" + """
const [low, high] = [%f, %f], counts = [];
const all = [...document.querySelectorAll('.zoom')].find(bar => bar.getClientRects().length).lastChild;
for (const size of [12, 40, (high - low) / 3])
    for (let x = low + 1; x + size < high; x += 5) {
        for (const [type, at] of [['pointerdown', x], ['pointermove', x + size], ['pointerup', x + size]])
            svg.dispatchEvent(new PointerEvent(type, {clientX: box.left + at / svg.viewBox.baseVal.width * box.width,
                clientY: box.top + 100, bubbles: true, pointerId: 1, pointerType: 'mouse', isPrimary: true}));
        counts.push(new Set([...svg.querySelectorAll('.xtick')].map(tick => tick.textContent)).size);
        all.click();
    }
return counts;
"""


def check_scale(browser, name, width):
    """Every part has two different ticks, without which nobody can read it."""
    browser.open(os.path.abspath(name + ".html"), width)
    ticks = browser.run(CHART)["x"]
    dispatch(browser)
    counts = browser.run(DRAGS % (ticks[0][1], ticks[-1][1]))
    wrong = len(counts) < 50 or min(counts) < 2
    report([f"numbers of ticks: {counts}"] if wrong else [], f"{name} at {width} pixels: each part has a scale")


def check_zoom(browser, name, graphs, params, width):
    """Each way to zoom shows a part whose curve and ticks are right, and the way back shows the whole."""
    browser.open(os.path.abspath(name + ".html"), width)
    whole, picture, where = browser.run(CHART), browser.run(PICTURE), f"at {width} pixels"
    low, high = whole["x"][0][1], whole["x"][-1][1]
    middle, third = (low + high) / 2, (high - low) / 3
    ways = {
        "by buttons": lambda: [press(browser, button) for button in (0, 0, 3, 2, 0)],
        "by dragging": lambda: dispatch(browser, ["pointerdown", "mouse", 1, low + third, {}],
                                        ["pointermove", "mouse", 1, high - third, {}], ["pointerup", "mouse", 1, high - third, {}]),
        "by the wheel": lambda: dispatch(browser, ["wheel", "mouse", 1, middle, {"ctrlKey": True, "deltaY": -300}]),
        "by two fingers": lambda: dispatch(browser, ["pointerdown", "touch", 1, middle - 20, {}],
                                           ["pointerdown", "touch", 2, middle + 20, {}],
                                           ["pointermove", "touch", 1, middle - 60, {}], ["pointermove", "touch", 2, middle + 60, {}],
                                           ["pointerup", "touch", 1, middle - 60, {}], ["pointerup", "touch", 2, middle + 60, {}]),
    }
    for way, zoom in ways.items():
        zoom()
        chart, x, y = check_chart(browser, name, graphs, params, f"{where}, zoomed {way}")
        a, b = shown_range(whole), shown_range(chart)
        report([] if b[1] - b[0] < 0.6 * (a[1] - a[0]) else [f"{b} of {a}"], f"{name} {where}, zoomed {way}: a part is shown")
        check_layout(browser, name, f"{where}, zoomed {way}")
        press(browser, 4)
        report([] if browser.run(PICTURE) == picture else ["it differs"], f"{name} {where}, zoomed {way}: the whole comes back")
    dispatch(browser, ["wheel", "mouse", 1, middle, {"deltaY": -300}])
    report([] if browser.run(PICTURE) == picture else ["it differs"], f"{name} {where}: the wheel alone does not zoom")
    press(browser, 0)
    shifted = browser.run(CHART)
    dispatch(browser, ["pointerdown", "touch", 1, middle, {}], ["pointermove", "touch", 1, middle - third, {}],
             ["pointerup", "touch", 1, middle - third, {}])
    moved = browser.run(CHART)
    a, b = (dict(chart["x"]) for chart in (shifted, moved))
    both = [tick for tick in a if tick in b]
    report([] if both and all(abs(b[tick] - a[tick] + third) < 15 for tick in both) else [f"{a}, {b}"],
           f"{name} {where}: a finger moves the part")
    check_chart(browser, name, graphs, params, f"{where}, moved")
    for _ in range(12):
        press(browser, 0)
    report([] if browser.run(BUTTONS)[0].get_attribute("aria-disabled") == "true" else ["no end"], f"{name} {where}: zoom has an end")
    check_layout(browser, name, f"{where}, zoomed to the end")
    browser.run("dispatchEvent(new Event('beforeprint'))")
    report([] if browser.run(PICTURE) == picture else ["it differs"], f"{name} {where}: the whole is printed")
    report(browser.messages(), f"{name} {where}: zoom leaves the console empty")


def check_zones(chart, x, name, graph, params):
    analysis = json.loads(run("llamp", "analyze", graph, "--params", params, "--format", "json"))
    ends = [analysis["parameters"]["L"]] + [tolerance["L_ns"] for tolerance in analysis["tolerance"]]
    wanted = [(x(low), x(high)) for low, high in zip(ends, ends[1:])]
    # A hatched zone is two rectangles.
    shown = sorted({(left, left + width) for left, width in chart["zones"]})
    wrong = len(shown) != len(wanted) or any(abs(one - other) > 1 for zone, want in zip(shown, wanted)
                                             for one, other in zip(zone, want))
    report([f"{shown} instead of {wanted}"] if wrong else [], f"{name}: the zones end at the tolerances")


def check_measured(chart, x, y):
    with open("measured.csv") as file:
        rows = [tuple(map(float, line.split(","))) for line in list(file)[1:]]
    wanted = [(x(latency), y(seconds * 1e9) - 4) for latency, seconds in rows]
    wrong = [f"{point} instead of {want}" for point, want in itertools.zip_longest(chart["points"], wanted)
             if not point or not want or abs(point[0] - want[0]) > 1 or abs(point[1] - want[1]) > 1]
    report(wrong, "measured runtimes are where they were measured")


# Point at a share of the width of the first chart.  Returns what is written below it.
POINT = """
const svg = [...document.querySelectorAll('svg.d')].find(svg => svg.getClientRects().length);
const box = svg.getBoundingClientRect();
svg.dispatchEvent(new PointerEvent('pointermove', {clientX: box.left + %f / svg.viewBox.baseVal.width * box.width,
                                                   clientY: box.top + 100, bubbles: true}));
return document.querySelector('p.readout.' + svg.classList[1]).textContent;
"""


def check_pointer(browser, x, params):
    """The values under the pointer are those of the model."""
    latency = 2000
    shown = browser.run(POINT % x(latency))
    found = re.fullmatch(r"network latency L (\S+) µs; runtime T (\S+) ms; λL, [^;]* (\S+); ρL, [^;]* (\S+) %", shown)
    analysis = json.loads(run("llamp", "analyze", "recursive-doubling.bin", "--params", params, "-L", str(latency),
                              "--format", "json"))
    wanted = [latency / 1e3, analysis["runtime_ns"] / 1e6, analysis["lambda_L"]["right"], 100 * analysis["rho_L"]]
    wrong = not found or any(abs(float(one) - other) > 0.005 * other for one, other in zip(found.groups(), wanted))
    report([f"{shown!r} instead of {wanted}"] if wrong else [], "the values under the pointer are those of the model")


def check_the_check(browser):
    """The faults that this test is for are found."""
    with open("bad.html", "w") as file:
        file.write('<!DOCTYPE html><body style="background:#fff"><svg class="d" xmlns="http://www.w3.org/2000/svg" width="100" '
                   'height="50"><text x="5" y="20">one</text><text x="10" y="22">two</text><text x="90" y="40" fill="#eee">'
                   'three</text></svg><img src="missing.png"><p style="width:3000px">wide</p>'
                   '<script>console.error("no")</script></body>')
    browser.open(os.path.abspath("bad.html"), 390)
    texts = browser.texts()
    found = [list(overlaps(texts)), list(outside(texts, browser.pictures())), browser.clipped(), browser.overflow() > 0,
             len(browser.requests()) == 2, browser.messages(), browser.contrasts()[0][0] < 4.5]
    report([] if all(found) else [found], "faults of a page are found")


def check(browser, pages):
    cases, params = pages
    check_the_check(browser)
    for name in cases:
        check_page(browser, name)
    for width in (1280, 390):
        chart, x, y = check_curves(browser, "demo", cases["demo"], params, width)
        check_zones(chart, x, "demo", cases["demo"][0], params)
        check_pointer(browser, x, params)
        for name in ("demo", "both", "measured"):
            check_zoom(browser, name, {"demo": cases["demo"], "both": cases["both"], "measured": ["ring.bin"]}[name],
                       params, width)
        check_scale(browser, "far", width)
        check_curves(browser, "both", cases["both"], params, width)
        chart, x, y = check_curves(browser, "measured", ["ring.bin"], params, width)
        check_measured(chart, x, y)


test("the report is good to read in a browser", prepare, check)
