#!/usr/bin/python3
"""The page of critpath view in a browser: on a wide screen and on a phone, light and dark, without scripts, printed."""
import json
import os
import subprocess
import sys

sys.dont_write_bytecode = True
from layout import report, test

SOURCE, BUILD = os.environ["SOURCE"], os.environ["BUILD"]
SLOW = 3  # rank of slow_rank.py that is late

# Share of the columns of each row that have the colour of a wait or of the path, from the canvas.
BARS = """
return [...document.querySelectorAll('#ranks-time svg')].filter(svg => svg.getBoundingClientRect().width).map(svg =>
    ['s5', 's2', 's1'].map(part => [...svg.querySelectorAll('rect.bar.' + part)].filter(bar => !bar.closest('.legend'))
        .map(bar => [Math.round(bar.getBoundingClientRect().top), bar.getBoundingClientRect().width])))[0];
"""
COLOURS = """
const canvas = document.querySelector('.plot canvas'), g = canvas.getContext('2d'), shares = [];
const style = getComputedStyle(document.documentElement), scale = canvas.width / canvas.getBoundingClientRect().width;
const rgb = name => style.getPropertyValue(name).match(/[0-9a-f]{2}/g).map(part => parseInt(part, 16));
const [wait, path] = [rgb('--s1'), rgb('--s0')];
const left = 48 * scale, head = 24 * scale, height = (canvas.height - head) / %d;
const is = (data, at, colour) => colour.every((part, i) => data[at + i] == part);
for (let row = 0; row < %d; row++) {
    const wide = canvas.width - left, lines = Math.floor(height), data = g.getImageData(left, head + row * height, wide, lines).data;
    let waits = 0, on = 0;
    for (let x = 0; x < wide; x++) {
        let w = false, p = false;
        for (let y = 0; y < lines; y++) {
            w ||= is(data, (y * wide + x) * 4, wait);
            p ||= is(data, (y * wide + x) * 4, path);
        }
        waits += w;
        on += p;
    }
    shares.push([waits / wide, on / wide]);
}
return shares;
"""
SETTLE = "return new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))"
WINDOW = "return [document.getElementById('times').value, document.getElementById('ranks').value]"
# Words of what is said that continue on the next line, cut at places of their own, and the number of lines.
BROKEN = """
const readout = document.getElementById('readout'), range = document.createRange(), broken = [], tops = new Set();
for (const node of readout.childNodes)
    for (const word of node.nodeType == Node.TEXT_NODE ? node.data.matchAll(/[^ ]+/g) : []) {
        range.setStart(node, word.index);
        range.setEnd(node, word.index + word[0].length);
        const lines = new Set([...range.getClientRects()].map(box => Math.round(box.top)));
        lines.forEach(top => tops.add(top));
        if (lines.size > 1)
            broken.push(word[0]);
    }
return [broken, tops.size];
"""
SITES = ["/home/somebody/projects/solver/build/program(solver::Field<std::pair<long,std::vector<int>>,3>::reduce_all(int)+0x2d)",
         "/home/somebody/a_rather_long_name_of_a_folder/source_of_the_solver/communication_with_neighbours.cc:1234"]
READOUT = "return document.getElementById('readout').textContent"


def do(browser, script):
    browser.run(script)
    browser.run(SETTLE)


def point(browser, share, row, rows):
    """Move the pointer to a share of the time and a row; return what is said."""
    do(browser, f"""
        const canvas = document.querySelector('.plot canvas + canvas'), box = canvas.getBoundingClientRect();
        canvas.dispatchEvent(new PointerEvent('pointermove', {{bubbles: true,
            clientX: box.left + 48 + {share} * (box.width - 48),
            clientY: box.top + 24 + ({row} + 0.3) / {rows} * (box.height - 24)}}));""")
    return browser.run(READOUT)


def key(browser, name, shift=False):
    do(browser, f"document.body.dispatchEvent(new KeyboardEvent('keydown', {{bubbles: true, key: '{name}', "
                f"shiftKey: {json.dumps(shift)}}}))")


