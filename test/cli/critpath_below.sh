#!/bin/bash
# Test critpath below and the page of critpath view, of a trace with known times; test/mpi/below_mpi.sh has others.
. "$SOURCE/test/cli/tap.sh"
shared=$SOURCE/test/cli/critpath
here=$SOURCE/test/cli/critpath_below

"$shared/archive.py" late <"$shared/late.calls" && /usr/bin/python3 "$here/make_run.py" run || exit 1
golden below.txt "posts and polls are counted by the call that they are in, and by thread" critpath below run
golden below.csv "... as CSV" critpath below run --format csv
golden below.json "... as JSON" critpath below run --format json
golden slice.csv "of a slice, what begins in it" critpath below run --from 2ms --to 2.5ms --format csv
follows() { critpath below run -o below.json && /usr/bin/python3 "$SOURCE/test/cli/llamp/check.py" schema "$SOURCE/doc/critpath-below.schema.json" below.json; }
check "JSON follows its schema" follows
golden_folder=$SOURCE/doc golden critpath-below.schema.json "the schema is the one in doc/" critpath below late --format schema
check "a trace with nothing below MPI is refused, and the option is named" \
	complains 1 "late: nothing below MPI is recorded; llamp-trace --below-mpi does" critpath below late

page() { critpath view run -o run.html 2>err && critpath below run -o below.csv && "$here/page.py" run.html below.csv; }
check "the page of critpath view has the same calls and messages" page
same_page() { critpath view late -o late.html 2>err && ! grep -q 'id="below"\|readBelow' late.html; }
check "the page of a run without any has nothing of it" same_page

# Commands that pass over the regions find the same as without them.
/usr/bin/python3 "$here/make_run.py" plain without || exit 1
answers() { # ARCHIVE: of all commands, with another name
	cp -r "$1" trace && for command in "path trace" "waits trace" "imbalance trace" "profile trace" "path trace --method dijkstra"; do
		critpath $command --format json 2>&1
	done && schedgen trace -o graph.goal 2>&1 && cat graph.goal && rm -r trace
}
same_answers() { answers run >with && answers plain >without && [ "$(wc -l <with)" -gt 100 ] && diff with without; }
check "critpath and schedgen answer the same with and without what is below MPI" same_answers
