#!/usr/bin/python3
# runs: slow
"""No command overwrites a file that it reads, or one output by another, whatever their names are.

COMMANDS has a row for each command: its words, the files that it reads, and the options that name outputs.  The options
of FILE and DIR in its help must all be there.  Each input is tried as each output by its own name, another spelling, a
hard link and a symbolic one; each pair of outputs is tried as one file.
"""
import glob
import hashlib
import itertools
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import tap

SOURCE, BUILD = os.environ["SOURCE"], os.environ["BUILD"]
FORMAT = re.compile(r"^ +--format NAME +([\w-]+)", re.MULTILINE)

# The graph has calls beside it; the parameters name a mapping.
GRAPH, PARAMS = ("g", "g.calls"), ("--params p", "m")
TRACE = ("a", "a/traces.otf2", "a/traces.def", "a/traces/0.evt")


class Row:
    """Words of a command, inputs as "--option FILE" or "FILE", options of outputs."""

    def __init__(self, words, inputs=(), outputs=("-o",), printed=True):
        self.words, self.inputs, self.outputs, self.printed = words, inputs, outputs, printed


MODEL = [Row(f"llamp {name} g --params p", GRAPH + PARAMS) for name in ("analyze", "path", "lp")]
COMMANDS = MODEL + [
    Row("llamp sweep g --params p --min 0 --max 1us", GRAPH + PARAMS),
    Row("llamp tradeoff g --params p --vary o,G", GRAPH + PARAMS),
    Row("llamp timeline g --params p", GRAPH + PARAMS, printed=False),
    Row("llamp compare g h --params p", GRAPH + PARAMS + ("h",)),
    Row("llamp report g --params p --measured c", GRAPH + PARAMS + ("--measured c",), ("-o", "--svg")),
    Row("llamp place g --params q", GRAPH + ("--params q",), ("-o", "--mapping")),
    Row("llamp place g --params q --hosts n --mapping-format slurm", GRAPH + ("--params q", "--hosts n"), ("--mapping",),
        printed=False),
    Row("llamp place g --params q --hosts n --mapping-format slurm --mapping new", GRAPH + ("--params q", "--hosts n")),
    Row("llamp topology q", ("q",)),
    Row("llamp topology q --load g", ("q", "g")),
    Row("goal info g", GRAPH),
    Row("goal stats g", GRAPH),
    Row("goal convert g", GRAPH, printed=False),
    Row("goal balance g --before MPI_Recv", GRAPH, printed=False),
    Row("goal merge g", GRAPH, printed=False),
    Row("goal move g --wait 50%:MPI_Recv", GRAPH, printed=False),
    Row("llamp-measure report o", ("o",)),
    Row("llamp-measure report o --params v", ("o", "--params v")),
    Row("schedgen a --rules r", TRACE + ("--rules r",), printed=False),
    Row("schedgen --pattern allreduce=ring --ranks 2", (), printed=False),
    Row("critpath graph a", TRACE, printed=False),
    Row("critpath view a", TRACE, printed=False),
    Row("critpath efficiency a --graph g", TRACE + ("--graph g",)),
    Row("critpath graph a/traces.otf2", TRACE[1:], printed=False),
    Row("eventflow build a", TRACE, printed=False),
    Row("eventflow-mpi build a", TRACE, printed=False),
    Row("eventflow info a", TRACE),
    Row("eventflow info e", ("e",)),
    Row("eventflow loops a", TRACE),
    Row("eventflow tree e", ("e",)),
    Row("eventflow graph e", ("e",)),
    Row("eventflow profile e", ("e",)),
    Row("eventflow matrix e", ("e",)),
    Row("eventflow growth e", ("e",)),
    Row("eventflow iterations e", ("e",)),
    Row("eventflow generate e", ("e",)),
    Row("eventflow compare e a", ("e",) + TRACE),
    Row("eventflow build e --times none", ("e",), printed=False),
    Row("llamp-usage show u", ("u",)),
    Row("llamp-usage from-trace a", TRACE, printed=False),
    Row("schedgen --usage u", ("--usage u",), printed=False),
    Row("llamp-usage query --database i VALUES(1)", ("--database i",)),
    Row("llamp-usage report --database i --compare i2", ("--database i", "--compare i2")),
    Row("critpath below a", TRACE),
    Row("critpath path t-0", ("t-0", "t-1"))]
COMMANDS += [Row(f"{tool} {name} a", TRACE) for tool in ("critpath", "critpath-mpi")
             for name in ("path", "waits", "causes", "imbalance", "profile")]
