# Test a program of a Debian package, from its run to its tolerance.
#
#	. "$SOURCE/test/apps/app.sh"
#	needs PACKAGE PROGRAM MPICH|"Open MPI"
#	results() { sed ... out; }
#	app NAME RANKS PROGRAM ARGUMENT...
#
# The program runs twice, without and with the tracer, each time in a folder of its own.  The folder is a copy of
# input/, and the standard output goes to `out` in it.  `results` runs in that folder and prints the numbers that the
# program computes, without its times.  They must be the same in both runs except in the last digits, because MPI
# reduces in the order in which messages arrive.
#
# Figures go to $BUILD/test/apps.figures.

. "$SOURCE/test/cli/tap.sh"
mkdir input
export OMP_NUM_THREADS=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
LP_OPERATIONS=100000	# larger programs are analyzed by the path engine alone
TIME_LIMIT_S=200

# needs PACKAGE PROGRAM MPI: skip the test if the program cannot be run and traced.
needs() {
	case $3 in
	MPICH) launcher=mpiexec.mpich library=$(ls "$BUILD"/lib/libllamptrace-mpich.so "$BUILD"/lib/libllamptrace.so 2>/dev/null) ;;
	*) launcher="mpiexec.openmpi --oversubscribe" library=$(ls "$BUILD"/lib/libllamptrace-openmpi.so 2>/dev/null) ;;
	esac
	why=
	[ -n "$library" ] || why="the tracer is not built for $3"
	command -v "$2" >/dev/null && command -v "${launcher%% *}" >/dev/null ||
		why="the Debian package $1 is missing; make deps-apps installs it"
	[ -z "$why" ] && return 0
	skip "$(basename "$0" .sh) is traced from its run to its tolerance" "$why"
	exit 0
}

# runs FOLDER COMMAND...: run the command in a copy of input/, and write its seconds to FOLDER/seconds.
runs() {
	(
		cp -r input "$1" && cd "$1" && shift || exit 1
		start=$(date +%s%N)
		timeout $TIME_LIMIT_S "$@" >out 2>err || { echo "$*: status $?"; tail -n 20 out err; exit 1; }
		echo $((($(date +%s%N) - start) / 1000000)) | sed 's/...$/.&/; s/^\./0./' >seconds
	)
}

same_results() { # FOLDER: of a run with the tracer
	for run in plain "$1"; do
		(cd $run && results) >$run.results
		[ -s $run.results ] || { echo "$run: no results"; tail -n 20 $run/out; return 1; }
	done
	/usr/bin/python3 "$SOURCE/test/apps/same.py" plain.results "$1.results"
}

silent() {
	! grep llamp-trace traced/err
}

prints_without_warning() {
	exits 0 otf2-print traced/trace/traces.otf2 && [ ! -s err ] && return 0
	head -n 20 err
	return 1
}

converts() {
	start=$(date +%s%N)
	exits 0 schedgen traced/trace -o "$1.bin" || return 1
	schedgen_ms=$((($(date +%s%N) - start) / 1000000))
	mv err schedgen.err
	if grep -v ' ranks\?, .* calls: \|: modelled: \| counted as computation: \| cancelled, and left out$\| what messages between ranks cost$\| operations\?, .* messages\?, ' schedgen.err; then
		return 1
	fi
	exits 0 goal check "$1.bin"
}

analyzes() {
	operations=$(goal info --format json "$1.bin" |
		/usr/bin/python3 -c 'import json, sys; print(json.load(sys.stdin)["operations"])')
	engines=path
	[ "$operations" -gt $LP_OPERATIONS ] || engines="path lp"
	for engine in $engines; do
		exits 0 llamp analyze "$1.bin" --tolerance 1,2,5 --engine $engine --format json || return 1
		mv out $engine.json
	done
	/usr/bin/python3 "$SOURCE/test/apps/sane.py" $(printf '%s.json ' $engines)
}

# Print seconds without and with the tracer, recorded calls, bytes of trace for each, milliseconds of
# schedgen, share of the time in MPI that counts as computation.
figures() {
	bytes=$(cat traced/trace/traces/*.evt | wc -c)
	unmodelled=$(sed -n 's/.*counted as computation: .*(\([0-9.]*\) %).*/\1/p' schedgen.err |
		awk '{sum += $1} END {printf "%.2f", sum}')
	calls=$(cat calls)
	printf '%-10s %5s %10s %10s %9s %10s %9s %10s\n' "$1" "$2" "$(cat plain/seconds)" "$(cat traced/seconds)" \
		"$calls" $((bytes / calls)) "$schedgen_ms" "$unmodelled" | tee -a "$BUILD/test/apps.figures" | sed 's/^/# /'
}

# app NAME RANKS PROGRAM ARGUMENT...
app() {
	name=$1 ranks=$2
	shift 2
	rm -rf plain traced flow
	check "$name: runs" runs plain $launcher -n "$ranks" "$@"
	check "$name: runs under the tracer" \
		runs traced $launcher -n "$ranks" llamp-trace -o trace "$@"
	check "$name: has the same results under the tracer" same_results traced
	check "$name: the tracer prints nothing" silent
	check "$name: runs while its graphs are made" runs flow $launcher -n "$ranks" llamp-trace --flow -o trace "$@"
	check "$name: has the same results then" same_results flow
	check "$name: the graphs give its calls back" \
		eval 'eventflow trace flow/trace/flow.efg --print >flow.calls && grep -q MPI_Finalize flow.calls'
	check "$name: otf2-print reads the trace without a warning" prints_without_warning
	check "$name: in the Python reader every call ends, in order of time" sh -c \
		'/usr/bin/python3 "$SOURCE/test/apps/calls.py" traced/trace/traces.otf2 "$1" >calls || { cat calls; false; }' \
		sh "$ranks"
	check "$name: schedgen makes a graph that goal check accepts" converts "$name"
	check "$name: both engines find the same tolerance" analyzes "$name"
	figures "$name" "$ranks"
}
