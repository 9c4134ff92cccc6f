#!/usr/bin/python3
"""llamp-usage anonymise: no name is left in logs, records, tables and an index of them, and questions that name nobody have the
same answers."""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import tap
from usage_logs import SCRATCH, ask, index, run, synth

# Answers without names.  Groups of users, programs, hosts, projects and domains are as large as they were.
QUESTIONS = (
    "SELECT system, step, start_ns, mpi_ns, ranks, nodes, mean_ns, quantiles, average_ns, core_hours FROM jobs ORDER BY start_ns, 4",
    "SELECT count(*), sum(core_hours) FROM jobs GROUP BY user ORDER BY 1, 2",
    "SELECT count(*), sum(average_ns) FROM jobs GROUP BY application ORDER BY 1, 2",
    "SELECT count(*), sum(average_ns) FROM jobs GROUP BY program ORDER BY 1, 2",
    "SELECT count(*), sum(average_ns) FROM jobs GROUP BY args_hash ORDER BY 1, 2",
    "SELECT count(*), sum(mpi_ns) FROM job_ranks GROUP BY host ORDER BY 1, 2",
    "SELECT function, sum(calls), sum(bytes), sum(ns) FROM rank_calls GROUP BY function, role ORDER BY 1, 2",
    "SELECT function, size_class, sum(calls), sum(bytes), sum(ns) FROM cells GROUP BY function, size_class ORDER BY 1, 2",
    "SELECT count(*), sum(core_hours), sum(logs) FROM accounting GROUP BY user ORDER BY 1, 2",
    "SELECT count(*), sum(core_hours), sum(logs), programme FROM accounting GROUP BY project ORDER BY 1, 2, 4",
    "SELECT count(*), sum(core_hours), sum(logs) FROM accounting GROUP BY executable ORDER BY 1, 2",
    # The state of the site's own has as many characters as its name.
    "SELECT start_ns, end_ns, seconds, nodes, iif(length(state) = 17, 'own', state), exit_status, core_hours, normal, in_programme, in_filter, logs, coverage FROM accounting "
    "ORDER BY start_ns, nodes, seconds",
    "SELECT count(*), sum(k.core_hours) FROM jobs AS j JOIN accounting AS k ON k.id = j.record WHERE j.user = k.user",
    "SELECT count(*), sum(core_hours) FROM job_weights GROUP BY domain ORDER BY 1, 2",
    "SELECT count(*), sum(j.mpi_ns), sum(t.lambda) FROM jobs AS j JOIN traced AS t ON t.job = j.job OR t.job = j.job || '.' || j.step",
    "SELECT count(*) FROM jobs AS child JOIN jobs AS parent ON child.parent LIKE replace(replace(parent.job, '.', '_'), '-', '_') || '.%'",
)
# What one log has besides, and where it lies.
SECRETS = {"job": "77.pbs-alpha", "parent": "77_pbs_alpha.0-20170101T000000", "user": "wendy", "program": "/home/wendy/\u00e4rger \"quoted\"/secretsolver",
           "build_id": "abcdef0123456789", "library": "Open MPI v4.1.4, package: Open MPI carol@buildhost7 Distribution, ident: 4.1.4",
           "reason": "wendy's input is missing"}
SECRET_FOLDER, SECRET_FILE = "wendys-runs", "secretsolver.usage"
# A record of the same job, one of another job with what only sacct prints, and columns that nobody needs.
SACCT = """JobIDRaw|Cluster|User|Account|State|ExitCode|Start|End|ElapsedRaw|NNodes|AllocCPUS|NTasks|SubmitLine|JobName|WorkDir|NodeList|Comment
77|synth|wendy|blackproject|CANCELLED by 1042|0:9|{0}|{1}|100|2|8|4|srun -n 4 /home/wendy/bin/secretsolver --to=mallory|tryout|/home/wendy|rackzulu[1-2]|for mallory
78|synth|mallory|blackproject|COMPLETED|0:0|{0}|{1}|100|2|8|4||quarterly|/home/mallory|rackzulu3|
79|synth|mallory|blackproject|Finished|1:0|{0}|{1}|100|2|8|4||quarterly|/home/mallory|rackzulu3|
80|synth|mallory|blackproject|Ended-for-mallory|1:0|{0}|{1}|100|2|8|4||quarterly|/home/mallory|rackzulu3|
"""


