#!/usr/bin/python3
"""Every folder and every room includes only what the tables of doc/architecture.md allow.

A row of `| folder | holds | may use |` names folders, rooms of other folders (`trace/call`) and libraries.  A row of
`| room | holds | may use |`, below a heading with the name of the folder, names rooms in rows above it, or "all above".
A room is a folder within the folder, or one within a room (`flow/file`), which is a room of its own.
If a room names a library, only the rooms that name it may use it.  The files of a folder itself may use all its rooms, and
no room may use them.  The opposite is true for a room that names the folder itself.

No floor, which is a folder without its rooms, has more than MOST_FILES sources.  No more than MOST_SHARING files have a
static function or variable of the same name: a name that is found in many places says too little.
"""
import collections
import glob
import os
import re
import sys
import tempfile

sys.dont_write_bytecode = True
import tap

SOURCE = os.environ["SOURCE"]
LIBRARIES = {"otf2": "OTF2", "mpi.h": "MPI", "mpio.h": "MPI", "glpk.h": "GLPK", "scotch.h": "SCOTCH", "yaml.h": "YAML", "cmocka.h": "cmocka",
             "elfutils": "libdw", "sqlite3.h": "SQLite", "zstd.h": "zstd", "ucp": "UCX",
             "json-c": "json-c"}
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]', re.MULTILINE)
ROW = re.compile(r"^\| *`([^`]+)` *\|.*\|([^|]*)\|$")
# The one file that may include a library, beside tests and benchmarks.
ONLY = {"GLPK": "llamp/lp/lp_glpk.c"}
# Faults that are known: "FILE WORD".
KNOWN = set()
STATIC = re.compile(r"^static\s+[^;{=(]*?(\w+)\s*[(\[=;]", re.MULTILINE)
MOST_FILES = 40
MOST_SHARING = 3
# Floors that have more sources: what they may have.  A number here may only become smaller.
CROWDED = {}


class Folder:
    def __init__(self, words):
        self.words, self.rooms = words, {}


def read_tables(text):
    """{folder: Folder}, and the faults of the tables themselves."""
    folders, faults = {}, []
    heading = table = ""
    for line in text.splitlines():
        if line.startswith("#"):
            heading = line
        if re.match(r"\| (folder|room) \| holds \| may use \|$", line):
            table = line.split()[1]
        elif not line.startswith("|"):
            table = ""
        row = ROW.match(line) if table else None
        if not row:
            continue
        name = row[1].strip("/")
        words = [word.strip(" `/") for word in row[2].split(",") if word.strip(" `/–-")]
        if table == "folder":
            folders[name] = Folder(words)
            continue
        folder = re.search(r"`([^`/]+)/`", heading)
        if not folder or folder[1] not in folders:
            faults.append(f"the table with room {name} is below no heading with a folder's name")
            continue
        above = folders[folder[1]].rooms
        for word in words:
            if word not in above and word not in LIBRARIES.values() and word not in ("all above", folder[1]):
                faults.append(f"{folder[1]}/{name} names {word}, which is no room above and no library")
        above[name] = [word for word in words if word != "all above"] + (list(above) if "all above" in words else [])
    return folders, faults


def sources(folder):
    return [path for path in glob.glob(folder + "/**/*", recursive=True) if path.endswith((".c", ".h", ".def", ".f90"))]


def includes(path):
    """Includes of a file: name of a library, "folder" or "folder/room"."""
    with open(path, encoding="utf-8") as file:
        for bracket, header in INCLUDE.findall(file.read()):
            if bracket == "<":
                word = LIBRARIES.get(header.split("/")[0])
                if word:
                    yield word
            elif "/" in header:
                yield os.path.dirname(header)


