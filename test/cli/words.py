#!/usr/bin/python3
"""Words that the glossary of doc/architecture.md has replaced are gone from code, help and documents."""
import os
import re
import sys

SOURCE = os.environ["SOURCE"]
# (pattern, where it is wrong, what to write instead).  "" is everywhere.  Words that have another meaning elsewhere
# ("measure" is a folder, "to agree" is plain English) are wrong only in some folders.
OLD = [
    (r"\bstruct execution\b|\bexecution_walk\w*", "", "execution graph, topological order"),
    (r"\b[Ii]nstants?\b", "", "event (of the execution graph)"),
    (r"\b[Mm]eetings?\b", "", "match (of a send and a receive)"),
    (r"\bcost[_ ]forms?\b|\bcost_form_\w+|\bTERMS?\b|\bTERM_\w+", "", "cost expression, coefficient"),
    (r"\bcost_join\w*|\bled\b|\bgo_on\b|\bcandidates?\b", "", "edge merge, in-edge, extend"),
    (r"\bcost_ranks?\b|\bcost_ranks_\w+|\brank_nodes?\b|\bcost_reduce\w*", "", "contraction of a rank, of the joined graph"),
    (r"\bcost_parts?\b|\bcost_part_\w+", "", "subgraph"),
    (r"\bpath_keys?\b|\bpath_key_\w+", "", "lexicographic key"),
    (r"\bmeasure\b", "llamp/path test/unit/llamp/test_path test/unit/llamp/test_lexi", "lexicographic key"),
    (r"\bpath_(pass|lanes|line|prune|limits|calls|segment)\w*|\breport_calls\w*", "",
     "longest path, line, prune, bounds, critical calls, critical segment"),
    (r"\bfacts\b|\bagreed?_?\w*|\bunif(y|ied)\w*|\breplay\w*", "trace tracer bench",
     "rank summary, consistent recovery, global ids, journal to OTF2"),
    (r"\btext_(calls|collectives|comms|files|functions|line|match|requests|trace)\w*", "trace test/unit/trace", "liballprof_*"),
    (r"\bfronts\b|\bfront_\w+|(?<!in )\bfront\b", "", "frontier"),
    (r"\bconverters?\b|\bstruct conversion\b|\bconversion_\w+|\bconversion\.[ch]\b", "",
     "convert (a rank), convert_archive"),
    (r"\bconvert/(window|balance|cut|loops|functions|tags)\.[ch]\b|\bconvert_window\w*", "",
     "slice, message balance, slice channels, repeats, call statistics, GOAL tags"),
    (r"\b(struct )?(tags|cut|loops|balance)_(number|join|clear|find|add|apply|release|rank|check|init|end)\w*"
     r"|\bstruct (tags|cut|loops|loop_(item|body)|balance)\b", "schedgen test/unit/schedgen test/unit/lib",
     "goal_tags, slice_channels, repeats, message_balance"),
    (r"\b[Ss]chedules?\b", "", "graph"),
    (r"[Cc]orners?(?![a-z])", "llamp doc/commands doc/model doc/tradeoff test/unit/llamp/test_tradeoff",
     "vertex of the frontier"),
    (r"redecid\w*", "", "resimulate"),
    (r"\b(struct )?exchange_(agree|reduce|tell|all|before|play)\b|\bstruct exchange\b|\bEXCHANGE_\w+", "", "dist (bcast, exscan, alltoallv, MIN, MAX)"),
    (r"\b[dD]oubts\w*|\blone_\w+|\b[kK]eepers?\b|\bkept_as\b|\bpatience\b", "critpath trace tracer dist test/unit/critpath",
     "trace quality, unmatched, owner, index_at_owner, backoff"),
    (r"\b[lL]east[ _]waits?\w*|\bmeasured_signals\w*", "", "minimum wait, sync_edges"),
    (r"[wW]hat decided", "", "what determined"),
    (r"\bstruct (service|pass|trace|moment)\b|\b(service|moment)_[a-z]\w*|\bpass->|\border_pass\b|\bpass_(trace|bound|happen|request|hand)\w*",
     "llamp test/unit/llamp bench/analysis", "struct sim, sim_*, sim_result, provenance, event_time"),
    (r"\bstruct request\b", "llamp test/unit/llamp", "resource_request"),
    (r"\b\w*hand_?overs?\b", "llamp critpath test/unit/llamp test/unit/critpath", "rank switch, sim_move_bounds"),
    (r"\bstruct measured_part\b|\bshare_(ask|rows|map|run|graph|splits|minimum|walk|waits|totals|members|search|options)\w*|\bpart_(vertex|edge|next|raw)\w*|\bPART_(UNREACHED|ORDERS|VERTEX)\w*",
     "", "participation, dist_*, rank_owners, sync_points, subgraph"),
    (r"(?<![-\"])(?<!between )\b[Ss]plits\b|\b(is|keep|given|check|by|subgraph)_splits?\b|\bsplits_\w+|\bSPLITS_\w+",
     "critpath doc/critpath test/unit/critpath test/unit/lib/check", "synchronization points, sync_points"),
    (r"wait(s|ing)? in a (circle|ring)\b", "", "wait for each other"),
    (r"\b(the|its|their|whose) begin\b", "llamp", "the start"),
    (r"\bstruct (times|spans?|time_windows|measured)\b|\btimes_(find|start|end|event_before|weights|through)\b|\btime_windows_\w+"
     r"|\b(graph/(times|through)|simulate/(spans|time_windows)|analysis/measured)\.[ch]\b",
     "llamp test/unit/llamp doc/architecture", "event_times, path_through, op_times, lookahead, observations"),
]
ENDINGS = (".c", ".h", ".def", ".md", ".sh", ".py", ".f90", ".inc", "Makefile")


def files():
    for folder, folders, names in os.walk(SOURCE):
        folders[:] = sorted(name for name in folders if name not in ("build", ".git"))
        for name in sorted(names):
            path = os.path.relpath(os.path.join(folder, name), SOURCE)
            if name.endswith(ENDINGS) and path not in ("test/cli/words.py", "test/cli/layers.py"):
                yield path


def old_words(path, text):
    """Old words in a file and its name: (line number, word, what to write instead)."""
    rows = [(re.compile(pattern), instead) for pattern, places, instead in OLD if path.startswith(tuple(places.split(" ")))]
    for number, line in enumerate([os.path.basename(path)] + text.splitlines()):
        for pattern, instead in rows:
            match = pattern.search(line)
            if match:
                yield number, match[0], instead


def main():
    found = []
    for path in files():
        with open(os.path.join(SOURCE, path), encoding="utf-8") as file:
            text = file.read()
        found += [f"{path}:{number}: '{word}': write {instead}" for number, word, instead in old_words(path, text)]
    print("not ok" if found else "ok", "1 - the words that the glossary has replaced are gone")
    for line in found:
        print("#", line)
    wanted = "common/x.c", "a candidate\nstruct execution_graph\ncost_join(x)\n"
    seen = [word for _, word, _ in old_words(*wanted)]
    good = seen == ["candidate", "cost_join"] and not list(old_words("common/x.c", "text_file in front of"))
    print("ok" if good else "not ok", "2 - they are found where they are wrong")
    print("1..2")
    sys.exit(1 if found or not good else 0)


main()