def put_secrets():
    """Make a log of all that may name somebody, records and tables that belong to it.  Returns the names."""
    path = sorted(glob.glob("logs/2017/**/*.usage", recursive=True))[0]
    log = json.loads(subprocess.run(["zstd", "-dcq", path], capture_output=True, check=True).stdout)
    log.update(SECRETS)
    for number, rank in enumerate(log["rank_list"]):
        rank["host"] = f"rackzulu{number + 1}"
    os.makedirs(f"logs/{SECRET_FOLDER}")
    with open(f"logs/{SECRET_FOLDER}/{SECRET_FILE}", "w", encoding="utf-8") as file:
        json.dump(log, file)
    start = log["start_unix_ns"] // 10**9
    with open("more.txt", "w", encoding="utf-8") as file:
        file.write(SACCT.format(start - 1, start + 99))
    with open("domains.csv", "a", encoding="utf-8") as file:
        file.write("secretsolver,cryptology\nquarterly,cryptology\n")
    with open("programmes.csv", "a", encoding="utf-8") as file:
        file.write("blackproject,INCITE\n")
    with open("traced.csv", "w", encoding="utf-8") as file:
        file.write("job,lambda\n77.pbs-alpha,11\n100001.0,12\n100002,13\n")
    return ["wendy", "mallory", "carol", "buildhost7", "pbs-alpha", "pbs_alpha", "secretsolver", "quarterly", "rackzulu", "blackproject",
            "cryptology", "quoted", "\u00e4rger", "rger", "by 1042", "abcdef0123456789", SECRET_FOLDER, "/home", "/apps", "tryout"]


def named(database):
    """All names that an index has."""
    columns = (("user", "jobs"), ("program", "jobs"), ("application", "jobs"), ("build_id", "jobs"), ("host", "job_ranks"),
               ("user", "accounting"), ("project", "accounting"), ("program", "accounting"), ("executable", "accounting"),
               ("domain", "domains"), ("application", "domains"), ("project", "programmes"))
    found = {name for column, table in columns for name, in ask(database, f"SELECT DISTINCT {column} FROM {table}") if name}
    return found | {part for name in found for part in name.split("/") if part}


def leaks(names, tree, *databases):
    """(name, file) of each name in a folder: in names of files, in logs as text and with the escapes of JSON undone, in databases."""
    found = []
    for path in glob.glob(f"{tree}/**/*", recursive=True) + list(databases):
        texts = [os.path.relpath(path, tree).encode()]
        if path.endswith(".usage"):
            text = subprocess.run(["zstd", "-dcqf", path], capture_output=True, check=True).stdout
            texts += [text, json.dumps(json.loads(text), ensure_ascii=False).encode()]
        elif os.path.isfile(path):
            with open(path, "rb") as file:
                texts.append(file.read())
        found += [(name, path) for name in names if any(name.lower().encode() in text.lower() for text in texts)]
    return found


TABLES = ("--domains", "--programmes", "--traced")


def anonymise(to, *words):
    """Write logs and records; the records of both files, one after the other."""
    run("anonymise", "logs", "-o", to, "--accounting", "sacct.csv", *(word for table in TABLES for word in (table, table[2:] + ".csv")), *words)
    return index(to, "-d", f"{to}.db", "--accounting", f"{to}/accounting.csv", "--systems", "systems.csv",
                 *(word for table in TABLES for word in (table, f"{to}/{table[2:]}.csv")))


def join_accounting():
    """sacct.csv: the records of sacct.txt and those of more.txt, as one table with the headings of both."""
    rows, headings = [], []
    for name in ("sacct.txt", "more.txt"):
        with open(name, encoding="utf-8") as file:
            lines = [line.rstrip("\n").split("|") for line in file]
        headings += [heading for heading in lines[0] if heading not in headings]
        rows += [dict(zip(lines[0], line)) for line in lines[1:]]
    with open("sacct.csv", "w", encoding="utf-8") as file:
        file.write("|".join(headings) + "\n")
        file.writelines("|".join(row.get(heading, "") for heading in headings) + "\n" for row in rows)


