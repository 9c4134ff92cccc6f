#!/usr/bin/python3
"""llamp-usage anonymise: no name is left, and questions that name nobody have the same answers."""
import glob
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import tap
from usage_logs import SCRATCH, ask, index, run, synth

# Answers without names.  Groups of users, programs and hosts are as large as they were.
QUESTIONS = (
    "SELECT system, job, step, start_ns, mpi_ns, ranks, nodes, mean_ns, quantiles, average_ns, core_hours FROM jobs ORDER BY job",
    "SELECT count(*), sum(core_hours) FROM jobs GROUP BY user ORDER BY 1, 2",
    "SELECT count(*), sum(average_ns) FROM jobs GROUP BY application ORDER BY 1, 2",
    "SELECT count(*), sum(average_ns) FROM jobs GROUP BY program ORDER BY 1, 2",
    "SELECT count(*), sum(average_ns) FROM jobs GROUP BY args_hash ORDER BY 1, 2",
    "SELECT count(*), sum(mpi_ns) FROM job_ranks GROUP BY host ORDER BY 1, 2",
    "SELECT function, sum(calls), sum(bytes), sum(ns) FROM rank_calls GROUP BY function, role ORDER BY 1, 2",
    "SELECT function, size_class, sum(calls), sum(bytes), sum(ns) FROM cells GROUP BY function, size_class ORDER BY 1, 2",
)


def names(database):
    rows = ask(database, "SELECT user, program FROM jobs UNION ALL SELECT host, build_id FROM job_ranks AS k JOIN jobs AS j ON j.id = k.job")
    return {name for row in rows for name in row if name}


def main():
    with tempfile.TemporaryDirectory(dir=SCRATCH) as folder:
        os.chdir(folder)
        synth("logs", "--jobs", 60, "--killed", 3)
        os.makedirs("logs/bad")
        with open("key", "wb") as file:
            file.write(bytes(range(32)))
        run("anonymise", "logs", "-o", "one", "--key", "key")
        run("anonymise", "logs", "-o", "two", "--key", "key")
        run("anonymise", "logs", "-o", "other")
        for name in ("logs", "one", "two", "other"):
            index(name, "-d", f"{name}.db")
        for question in QUESTIONS:
            tap.check(ask("logs.db", question) == ask("one.db", question), f"the same answer: {question[:70]}")
        left = [name for name in names("logs.db") if any(name in other for other in names("one.db"))]
        tap.check(not left, "no name of a user, program, host or build is left", left[:5])
        text = b"".join(subprocess.run(["zstd", "-dc", path], capture_output=True, check=True).stdout
                        for path in glob.glob("one/**/*.usage", recursive=True))
        tap.check(not any(word in text for word in (b"user0", b"node0", b"app-", b"project0")), "... in the logs")
        tap.check(names("one.db") == names("two.db"), "the same key makes the same names")
        tap.check(not names("one.db") & names("other.db"), "another one makes others")
        tree = [sorted(os.path.relpath(path, top) for path in glob.glob(f"{top}/**/*.usage", recursive=True)) for top in ("logs", "one")]
        tap.check(tree[0] == tree[1] and len(tree[0]) > 60, "folders and files have the same names")
        done = run("anonymise", "logs", "-o", "one", status=2)
        tap.check("one: exists already" in done.stderr, "a folder that exists is refused", done.stderr)
        with open("logs/bad/x.usage", "wb") as file:
            file.write(b"x")
        done = run("anonymise", "logs", "-o", "three", "--key", "key", status=1)
        tap.check("bad/x.usage" in done.stderr and "1 logs cannot be read" in done.stderr and not os.path.exists("three/bad/x.usage"),
                  "a log that cannot be read is told and left out", done.stderr)
        done = run("anonymise", "logs", "-o", "four", "--key", "logs/bad/x.usage", status=1)
        tap.check("at least 16 bytes" in done.stderr and not os.path.exists("four"), "a short key is refused", done.stderr)
        done = run("anonymise", "nix", "-o", "four", status=1)
        tap.check("nix: No such file" in done.stderr and not glob.glob("four*"), "a missing folder is named", done.stderr)
    tap.end()


main()
