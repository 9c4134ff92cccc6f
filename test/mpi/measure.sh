#!/bin/bash
# runs: every-mpi
# Test llamp-measure with an MPI: it ends, prints what it measured, and llamp reads its file.  No test
# is about the times, because the machine has other work.
. "$SOURCE/test/cli/tap.sh"

measures() { # RANKS OPTION...
	ranks=$1
	shift
	exits 0 timeout 300 "$MPIEXEC" -n "$ranks" llamp-measure params --time-limit 1s "$@"
}

# Check that the file has all parameters, that they are not negative, and that messages take time.
makes_sense() {
	exits 0 llamp analyze "$SOURCE/examples/two-ranks.goal" --params "$1" --format json &&
		/usr/bin/python3 - out "$1" <<-END
			import json, re, sys
			read = json.load(open(sys.argv[1]))["parameters"]
			written = dict(re.findall(r"^([LogGOS]): (.*)$", open(sys.argv[2]).read(), re.MULTILINE))
			assert sorted(written) == sorted("LogGOS"), written
			assert all(read[name] >= 0 for name in "LogGO") and read["L"] + 2 * read["o"] > 0, read
			assert all(abs(read[name] - float(written[name][:-2])) < 1e-6 for name in "LogGO"), read
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
check "... with the MPI, the nodes and all tables in comments" says_where '# ' two.yaml
check "... which the command prints, too" says_where '' two.text
check "... with the warnings" test "$(grep -c '^# warning: ' two.yaml)" = "$(grep -c '^llamp-measure: warning: ' two.err)"
check "without -o all goes to stdout" measures 2
mv out three.yaml
check "... as a file that llamp reads" makes_sense three.yaml
check "further ranks only wait" measures 3 -o three.yaml
check "... and llamp reads the file" makes_sense three.yaml

# A message of 1 byte takes L + 2 o, which cannot be less than what is injected.
has_latency() { # NS
	exits 0 timeout 300 "$MPIEXEC" -n 2 llamp-inject --latency "$1ns" llamp-measure params --time-limit 1s &&
		awk -v least="$1" '/^[Lo]: / {sum += $2 * ($1 == "o:" ? 2 : 1)} END {print sum; exit sum < 0.999 * least}' out
}
if command -v llamp-inject >/dev/null; then
	check "an injected latency is measured" has_latency 200000
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