def check_page(browser, file, width, dark):
    browser.open(file, width, dark=dark)
    browser.run(SETTLE)
    faults = browser.messages() + browser.clipped() + [url for url in browser.requests() if url != "file://" + file]
    faults += [f"{browser.overflow()} pixels too wide"] if browser.overflow() > 0 else []
    faults += [f"contrast {contrast:.1f} of {text}" for contrast, text in browser.contrasts() if contrast < 4.5]
    report(faults, f"at {width} pixels, {'dark' if dark else 'light'}: no message, no request, nothing cut off")
    shares = browser.run(COLOURS % (8, 8))
    least = min(range(8), key=lambda row: shares[row][0])
    most = max(range(8), key=lambda row: shares[row][1])
    good = least == most == SLOW and shares[SLOW][1] > 0.5 and min(
        share[0] for row, share in enumerate(shares) if row != SLOW) > 2 * shares[SLOW][0]
    report([] if good else [shares], "the slow rank has the fewest waits and the most of the critical path")


def check_bars(browser, file):
    """Bars of the ranks: those that wait take as long as the one that computes, whose bar has no waits."""
    browser.open(file, 1280)
    outside, calls, waits = [dict(bars) for bars in browser.run(BARS)]
    tops = sorted(outside)
    ends = [sum(part.get(top, 0) for part in (outside, calls, waits)) for top in tops]
    good = len(tops) == 8 and max(tops, key=outside.get) == tops[SLOW] and max(ends) < 1.01 * min(ends)
    good = good and all(waits.get(top, 0) > outside[top] for top in tops if top != tops[SLOW]) and waits.get(tops[SLOW], 0) < 1
    report([] if good else [outside, calls, waits], "the bars of the ranks are as long as the run, and all but that of the slow rank wait most of it")


def check_hidden(browser, file):
    browser.open(file, 1280)
    do(browser, "document.querySelector('.plot').style.width = '0'")
    do(browser, "document.querySelector('.plot').style.width = ''")
    report(browser.messages(), "a plot without width for a moment is no error")


def long_segments(segments):
    """Numbers of the longest segments, which make up 99 % of the path."""
    lengths = sorted(segment["end_ns"] - segment["start_ns"] for segment in segments)
    left_out, least = 0, lengths[-1]
    for length in lengths:
        left_out += length
        if left_out > sum(lengths) / 100:
            least = length
            break
    return [i for i, segment in enumerate(segments) if segment["end_ns"] - segment["start_ns"] >= least]


def check_segments(browser, file, path):
    browser.open(file, 1280)
    faults, before = [], browser.run(WINDOW)
    steps = long_segments(path["segments"])[:5]
    for i in steps:
        key(browser, "n")
        said, segment = browser.run(READOUT), path["segments"][i]
        if not said.startswith(f"segment {i + 1} of {len(path['segments'])}: rank {segment['rank']}"):
            faults.append(f"{said} instead of {segment}")
    moved = browser.run(WINDOW)
    do(browser, "document.querySelector('[data-do=previous]').click()")
    said = browser.run(READOUT)
    faults += [] if moved[0] != before[0] else [f"the window stays {moved}"]
    faults += [] if said.startswith(f"segment {steps[3] + 1} of") else [said]
    report(faults, "keys and buttons go along the long segments of critpath path, and move the window")
    key(browser, "N", True)
    said = browser.run(READOUT)
    ranks = [segment["rank"] for segment in path["segments"]]
    wanted = next(i for i in range(steps[3] + 1, len(ranks)) if ranks[i] != ranks[i - 1])
    good = said.startswith(f"segment {wanted + 1} of") and f"switched from rank {ranks[wanted - 1]}" in said
    report([] if good else [said], "Shift-N goes to the next rank switch")


