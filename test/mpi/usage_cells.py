"""Print the cells of a log, a line each, in the order of the log:

    usage_cells.py LOG FUNCTION...

FUNCTION SIZE-CLASS COMM-CLASS failed CALLS BYTES MOVED, of all ranks.  Without functions: FUNCTION CALLS, of all."""
import collections
import json
import subprocess
import sys

log = json.loads(subprocess.check_output(["zstd", "-dcq", sys.argv[1]]))
cells = log["cells"]
names = sys.argv[2:]
if not names:
    sums = collections.Counter()
    for name, calls in zip(cells["function"], cells["calls"]):
        sums[name] += calls
    for name in sorted(sums):
        print(name, sums[name])
for i, name in enumerate(cells["function"]):
    if name in names:
        print(name, *(int(cells[key][i]) for key in
                      ("size_class", "comm_class", "failed", "calls", "bytes", "moved")))
