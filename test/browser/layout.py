"""What is true of every page: no label is on another one or cut off, nothing is asked for, all text has contrast.

    test("the report is good to read", make_pages, check)       in a folder of its own, with a browser

    def check(browser, pages):      what make_pages() has returned
        check_page(browser, "demo")     of demo.html in that folder
        report(faults, "nothing is wrong")
"""
import itertools
import os
import re
import sys
import tempfile

import chromium

WIDTHS = (1280, 768, 390, 320)
WIDE_FONT = """document.head.insertAdjacentHTML('beforeend', '<style>.d text{font-family:"DejaVu Sans"!important}</style>')"""
number = failures = 0


def report(faults, sentence):
    global number, failures
    number += 1
    failures += bool(faults)
    print("not ok" if faults else "ok", number, "-", sentence)
    for fault in list(faults)[:20]:
        print("#", str(fault).replace("\n", "\n# "))


def overlaps(texts, least=0.5):
    """Texts of the same picture that cover each other by more than `least` pixels both ways."""
    for one, other in itertools.combinations(texts, 2):
        if one[0] == other[0] and all(min(one[at + 2], other[at + 2]) - max(one[at], other[at]) > least for at in (2, 3)):
            yield f"{one[1]!r} is on {other[1]!r} in picture {one[0] + 1}"


def outside(texts, pictures):
    """Texts that leave their picture by more than half a pixel."""
    for picture, text, left, top, right, bottom in texts:
        box = pictures[picture]
        if left < box[0] - 0.5 or right > box[2] + 0.5 or top < box[1] - 0.5 or bottom > box[3] + 0.5:
            yield f"{text!r} leaves picture {picture + 1}"


def check_layout(browser, name, where):
    texts, pictures = browser.texts(), browser.pictures()
    report([] if pictures and len(texts) > 10 else [f"{len(pictures)} pictures, {len(texts)} texts"],
           f"{name} {where}: there are pictures")
    report(list(overlaps(texts)), f"{name} {where}: no label is on another one")
    report(list(outside(texts, pictures)), f"{name} {where}: no label is cut off")
    report(browser.clipped(), f"{name} {where}: no other text is cut off")
    report([browser.overflow()] if browser.overflow() > 0 else [], f"{name} {where}: the page does not scroll sideways")


def check_page(browser, name, pages=20):
    path = os.path.abspath(name + ".html")
    for width in WIDTHS:
        browser.open(path, width)
        report([address for address in browser.requests() if address != "file://" + path and not address.startswith("data:")],
               f"{name} at {width} pixels: nothing is asked for")
        report(browser.messages(), f"{name} at {width} pixels: the console is empty")
        check_layout(browser, name, f"at {width} pixels")
        browser.run(WIDE_FONT)
        check_layout(browser, name, f"at {width} pixels in a wide font")
    browser.open(path, 680, media="print")
    check_layout(browser, name, "printed")
    pdf = browser.pdf()
    report([] if pdf.startswith(b"%PDF") and 1 <= len(re.findall(rb"/Type\s*/Page\b", pdf)) < pages else [pdf[:20]],
           f"{name} is printed on some pages")
    for dark in (False, True):
        browser.open(path, 1280, dark=dark)
        report([f"{contrast:.2f}: {text}" for contrast, text in browser.contrasts() if contrast < 4.5],
               f"{name} in {'dark' if dark else 'light'}: all text has contrast")
        light = browser.run("return getComputedStyle(document.body).backgroundColor")
        report([light] if ("255" in light) == dark else [], f"{name} has the paper of its reader's choice")


def test(sentence, prepare, check):
    """Make pages, check them, and end the program with the status of a test.  Without a browser the test is skipped."""
    if chromium.MISSING:
        print(f"1..1\nok 1 - {sentence} # SKIP {chromium.MISSING}")
        return
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        pages = prepare()
        with chromium.Browser() as browser:
            check(browser, pages)
        os.chdir("/")
    print(f"1..{number}")
    sys.exit(1 if failures else 0)