def check_window(browser, file):
    browser.open(file, 1280)
    whole = browser.run(WINDOW)
    key(browser, "+")
    near = browser.run(WINDOW)
    do(browser, "document.querySelector('[data-do=all]').click()")
    back = browser.run(WINDOW)
    do(browser, """const canvas = document.querySelector('.plot canvas + canvas'), box = canvas.getBoundingClientRect();
        canvas.dispatchEvent(new WheelEvent('wheel', {deltaY: -300, clientX: box.left + 500, clientY: box.top + 100,
            cancelable: true}));""")
    wheel = browser.run(WINDOW)
    do(browser, """const ranks = document.getElementById('ranks'), times = document.getElementById('times');
        ranks.value = '2-4'; ranks.dispatchEvent(new Event('change'));
        times.value = '10 us - 30 us'; times.dispatchEvent(new Event('change'));""")
    typed = browser.run(WINDOW)
    good = near[0] != whole[0] and back == whole and wheel[0] not in (whole[0], near[0]) and typed == ["10 µs - 30 µs", "2-4"]
    report([] if good else [whole, near, back, wheel, typed], "keys, buttons, wheel and fields choose the window")
    do(browser, """const canvas = document.querySelector('.plot canvas + canvas'), box = canvas.getBoundingClientRect();
        canvas.setPointerCapture = () => {};
        for (const [type, x] of [['pointerdown', 300], ['pointermove', 500], ['pointerup', 500]])
            canvas.dispatchEvent(new PointerEvent(type, {pointerId: 7, pointerType: 'touch', bubbles: true,
                clientX: box.left + x, clientY: box.top + 50}));""")
    touched = browser.run(WINDOW)
    wrong = []
    for field, text in (("ranks", "1,3"), ("ranks", "9-12"), ("ranks", "x"), ("times", "5 us"), ("times", "2 us - 1 us")):
        do(browser, f"""const field = document.getElementById('{field}');
            field.value = '{text}'; field.dispatchEvent(new Event('change'));""")
        said = browser.run(READOUT)
        kept = browser.run(f"return document.getElementById('{field}').value")
        wrong += [] if text in said and "is not" in said and kept == text else [(field, text, said, kept)]
    report(wrong, "what is no range of ranks or times is refused, and stays to be corrected")
    report(browser.messages() if touched[0] != typed[0] and touched[1] == typed[1] else [touched], "a finger moves the window in time")


def check_pointer(browser, file):
    """Times of calls are those of the trace that slow_rank.py writes."""
    browser.open(file, 390)
    said = [point(browser, share / 200, 0, 8) for share in range(200)]
    found = [text for text in said if "waits" in text and "imbalance ratio" in text]
    good = found and "MPI_Allreduce" in found[0] and f"of rank {SLOW}" in found[0] and any(
        "receives 64 bytes from rank 7" in text for text in said) and any("outside of MPI" in text for text in said)
    report([] if good else said, "the pointer says call, wait, its cause, peers and imbalance ratio")


def check_names(browser):
    """Long names of call sites break between their parts only."""
    subprocess.run(["/usr/bin/python3", f"{SOURCE}/test/cli/critpath_sites/make_trace.py", "sites", *SITES], check=True)
    subprocess.run(["critpath", "view", "sites", "-o", "sites.html"], check=True, stderr=subprocess.DEVNULL)
    wrong, seen = [], set()
    for width in (320, 390):
        browser.open(os.path.abspath("sites.html"), width)
        browser.run(SETTLE)
        for share in range(1, 20):
            said = point(browser, share / 400, 1, 2)
            broken, lines = browser.run(BROKEN)
            seen |= {site for site in SITES if site.split("/")[-1] in said and lines > 1}
            wrong += [(width, broken, said)] * bool(broken)
    report(wrong + [site for site in SITES if site not in seen], "names break after ::, <, comma, _ and / only")


def calls_of():
    """[(rank, function, number)] of the calls of the trace."""
    table = subprocess.run(["critpath", "imbalance", "trace", "--format", "csv", "--table", "calls"], check=True,
                           capture_output=True, text=True).stdout.splitlines()
    rows = [dict(zip(table[0].split(","), line.split(","))) for line in table[1:]]
    return [(int(row["rank"]), row["function"], int(row["call"])) for row in rows]


def check_search(browser, file):
    browser.open(file, 1280)
    do(browser, """const search = document.getElementById('search'); search.value = 'allreduce';
        search.dispatchEvent(new Event('input'));""")
    said = browser.run(READOUT)
    do(browser, "document.getElementById('search').dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter'}))")
    found = browser.run(READOUT)
    good = said.startswith("40 calls") and found.startswith("MPI_Allreduce")
    report([] if good else [said, found], "a part of a name finds the calls of the function")
    first = min(row[2] for row in calls_of() if row[1] == "MPI_Allreduce")
    numbers = [int(found.split(", call ")[1].split()[0])]
    for _ in range(8):
        do(browser, "document.getElementById('search').dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter'}))")
        numbers.append(int(browser.run(READOUT).split(", call ")[1].split()[0]))
    report([] if numbers[0] == first and numbers == sorted(numbers) else [first, numbers],
           "Enter goes to the first call of the function, then on to later ones")


