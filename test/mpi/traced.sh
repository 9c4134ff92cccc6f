# Helpers of tests that trace a program, correct or not, and look at its trace.
. "$SOURCE/test/cli/tap.sh"

ranks=3
status=unknown # of the last run
: >said
: >summary

# Run the command in the argument; if it fails, show all output.
holds() {
	eval "$1" && return 0
	echo "status $status"
	show out err said summary
	return 1
}

run() { # arguments of llamp-trace
	timeout 300 "$MPIEXEC" -n "$ranks" llamp-trace "$@" >out 2>err
	status=$?
}

# Run a program on one rank, which may end without MPI_Finalize.  Use the program's own status and
# output: MPICH's mpiexec then returns 1 in some of a hundred runs and may lose output, also
# without the tracer.
run_alone() { # arguments of llamp-trace
	rm -f own_status
	timeout 300 "$MPIEXEC" -n 1 bash -c '"$@" >out 2>err; echo $? >own_status' run_alone \
		llamp-trace "$@" >launcher 2>&1
	status=$(cat own_status)
}

# Check that the archive is readable and its graph runs to its end.
whole() { # directory
	otf2-print "$1/traces.otf2" >shown 2>said && test ! -s said &&
		schedgen "$1" -o graph.goal 2>summary && goal check graph.goal >said 2>&1 &&
		llamp analyze graph.goal -L 1us --overhead 1us -G 1 >said 2>&1
}

# Check that the tracer has printed this message and no other.
one_message() { test "$(grep -c '^llamp-trace: ' err)" = 1 && grep -q "$1" err; }