def allowed(folders, place, word, command=False):
    """May files in place ("folder" or "folder/room") include the word?  A command may use all rooms of its folder."""
    name, _, room = place.partition("/")
    folder = folders[name]
    other, _, other_room = word.partition("/")
    if word == place:
        return True
    if other == name and not room:
        return command or name not in folder.rooms.get(other_room, [])
    if other == name:
        return (other_room or name) in folder.rooms.get(room, [])
    if room and any(word in words for words in folder.rooms.values()) and word not in folder.rooms.get(room, []):
        return False
    return word in folder.words or word.split("/")[0] in folder.words


def forbidden(folders, root, name):
    """Includes that are not allowed in a folder: "FILE WORD"."""
    found = []
    for path in sources(os.path.join(root, name)):
        file = os.path.relpath(path, root)
        # A file in a folder without rooms, such as test/unit, belongs to the folder itself.
        place = os.path.dirname(file) if folders[name].rooms else name
        command = os.path.basename(file).startswith(("cmd_", "main"))
        found += [f"{file} {word}" for word in includes(path)
                  if not allowed(folders, place, word, command) or (name == "llamp" and file != ONLY.get(word, file))]
    return found


def crowded(folders, root, known):
    """Floors with more sources than they may have, and floors that are known for too many sources, but have not."""
    counts = collections.Counter(os.path.relpath(os.path.dirname(path), root) for name in folders for path in sources(os.path.join(root, name)))
    return sorted([f"{floor} has {count} sources" for floor, count in counts.items() if count > known.get(floor, MOST_FILES)] +
                  [f"{floor} need not be listed" for floor in known if counts[floor] <= MOST_FILES])


def is_silent(path):
    """Whether neither a header nor a first comment says what a source does."""
    if not path.endswith(".c") or os.path.exists(path[:-1] + "h"):
        return False
    with open(path, encoding="utf-8") as file:
        return not file.read(2) == "/*"


def shared_statics(paths):
    """Names of static functions and variables in more than MOST_SHARING of the sources: "NAME FILE..."."""
    files = collections.defaultdict(set)
    for path in paths:
        with open(path, encoding="utf-8") as file:
            for name in STATIC.findall(file.read()):
                files[name].add(os.path.relpath(path, SOURCE))
    return sorted(" ".join([name] + sorted(names)) for name, names in files.items() if len(names) > MOST_SHARING)


def cycle(folders):
    """Folder that uses itself through others, or None."""
    def reaches(name, goal, seen):
        for word in folders[name].words:
            word = word.split("/")[0]
            if word == goal:
                return True
            if word in folders and word not in seen and reaches(word, goal, seen | {word}):
                return True
        return False
    return next((name for name in folders if reaches(name, name, set())), None)


def report(faults, sentence):
    tap.check(not faults, sentence, *faults)