def check_export(secrets):
    names = named("logs.db")
    tap.check(len(names) > 40 and {"wendy", "mallory", "blackproject", "cryptology", "rackzulu1", "quarterly"} <= names,
              "the index of the logs has the names", sorted(names))
    for question in QUESTIONS:
        rows = ask("logs.db", question)
        tap.check(rows and rows == ask("one.db", question), f"the same answer: {question[:70]}", rows[:3], ask("one.db", question)[:3])
    counts = [ask("logs.db", question)[0][0] for question in QUESTIONS[-2:]]
    tap.check(counts == [3, 1], "... of three traced jobs, and of the one that was spawned", counts)
    # Short parts of paths ("bin") are in other words.
    found = leaks(secrets + [name for name in names if len(name) > 4], "one", "one.db")
    tap.check(not found, "no name is left: in names of files, logs, tables and the index", *found[:5])
    found = leaks(secrets, "logs", "logs.db")
    tap.check({name for name, _ in found} >= {"wendy", "rger", "pbs-alpha", "buildhost7", "rackzulu", "secretsolver"},
              "... and the search finds them where they are", *sorted(found)[:5])
    library, = ask("one.db", "SELECT DISTINCT library FROM jobs WHERE library LIKE 'Open MPI%'")[0]
    tap.check(re.fullmatch("Open MPI v4.1.4, package: Open MPI h[0-9a-f]{16} Distribution, ident: 4.1.4", library),
              "of the version of MPI the rest stays", library)


def main():
    with tempfile.TemporaryDirectory(dir=SCRATCH) as folder:
        os.chdir(folder)
        synth(".", "--jobs", 60, "--killed", 3)
        secrets = put_secrets()
        join_accounting()
        with open("key", "wb") as file:
            file.write(bytes(range(32)))
        first = index("logs", "-d", "logs.db", "--accounting", "sacct.csv", "--systems", "systems.csv",
                      *(word for table in TABLES for word in (table, table[2:] + ".csv")))
        one = anonymise("one", "--key", "key")
        tap.check({key: first[key] for key in first if key != "file"} == {key: one[key] for key in one if key != "file"} and first["records"] == 64,
                  "all logs and records are there, and joined", first, one)
        anonymise("two", "--key", "key")
        anonymise("other")
        check_export(secrets)
        stay = {"INCITE", "ALCC"}
        tap.check(named("one.db") == named("two.db"), "the same key makes the same names")
        tap.check(not named("one.db") & named("other.db") - stay, "another one makes others")
        tree = [sorted(os.path.relpath(path, top) for path in glob.glob(f"{top}/2017/**/*.usage", recursive=True)) for top in ("logs", "one")]
        tap.check(tree[0] == tree[1] and len(tree[0]) > 60, "days and names that are numbers stay")
        done = run("anonymise", "logs", "-o", "one", status=2)
        tap.check("one: exists already" in done.stderr, "a folder that exists is refused", done.stderr)
        check_faults()
    tap.end()


def check_faults():
    os.makedirs("logs/bad")
    with open("logs/bad/x.usage", "wb") as file:
        file.write(b"x")
    with open("sacct.csv", "a", encoding="utf-8") as file:
        file.write("a line|that is none\n")
    done = run("anonymise", "logs", "-o", "three", "--key", "key", "--accounting", "sacct.csv", status=1)
    tap.check("bad/x.usage" in done.stderr and "sacct.csv:66" in done.stderr and "2 logs and lines" in done.stderr and
              len(glob.glob("three/**/*.usage", recursive=True)) == len(glob.glob("one/**/*.usage", recursive=True)),
              "logs and lines that cannot be read are told and left out", done.stderr)
    done = run("anonymise", "logs", "-o", "four", "--domains", "traced.csv", status=1)
    tap.check("traced.csv:1: expected headings application,domain" in done.stderr and not glob.glob("four*"),
              "a table with other headings leaves no folder", done.stderr)
    done = run("anonymise", "logs", "-o", "four", "--key", "logs/bad/x.usage", status=1)
    tap.check("at least 16 bytes" in done.stderr and not glob.glob("four*"), "a short key is refused", done.stderr)
    done = run("anonymise", "nix", "-o", "four", status=1)
    tap.check("nix: No such file" in done.stderr and not glob.glob("four*"), "a missing folder is named", done.stderr)


main()
