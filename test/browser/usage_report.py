#!/usr/bin/python3
"""The page of llamp-usage report in a browser: on a wide screen, on a phone and printed, light and dark.

With no job at all, with few applications, with many that have long names, and for two systems side by side.
"""
import os
import sqlite3
import subprocess
import sys

sys.dont_write_bytecode = True
from layout import check_page, report, test

SYNTH = os.path.join(os.environ["BUILD"], "test/usage-synth")
LONG = "a-program-with-a-name-that-is-longer-than-any-label-of-a-chart-can-be-and-has-<markup>&\"quotes\"-"


def run(*command):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def prepare():
    run(SYNTH, "many", "--profile", "mira", "--jobs", "640", "--unlogged", "60")
    run("llamp-usage", "index", "many/logs", "-d", "many.db", "--accounting", "many/sacct.txt", "--programmes", "many/programmes.csv",
        "--domains", "many/domains.csv", "--systems", "many/systems.csv")
    run(SYNTH, "few", "--jobs", "40")
    run("llamp-usage", "index", "few/logs", "-d", "few.db")
    os.makedirs("none")
    run("llamp-usage", "index", "none", "-d", "none.db")
    run("cp", "few.db", "long.db")
    with sqlite3.connect("long.db") as connection:
        connection.execute("UPDATE texts SET text = ? || text WHERE id IN (SELECT application FROM job_data)", (LONG,))
    for name in ("many", "few", "none", "long"):
        run("llamp-usage", "report", "-d", name + ".db", "-o", name + ".html")
    run("llamp-usage", "report", "-d", "many.db", "--compare", "few.db", "-o", "both.html")


def check_content(browser):
    browser.open(os.path.abspath("many.html"), 1280)
    first = browser.run("return document.querySelector('section h3').textContent")
    report([] if "Table I" in first else [first], "the table of coverage is the first")
    count = browser.run("return document.querySelectorAll('svg.d.wide').length")
    report([] if count > 18 else [count], "there is a picture of each figure")
    browser.open(os.path.abspath("both.html"), 1280)
    beside = browser.run("""return [...document.querySelectorAll('.beside')].map(pair => [...pair.querySelectorAll('figure')]
        .map(figure => figure.getBoundingClientRect().top))""")
    report([pair for pair in beside if len(pair) != 2 or abs(pair[0] - pair[1]) > 1] if len(beside) > 18 else [len(beside)],
           "figures of two systems are beside each other")
    browser.open(os.path.abspath("none.html"), 1280)
    shown = browser.run("return document.querySelectorAll('svg.d').length")
    report([shown] if shown else [], "without jobs there is no empty picture")


def check(browser, _):
    for name in ("many", "few", "long", "both"):
        check_page(browser, name, pages=60)
    check_content(browser)


test("the report is good to read in a browser", prepare, check)