def check_the_check():
    """Check that this test finds faults."""
    text = """
| folder | holds | may use |
|---|---|---|
| `base/` | - | – |
| `tool/` | - | base/low, GLPK |
## Rooms of `tool/`
| room | holds | may use |
|---|---|---|
| `one` | - | GLPK |
| `two` | - | one |
| `three` | - | – |
| `four` | - | tool |
| `four/in` | - | four |
"""
    folders, faults = read_tables(text)
    files = {"tool/main.c": '#include "tool/one/a.h"\n#include <stdio.h>\n', "tool/two/b.c": '#include "tool/one/a.h"\n',
             "tool/one/a.c": '#include <glpk.h>\n#include "base/low/c.h"\n#include "tool/two/b.h"\n',
             "tool/e.c": '#include "tool/one/a.h"\n#include "tool/four/f.h"\n', "tool/cmd_e.c": '#include "tool/four/f.h"\n',
             "tool/four/f.c": '#include "tool/e.h"\n#include "tool/one/a.h"\n',
             "tool/four/in/g.c": '#include "tool/four/f.h"\n#include "tool/three/d.h"\n',
             "tool/two/h.c": '#include "tool/four/in/g.h"\n',
             "tool/three/d.c": '#include "tool/one/a.h"\n#include "tool/main.h"\n#include "base/c.h"\n#include <glpk.h>\n'}
    with tempfile.TemporaryDirectory() as root:
        for path, lines in files.items():
            os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
            with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                file.write(lines)
        found = sorted(forbidden(folders, root, "tool"))
        paths = [os.path.join(root, f"{i}.c") for i in range(MOST_SHARING + 1)]
        for i, path in enumerate(paths):
            with open(path, "w", encoding="utf-8") as file:
                file.write(f"static int find(int x)\n{{\n\treturn x;\n}}\n\nstatic const struct row\n\trows_{i}[2] = {{{{1}}}};\n")
        statics = [len(shared_statics(paths)), len(shared_statics(paths[1:]))]
        os.mkdir(os.path.join(root, "base"))
        for i in range(2 * MOST_FILES + 3):
            with open(os.path.join(root, f"{'base' if i % 2 else 'tool/four'}/{i}.h"), "w", encoding="utf-8"):
                pass
        floors = [crowded(folders, root, known) for known in ({"base": 41}, {"tool": 3})]
    wanted = ["tool/e.c tool/four", "tool/four/f.c tool/one", "tool/four/in/g.c tool/three", "tool/one/a.c tool/two", "tool/three/d.c GLPK",
              "tool/three/d.c base", "tool/three/d.c tool", "tool/three/d.c tool/one", "tool/two/h.c tool/four/in"]
    report(faults + [str(found)] if faults or found != wanted else [], "includes that are not allowed are found")
    wanted = [["tool/four has 43 sources"], ["base has 41 sources", "tool need not be listed", "tool/four has 43 sources"]]
    report([] if floors == wanted else [str(floors)], "floors with too many sources are found")
    report([] if statics == [1, 0] else [str(statics)], "static names of too many files are found")
    report([] if read_tables(text.replace("| one |", "| three |"))[1] else [text],
           "a room that names one below itself is found")
    report([] if cycle(read_tables(text.replace("| – |", "| tool |", 1))[0]) else [text],
           "folders that use each other are found")


def main():
    with open(os.path.join(SOURCE, "doc/architecture.md"), encoding="utf-8") as file:
        folders, faults = read_tables(file.read())
    report(faults, "the tables of doc/architecture.md name rooms of their folder and libraries")
    report(["goal/"] if "goal" not in folders else [], "the table of folders is found")
    report([cycle(folders)] if cycle(folders) else [], "no two folders use each other")
    here = {name for name in os.listdir(SOURCE) if name != "build" and sources(os.path.join(SOURCE, name))}
    report(sorted(here ^ set(folders)), "the table of folders has each folder with sources, and no other")
    mended = set(KNOWN)
    for name, folder in folders.items():
        if folder.rooms:
            rooms = {os.path.relpath(os.path.dirname(path), os.path.join(SOURCE, name)) for path in sources(os.path.join(SOURCE, name))} - {"."}
            report(sorted(rooms ^ set(folder.rooms)), f"the table of {name}/ has each of its rooms, and no other")
        elif name not in ("test", "bench", "examples"):
            report([path for path in sources(os.path.join(SOURCE, name)) if path.split("/")[-2] != name],
                   f"{name}/ has no rooms, as it has no table")
        found = set(forbidden(folders, SOURCE, name))
        mended -= found
        report(sorted(found - set(KNOWN)), f"{name}/ uses only {', '.join(folder.words) or 'the C library'}")
    report(sorted(mended), "each fault that is listed as known is there")
    production = [path for name in folders if name not in ("test", "bench", "examples") for path in sources(os.path.join(SOURCE, name))]
    report(sorted(os.path.relpath(path, SOURCE) for path in production if is_silent(path)), "each source without a header opens with a sentence that says what it does")
    report(crowded(folders, SOURCE, CROWDED), f"no floor has more than {MOST_FILES} sources, but those that are listed with their number")
    report(shared_statics(path for path in production if path.endswith(".c")), f"no static name is in more than {MOST_SHARING} files")
    check_the_check()
    tap.end()


main()