COMMANDS.append(Row("critpath-mpi efficiency a --graph g", TRACE + ("--graph g",)))
# Commands without a file that could be lost: no output, or a directory that must not hold a trace.
OTHERS = {"goal check": "no output", "llamp advise": "test/cli/llamp_advise.sh", "llamp-measure params": "no input", "llamp-measure overlap": "test/mpi/overlap.sh", "llamp-inject": "no output",
          "llamp-trace": "test/cli/llamp_trace.sh", "eventflow trace": "test/cli/eventflow.sh", "llamp-usage run": "no input",
          "llamp-usage collect": "no input", "llamp-usage index": "test/cli/usage_index.py",
          "llamp-usage anonymise": "a new folder"}


def check_coverage():
    missing = []
    for name in tap.commands():
        rows = [row for row in COMMANDS if (row.words + " ").startswith(name + " ")]
        if name in OTHERS:
            continue
        known = {word for row in rows for word in " ".join(row.inputs + row.outputs).split()}
        known |= {"--output"} if "-o" in known else set()
        missing += [name] if not rows else [f"{name} --{option}" for _, option, argument in tap.options(name)
                                            if argument in ("FILE", "DIR") and "--" + option not in known]
    tap.check(not missing, "each option of a file of each command is in the table", "\n".join(missing))


def make_files(folder):
    """Everything that commands read."""
    def run(command):
        subprocess.run(command, shell=True, check=True, cwd=folder, stderr=subprocess.DEVNULL)

    def write(name, text):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)

    run("schedgen --pattern allreduce=ring --ranks 2 --bytes 64 -o g --format bin && cp g h")
    run(f"{SOURCE}/test/cli/critpath/archive.py a <{SOURCE}/test/cli/critpath/late.calls")
    run("eventflow build a -o e.efg && mv e.efg e")
    run("llamp-usage from-trace a -o u.usage && mkdir l && mv u.usage l && llamp-usage index l -d i >i.out && rm i.out && cp i i2 && mv l/u.usage u")
    write("p", "o: 1us\nL: 2us\nintra-node: {L: 1us}\nmapping: m\n")
    write("q", "o: 1us\ntopology: {kind: torus, size: [2, 2], links: {wire: 500ns}}\n")
    write("m", "0\n1\n")
    write("v", "L: 2us\n")
    write("n", "one\ntwo\nthree\nfour\n")
    write("c", "L_ns,seconds\n3000,0.001\n")
    shutil.copy(f"{SOURCE}/test/cli/llamp_measure_report/shm.overlap", f"{folder}/o")
    write("r", "- {collective: barrier, algorithm: dissemination}\n")
    for rank in 0, 1:
        write(f"t-{rank}", f"# htor's PMPI Tracer\n\nMPI_Init:-:64:72:1000\n"
                           f"MPI_Send:1004:128:5:10,8,8:{1 - rank}:7:1140850688,{rank},2:1006\nMPI_Finalize:1025:-\n")


def state(folder):
    """Content of all files by name."""
    result = {}
    for path in glob.glob(folder + "/**", recursive=True):
        if os.path.isfile(path):
            with open(path, "rb") as file:
                result[os.path.relpath(path, folder)] = hashlib.sha256(file.read()).hexdigest()
    return result


def programs(words):
    """Start what works: the program of critpath-mpi or eventflow-mpi runs without a launcher, too."""
    if words[0].endswith("-mpi"):
        found = sorted(glob.glob(f"{BUILD}/lib/llamp/{words[0]}-*"))
        return [found[0]] + words[1:] if found else None
    return words


def run(folder, words, **more):
    return subprocess.run(programs(words), cwd=folder, stderr=subprocess.PIPE, text=True,
                          stdout=more.pop("stdout", subprocess.DEVNULL), **more)


def format_words(row):
    found = FORMAT.search(tap.help_of(" ".join(row.words.split()[:2]) if row.words.split()[0] != "schedgen" else "schedgen"))
    return ["--format", found[1]] if found else []


def is_refused(folder, before, done):
    return (done.returncode == 2 and "the output would " in done.stderr or "two outputs cannot" in done.stderr) \
        and state(folder) == before


