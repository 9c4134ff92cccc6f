#!/bin/bash
# runs: every-mpi-long
# Test llamp-measure with an MPI: it ends, prints what it measured, and llamp reads its file.  No test
# is about the times, because the machine has other work.
. "$SOURCE/test/cli/tap.sh"

# Measure, longer if the machine is so busy that too few sizes were measured.
measure() { # RANKS OPTION...
	for limit in 2 8 32 128; do
		status=0
		timeout 300 "$MPIEXEC" -n "$1" $inject llamp-measure params --time-limit ${limit}s "${@:2}" >out 2>err || status=$?
		grep -q "message sizes could be measured in the time given" err || return 0
	done
}
inject=

# Nothing may be said of L on a busy machine, or where o is all of a message's time: status 3.
measures() { # RANKS OPTION...
	measure "$@"
	case $status in
	0) ! grep "nothing can be said of L" err ;;
	3) [ "$(grep -c "^llamp-measure: nothing can be said of L: " err)" = 1 ] ;;
	*) false ;;
	esac || { echo "status $status"; cat out err; return 1; }
}

# Check that the file has all parameters, that they are not negative, and that messages take time.  A
# latency that was not measured has no line, and llamp demands it.
makes_sense() {
	set -- "$1" "$status"
	names=LogGOS given=
	if [ "$2" = 3 ]; then
		grep -q '^unknown: L ' "$1" || return 1
		complains 1 "$1: L is unknown, as it could not be measured" \
			llamp analyze "$SOURCE/examples/two-ranks.goal" --params "$1" || return 1
		names=ogGOS given='-L 0'
	fi
	exits 0 llamp analyze "$SOURCE/examples/two-ranks.goal" --params "$1" --format json $given &&
		/usr/bin/python3 - out "$1" $names <<-END
			import json, re, sys
			read = json.load(open(sys.argv[1]))["parameters"]
			written = dict(re.findall(r"^([LogGOS]): (.*)$", open(sys.argv[2]).read(), re.MULTILINE))
			names = sys.argv[3]
			assert sorted(written) == sorted(names), written
			assert all(read[name] >= 0 for name in "LogGO") and read["L"] + 2 * read["o"] > 0, read
			assert all(abs(read[name] - float(written[name][:-2])) < 1e-6 for name in names if name != "S"), read
			assert "L" not in written or read["L"] > 0, read
		END
}
says_where() {
	case $MPI in openmpi) name='Open MPI' ;; *) name=MPICH ;; esac
	grep "^${1}MPI  *$name" "$2" && grep "^${1}ranks  *0 and 1 on the same node, $(hostname)" "$2" &&
		grep "^${1}ping-pong  *3 B " "$2" && grep "^${1}burst of 16  *192 KiB " "$2" &&
		grep "^${1} *1 MiB " "$2"
}

check "parameters are measured" measures 2 -o two.yaml
cp out two.text
cp err two.err
check "... and llamp reads them" makes_sense two.yaml
check "... in which ranks were placed anew" grep "^# repeats  *[1-4]: one way " two.yaml
check "... with the MPI, the nodes and all tables in comments" says_where '# ' two.yaml
check "... which the command prints, too" says_where '' two.text
check "... with the warnings" test "$(grep -c '^# warning: ' two.yaml)" = "$(grep -c '^llamp-measure: warning: ' two.err)"
check "without -o all goes to stdout" measures 2
mv out three.yaml
check "... as a file that llamp reads" makes_sense three.yaml
check "further ranks only wait" measures 3 -o three.yaml
check "... and llamp reads the file" makes_sense three.yaml

# doc/usage.md tells how to make a table for figure 1 of such files.  On a busy machine some sizes are not measured.
tables_agree() (
	mkdir figure && cp two.yaml figure/alone-1.yaml && cp three.yaml figure/profiled-1.yaml && cd figure || exit 1
	sed -n "/^    table='BEGIN/,/--figure 1 /s/^    //p" "$SOURCE/doc/usage.md" >session && grep -q "figure 1" session && bash -e session >said || exit 1
	for run in alone profiled; do echo "$run $(grep -c '^# *[0-9]* [KM]*i*B  .* %$' $run-1.yaml)"; done >expected
	llamp-usage report -d usage.db --figure 1 --format csv >figure.csv &&
		awk -F, 'NR > 1 && $4 > 0 { rows[$2]++ } END { print "alone", rows["alone"] + 0; print "profiled", rows["profiled"] + 0 }' figure.csv |
		diff expected - && ! grep ' 0$' expected && [ -s latency.svg ] &&
		awk -F, 'NR > 1 { for (bytes = $3; bytes > 1; ) bytes /= 2; bad += bytes != 1 } END { exit bad }' figure.csv
)
check "files of two measurements make figure 1 of llamp-usage" tables_agree

# A message takes at least what is injected, in all repeats.
has_latency() { # US
	inject="llamp-inject --latency $1us" measure 2
	{ [ $status = 0 ] || [ $status = 3 ]; } &&
		awk -v least="$1" '/^# repeats / {print; found = $6 * ($7 == "s" ? 1e6 : $7 == "ms" ? 1e3 : $7 == "us" ? 1 : 0)}
			END {exit !(found >= 0.999 * least)}' out
}
if command -v llamp-inject >/dev/null; then
	check "an injected latency is measured" has_latency 200
else
	skip "an injected latency is measured" "there is no llamp-inject"
fi

refused() { # STATUS TEXT RANKS OPTION...
	status=$1 text=$2 ranks=$3
	shift 3
	exits "$status" timeout 100 "$MPIEXEC" -n "$ranks" llamp-measure params "$@" && [ ! -s out ] &&
		grep -F "llamp-measure: $text" err
}
check "one rank is refused" refused 2 "two ranks are needed, this is one: mpiexec -n 2 llamp-measure params" 1
check "an output that cannot be written is refused before anything is measured" \
	refused 4 "none/p.yaml: " 2 -o none/p.yaml --time-limit 3600s
check "no partial file is left" test "$(echo *.yaml* .*.yaml* | tr ' ' '\n' | grep -c yaml)" = 3
