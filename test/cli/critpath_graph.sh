#!/bin/bash
# Test critpath graph: the calls of a run and what they depend on.
. "$SOURCE/test/cli/tap.sh"
shared=$SOURCE/test/cli/critpath
here=$SOURCE/test/cli/critpath_graph
DATA=${DATA:-$SOURCE/../shared/data}
python() { /usr/bin/python3 "$here/check.py" "$@"; }
schema() { /usr/bin/python3 "$SOURCE/test/cli/llamp/check.py" schema "$SOURCE/doc/critpath-graph.schema.json" "$@"; }

"$shared/archive.py" late <"$shared/late.calls" || exit 1
written() { critpath graph late -o "late.$1" && cat "late.$1"; }
for format in csv json dot; do
	golden graph.$format "the graph is written as $format" written $format
done
drawn() { dot -Tsvg late.dot >late.svg 2>said && [ ! -s said ] && grep -q "</svg>" late.svg; }
if command -v dot >/dev/null; then
	check "Graphviz draws it without a complaint" drawn
else
	skip "Graphviz draws it without a complaint" "no dot (Debian package graphviz)"
fi
odd_names() {
	cp -r late odd && LC_ALL=C sed -i 's/MPI_Bcast/MPI_"\\c\xe9\x07/' odd/traces.def && critpath graph odd -o odd.dot &&
		iconv -f UTF-8 -t UTF-8 odd.dot >/dev/null && grep -q 'label="MPI_\\"\\\\c\\\\xe9\\\\x07 6 begin' odd.dot
}
check "a name that is not UTF-8 is shown as in other outputs" odd_names
follows() {
	schema late.json && sed 's/"point": "hub"/"point": "centre"/' late.json >bad.json && ! schema bad.json 2>/dev/null
}
graph_schema() { critpath graph late --format schema -o schema.json && diff -u "$SOURCE/doc/critpath-graph.schema.json" schema.json; }
[ -z "$UPDATE" ] || critpath graph late --format schema -o "$SOURCE/doc/critpath-graph.schema.json"
check "the schema is the one in doc/" graph_schema
check "JSON follows its schema" follows

# sound ARCHIVE: all edges add up, and the longest path has the length that the walk finds.
sound() {
	critpath graph "$1" -o sound.json && critpath graph "$1" -o sound.csv && schema sound.json &&
		python graph sound.json sound.csv && critpath path "$1" --format json -o walk.json && python longest sound.json walk.json
}
check "activity and wait add up, without a cycle, and the longest path is that of the walk" sound late
part() {
	critpath graph late --from 9us --to 21us -o part.json && schema part.json && python slice late.json part.json 9000 21000
}
check "a slice has the edges between two times" part
nothing() {
	critpath graph late --from 1ns --to 2ns -o none.csv && [ "$(wc -l <none.csv)" = 1 ]
}
check "a slice without a call is empty" nothing
check "a slice after the end of the run is refused" complains 1 "leave nothing of the run" \
	critpath graph late --from 90s -o x.csv
for archive in "$DATA/liballprof/lulesh-8" "$DATA/otf2/scorep-ping-pong"; do
	name=$(basename "$archive")
	if [ -d "$archive" ]; then
		check "the graph of $name adds up, too" sound "$archive"
	else
		skip "the graph of $name adds up, too" "$archive is missing"
	fi
done

# ---------------------------------------------------------------------- failures
check "an output is needed" complains 2 "-o FILE is missing" critpath graph late
check "an unknown kind of output is refused" complains 2 "must end in .csv, .json or .dot" critpath graph late -o late.xml
check "an end before the begin is refused" complains 2 "--to 1 us is not after --from 2 us" \
	critpath graph late --from 2us --to 1us -o x.csv
check "a time that is none is refused" complains 2 "--from" critpath graph late --from x -o x.csv
check "a missing archive is named" complains 1 "critpath: nothing" critpath graph nothing -o x.csv
check "an output inside of the archive is refused" complains 2 "late/x.csv" critpath graph late -o late/x.csv
none() { [ ! -e x.csv ] && [ ! -e late/x.csv ]; }
check "... and nothing is left of what failed" none