def check_paper(browser, file):
    browser.open(file, 1280, dark=True)
    printed = browser.pdf()
    browser.open(file, 1280, dark=True, media="print")
    light, covers = browser.run("""dispatchEvent(new Event('beforeprint'));
        const [canvas, cover] = document.querySelectorAll('.plot canvas');
        return [[...canvas.getContext('2d').getImageData(canvas.width - 9, canvas.height - 1, 1, 1).data],
                getComputedStyle(cover).display];""")
    good = len(printed) > 20000 and light[:3] == [255, 255, 255] and covers == "none"
    report([] if good else [len(printed), light, covers], "paper has the picture in light colours, with nothing over it")


def check_without_scripts(browser, file):
    browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    browser.open(file, 390)
    text = browser.driver.find_element("tag name", "body").text
    browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
    good = "Scripts are off" in text and "MPI_Allreduce" in text and "next" not in text
    report([] if good else [text], "without scripts there are tables, and nothing that does not work")


# ------------------------------------------------------------------------------------------- large runs

# Rank 5 of large_run.py is late once, from 64.2 % to 72.5 % of the run, and rank 6 waits for its message.
LATE, WAITING, ROUNDS = 5, 6, 100000


def check_tiles(browser, file):
    """Shares of time of more calls than a page has: the same rows stand out."""
    for width in (1280, 390):
        for dark in (False, True):
            check_page(browser, file, width, dark)
    browser.open(file, 1280)
    said = browser.run(READOUT)
    good = said.startswith("1600032 calls are shown as shares of time") and browser.run(
        "return document.getElementById('search').disabled")
    report([] if good else [said], "a page of 1,600,000 calls says that it shows shares of time, and has no search")
    found = [point(browser, 0.68, row, 8) for row in (LATE, WAITING)]
    good = f"rank {LATE} near" in found[0] and "outside of MPI 100 %" in found[0] and "wait before 100 %" in found[1]
    report([] if good else found, "where one message is late, its sender computes and its receiver waits")
    found = [point(browser, 0.3, row, 8) for row in (SLOW, SLOW + 1)]
    good = "wait before 0 %" in found[0] and int(found[1].split("wait before ")[1].split()[0]) > 40
    report([] if good else found, "elsewhere all wait but the slow rank")
    whole = browser.run(WINDOW)
    do(browser, """const times = document.getElementById('times');
        times.value = '760 ms - 880 ms'; times.dispatchEvent(new Event('change'));""")
    near, found = browser.run(WINDOW), point(browser, 0.5, WAITING, 8)
    key(browser, "n")
    segment = browser.run(READOUT)
    good = near != whole and "wait before 100 %" in found and segment.startswith("segment ")
    report(browser.messages() if good else [near, found, segment], "a window of it shows the tiles that lie in it")


def check_part(browser):
    """A part of the same run has its calls."""
    subprocess.run(["critpath", "view", "large", "--from", "760ms", "--to", "880ms", "--only-ranks", "4-6", "-o", "part.html"],
                   check=True, stderr=subprocess.DEVNULL)
    file = os.path.abspath("part.html")
    browser.open(file, 1280)
    browser.run(SETTLE)
    window = browser.run(WINDOW)
    key(browser, "-")
    report(browser.messages() if window == browser.run(WINDOW) == ["760 ms - 880 ms", "4-6"] else [window],
           "a part of it begins with its window, and has no more")
    found = point(browser, 0.5, WAITING - 4, 3)
    good = found.startswith(f"MPI_Recv, call {2 * ROUNDS * 7 // 10 + 5} of rank {WAITING}") and f"of rank {LATE} (late sender)" in found
    report([] if good else [found], "... in which the late sender is named, with its number in the run")
    do(browser, """const search = document.getElementById('search'); search.value = 'recv';
        search.dispatchEvent(new Event('input'));""")
    said = browser.run(READOUT)
    key(browser, "0")
    key(browser, "n")
    segment = browser.run(READOUT)
    report([] if " calls, " in said and f": rank {LATE}, compute before MPI_Send" in segment else [said, segment],
           "... its calls are found, and the path is that of the part")
    for width in (1280, 390):
        browser.open(file, width)
        browser.run(SETTLE)
        report(browser.messages() + browser.clipped() + ([browser.overflow()] if browser.overflow() > 0 else []),
               f"... at {width} pixels nothing is cut off")