def spellings(folder, name):
    """Names of one file."""
    os.makedirs(folder + "/links", exist_ok=True)
    hard, symbolic = f"links/hard-{os.path.basename(name)}", f"links/symbolic-{os.path.basename(name)}"
    yield name
    yield f"links/../{name}"
    if os.path.isfile(f"{folder}/{name}"):
        if not os.path.lexists(f"{folder}/{hard}"):
            os.link(f"{folder}/{name}", f"{folder}/{hard}")
            os.symlink(f"../{name}", f"{folder}/{symbolic}")
        yield from (hard, symbolic)


def as_output(row, option, path, name):
    """Words that write to the path; a directory of pictures gets a link of a picture's name."""
    words = row.words.split() + (["-o", "-"] if row.printed and option != "-o" else ["-o", "out"] if option != "-o" else [])
    return words + [option, path]


def check_inputs(folder, row, form):
    before, wrong = state(folder), []
    for option, item in itertools.product(row.outputs, row.inputs):
        name = item.split()[-1]
        if option == "--svg":
            continue        # see check_pictures
        for path in spellings(folder, name) if os.path.isfile(f"{folder}/{name}") else [name + "/new"]:
            before = state(folder)
            done = run(folder, as_output(row, option, path, name) + form)
            if not is_refused(folder, before, done):
                wrong.append(f"{option} {path}: status {done.returncode}: {done.stderr}")
    tap.check(not wrong, f"{row.words}: no output overwrites an input", "\n".join(wrong))


def check_streams(folder, row):
    """Files may be stdin and stdout."""
    wrong, name = [], row.inputs[0]
    if row.printed and os.path.isfile(f"{folder}/{name}"):
        before = state(folder)
        with open(f"{folder}/{name}", "ab") as appended:
            done = run(folder, row.words.split() + ["-o", "-"], stdout=appended)
        if not is_refused(folder, before, done):
            wrong.append(f">> {name}: status {done.returncode}: {done.stderr}")
    tap.check(not wrong, f"{row.words}: no output is appended to an input", "\n".join(wrong))


def check_pictures(folder):
    """A picture of --svg may be an input under its name, or the page."""
    os.makedirs(folder + "/d", exist_ok=True)
    shutil.copy(folder + "/m", folder + "/d/m")
    for source, words in (("p", "--params d/curve.svg -o page.html"), ("c", "--measured d/curve.svg -o page.html"),
                          ("g", "-o d/curve.svg --format html"), ("g", "-o ./d/../d/curve.svg --format html")):
        shutil.copy(f"{folder}/{source}", folder + "/d/curve.svg")
        if source == "g":
            os.remove(folder + "/d/curve.svg")
        before = state(folder)
        done = run(folder, ["llamp", "report", "g", *words.split(), "--svg", "d"])
        tap.check(is_refused(folder, before, done), f"llamp report {words} --svg d overwrites nothing", done.stderr)


def check_outputs(folder, row, form):
    wrong, before = [], state(folder)
    for first, second in itertools.permutations([o for o in row.outputs if o != "--svg"], 2):
        for one, other in (("new", "new"), ("new", "./new"), ("-", "-")):
            done = run(folder, row.words.split() + [first, one, second, other] + form)
            if not is_refused(folder, before, done):
                wrong.append(f"{first} {one} {second} {other}: status {done.returncode}: {done.stderr}")
    tap.check(not wrong, f"{row.words}: no output overwrites another", "\n".join(wrong))


def main():
    check_coverage()
    for row in COMMANDS:
        if not programs(row.words.split()):
            tap.skip(row.words, "no MPI")
            continue
        with tempfile.TemporaryDirectory() as folder:
            make_files(folder)
            form = format_words(row)
            if row.inputs:
                check_inputs(folder, row, form)
                check_streams(folder, row)
            if len(row.outputs) > 1:
                check_outputs(folder, row, form)
            if "--svg" in row.outputs:
                check_pictures(folder)
    with tempfile.TemporaryDirectory() as folder:
        make_files(folder)
        before = state(folder)
        with open(folder + "/g", "rb") as graph:
            done = run(folder, ["llamp", "analyze", "-", "-o", "g"], stdin=graph)
        tap.check(is_refused(folder, before, done), "what is read from stdin is not overwritten", done.stderr)
        done = run(folder, "schedgen a -o a.bin".split())
        os.rename(folder + "/r", folder + "/a.bin.calls")
        before = state(folder)
        done = run(folder, "schedgen a --rules a.bin.calls -o a.bin".split())
        tap.check(is_refused(folder, before, done), "schedgen's calls do not overwrite its rules", done.stderr)
    tap.end()


main()
