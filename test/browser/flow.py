#!/usr/bin/python3
"""The page of eventflow graph in a browser: on a wide screen, on a phone, printed, light and dark, without scripts.

A reader opens a chain and sees its calls, sees a line for each pair of successive calls, wider where it was followed more
often, and stronger where more time was between them, and sees which iterations of the main loop took long.
"""
import os
import subprocess
import sys

sys.dont_write_bytecode = True
from layout import check_page, report, test

SOURCE = os.environ["SOURCE"]

# Lines that are drawn: rows that each begins and ends at, width, colour, and how far its ends are from these rows.
LINES = """
const rows = [...document.querySelectorAll('.flow details.call')], frame = document.querySelector('.flow').getBoundingClientRect();
return [...document.querySelectorAll('.flow .edge')].map(edge => {
    const [from, to] = edge.dataset.ends.split(' ').map(Number), way = edge.querySelector('.way'), length = way.getTotalLength();
    const [a, b] = [way.getPointAtLength(0), way.getPointAtLength(length)];
    const box = row => rows[row].getBoundingClientRect(), head = row => rows[row].firstElementChild.getBoundingClientRect();
    const off = (y, box) => Math.max(box.top - frame.top - 8 - y, y - (box.bottom - frame.top + 8), 0);
    return [from, to, +way.getAttribute('stroke-width'), getComputedStyle(way).stroke, off(a.y, box(from)), off(b.y, head(to))];
});
"""
NAMES = "return [...document.querySelectorAll('.flow details.call > summary b')].map(row => row.textContent)"
BOXES = """
return [...document.querySelectorAll('.flow .loop')].map(box =>
    [box.querySelector('.head').textContent, box.parentNode.closest('.loop') ? 1 : 0, box.querySelectorAll('details.call').length]);
"""


def ghost():
    """Calls like those of MiniGhost: 60 steps, in each six inner iterations of which two have other calls."""
    time = [1000]
    lines = []

    def call(function, gap=700, duration=300):
        lines.append(f"0 {time[0] + gap} {time[0] + gap + duration} {function}")
        time[0] += gap + duration

    def chain(name, length):
        for i in range(length):
            call(f"MPI_{name}_{i}")

    call("MPI_Init")
    chain("Begin", 9)
    for step in range(60):
        call("MPI_Barrier")
        call("MPI_Allgather", gap=50000)
        for inner in range(6):
            call("MPI_Irecv")
            for function in {1: ["MPI_Reduce", "MPI_Scan"], 3: ["MPI_Gather", "MPI_Scatter"]}.get(inner, []):
                call(function)
        chain("Step", 39)
        call("MPI_Allreduce", duration=200000 if step == 29 else 9000)
    chain("End", 29)
    call("MPI_Finalize")
    return lines


def random_walks(letters):
    """A sequence without structure: a long page with many lines."""
    state, time, lines = 1, 1000, []
    for _ in range(12 * letters):
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        lines.append(f"0 {time} {time + 100} MPI_Send send:0:{(state >> 33) % letters}")
        time += 1000
    return lines


def make_page(name, lines):
    subprocess.run([f"{SOURCE}/test/cli/critpath/archive.py", name], input="\n".join(lines), text=True, check=True)
    subprocess.run(["eventflow", "build", name, "-o", name + ".efg"], check=True)
    subprocess.run(["eventflow", "graph", name + ".efg", "-o", name + ".html"], check=True)


def check_lines(browser, when):
    lines, names = browser.run(LINES), browser.run(NAMES)
    pairs = {(names[line[0]], names[line[1]]): line for line in lines}
    report([len(lines)] if len(lines) != 16 else [], f"{when} there is a line for each of the 16 edges")
    report([line for line in lines if line[4] or line[5]], f"{when} lines are at their rows")
    once, often = pairs[("MPI_Init", names[1])], pairs[("MPI_Irecv", "MPI_Irecv")]
    report([once, often] if once[2] >= often[2] else [], f"{when} what was followed more often is wider")
    slow = pairs[("MPI_Barrier", "MPI_Allgather")]
    same = [pair for pair, line in pairs.items() if line[3] == slow[3] and line is not slow]
    report(same, f"{when} where most time was between calls, the line has a colour of its own")


def check_chain(browser):
    names = "return [...document.querySelectorAll('#n1 li')].filter(row => row.checkVisibility()).map(row => row.textContent)"
    report(browser.run(names), "a chain is closed")
    browser.driver.find_element("css selector", "#n1 > summary").click()
    shown = browser.run(names)
    report(shown if len(shown) != 10 or not shown[8].startswith("MPI_Begin_8") else [], "a click shows its nine calls, and where it leads to")
    report([] if "after visit [0,0,0,1]" in shown[9] else shown[9:], "... after which visits")
    check_lines(browser, "then")
    browser.run("document.querySelector('#n1').open = false")


def check_ghost(browser):
    path = os.path.abspath("ghost.html")
    for width in (1280, 390):
        for dark in (False, True):
            browser.open(path, width, dark=dark)
            check_lines(browser, f"ghost at {width} pixels, {'dark' if dark else 'light'}:")
    browser.open(path, 1280)
    boxes = browser.run(BOXES)
    report(boxes if [box[1:] for box in boxes] != [[0, 9], [1, 5]] or not boxes[0][0].startswith("loop 0: 60 iterations") else [],
           "loops are boxes in each other, with what they have")
    check_chain(browser)
    faint = browser.run("""document.querySelector('#n0').dispatchEvent(new MouseEvent('mouseover', {bubbles: true}));
        return [...document.querySelectorAll('.edge')].filter(edge => edge.classList.contains('on')).length""")
    report([faint] if faint != 1 else [], "a call that is pointed at shows its lines")
    cells = browser.run("return document.querySelectorAll('#iterations svg .cells, #iterations svg path').length")
    report([] if cells else [cells], "iterations are a heat map")


def check_without_script(browser):
    browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    browser.open(os.path.abspath("ghost.html"), 1280)
    browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
    browser.driver.find_element("css selector", "#n1 > summary").click()
    shown = browser.run("return [...document.querySelectorAll('#n1 li')].filter(row => row.checkVisibility()).length")
    report([shown] if shown != 10 else [], "without scripts a chain opens, too")


def check_large(browser):
    browser.open(os.path.abspath("large.html"), 1280)
    report(browser.messages(), "1000 calls: the console is empty")
    lines = browser.run("return document.querySelectorAll('.edge').length")
    report([lines] if lines != 1500 else [], "1000 calls: the lines that were followed most are drawn")
    edges = browser.run("""const row = document.querySelector('#n7');
        row.dispatchEvent(new MouseEvent('mouseover', {bubbles: true}));
        return [row.querySelectorAll('li[data-to]').length,
            [...document.querySelectorAll('.edge')].filter(edge => edge.dataset.ends.startsWith(
                [...document.querySelectorAll('details.call')].indexOf(row) + ' ')).length]""")
    report(edges if edges[0] != edges[1] else [], "1000 calls: one that is pointed at has all of its lines")
    report([browser.overflow()] if browser.overflow() > 0 else [], "1000 calls: the page does not scroll sideways")


def prepare():
    make_page("ghost", ghost())
    make_page("large", random_walks(1000))


def check(browser, _):
    check_page(browser, "ghost")
    check_ghost(browser)
    check_without_script(browser)
    check_large(browser)


test("the page of eventflow graph is good to read in a browser", prepare, check)