# Number of pixels of each colour of the canvas.
COUNT = """
const canvas = document.querySelector('.plot canvas'), data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
const rgb = text => text.match(/[0-9a-f]{2}/g).map(part => parseInt(part, 16));
return %s.map(rgb).map(of => { let sum = 0; for (let i = 0; i < data.length; i += 4) sum += of.every((part, k) => data[i + k] == part); return sum; });
"""
KINDS = ["#e5584f", "#56b4e9", "#2ca77f", "#cc5fa3"]  # waits, other calls, begins of messages, polls


def check_below(browser):
    """The page of a run with calls below MPI: kinds of calls, polls and posts."""
    subprocess.run(["/usr/bin/python3", f"{SOURCE}/test/cli/critpath_below/make_run.py", "below"], check=True)
    subprocess.run(["critpath", "view", "below", "-o", "below.html"], check=True, stderr=subprocess.DEVNULL)
    file = os.path.abspath("below.html")
    for width in (1280, 390):
        for dark in (False, True):
            browser.open(file, width, dark=dark)
            browser.run(SETTLE)
            faults = browser.messages() + browser.clipped() + ([browser.overflow()] if browser.overflow() > 0 else [])
            faults += [f"contrast {contrast:.1f} of {text}" for contrast, text in browser.contrasts() if contrast < 4.5]
            report(faults, f"calls below MPI at {width} pixels, {'dark' if dark else 'light'}: no message, nothing cut off")
    browser.open(file, 1280)
    browser.run(SETTLE)
    pixels = browser.run(COUNT % json.dumps(KINDS))
    report([] if min(pixels) > 20 and pixels[1] > pixels[0] > pixels[2] else [pixels], "... kinds of calls and polls have their colours")
    do(browser, "document.getElementById('kinds').click()")
    waits = browser.run(COUNT % json.dumps(KINDS))
    report([] if waits[0] == waits[1] == 0 and waits[3] > 20 else [waits], "... without kinds, waits have theirs, and polls stay")
    do(browser, "document.getElementById('kinds').click()")
    said = [point(browser, (time - 1000) / 4000, row, 3) for time, row in ((3200, 0), (3450, 0), (3750, 0), (1107, 0), (1700, 1), (3700, 2))]
    expected = ["below: ucp_worker_progress, 190 µs, finds 2", "below: 77 polls found nothing in 290 µs",
                "finds 1; below: ucp_rkey_destroy, 100 µs", "below: ucp_tag_recv_nbx, 5 µs, 4096 bytes, complete",
                "rank 0, thread 1, outside of MPI at", "MPI_Send, call"]
    report([(of, text) for of, text in zip(said, expected) if text not in of], "... the pointer tells them, also of a thread without calls of MPI")


def prepare():
    subprocess.run(["/usr/bin/python3", f"{SOURCE}/test/browser/slow_rank.py", "trace"], check=True)
    subprocess.run(["critpath", "view", "trace", "-o", "run.html"], check=True, stderr=subprocess.DEVNULL)
    path = json.loads(subprocess.run(["critpath", "path", "trace", "--format", "json"], check=True, capture_output=True).stdout)
    return os.path.abspath("run.html"), path


def check(browser, page):
    file, path = page
    for width in (1280, 390):
        for dark in (False, True):
            check_page(browser, file, width, dark)
    check_bars(browser, file)
    check_hidden(browser, file)
    check_segments(browser, file, path)
    check_window(browser, file)
    check_pointer(browser, file)
    check_names(browser)
    check_search(browser, file)
    check_below(browser)
    check_paper(browser, file)
    check_without_scripts(browser, file)
    subprocess.run(["/usr/bin/python3", f"{SOURCE}/test/browser/large_run.py", "large", str(ROUNDS)], check=True)
    subprocess.run(["critpath", "view", "large", "-o", "large.html"], check=True, stderr=subprocess.DEVNULL)
    check_tiles(browser, os.path.abspath("large.html"))
    check_part(browser)


test("the page of critpath view works in a browser", prepare, check)
