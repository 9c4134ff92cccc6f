# Helpers of tests that trace a program, correct or not, and look at its trace.
. "$SOURCE/test/cli/tap.sh"

ranks=3
: >said
: >summary

# Run the command in the argument; if it fails, show all output.
holds() {
	eval "$1" && return 0
	echo "status $status"
	tail -n 20 out err said summary
	return 1
}

run() { # arguments of llamp-trace
	timeout 300 "$MPIEXEC" -n "$ranks" llamp-trace "$@" >out 2>err
	status=$?
}

# Run a program on one rank, which may end without MPI_Finalize: MPICH's mpiexec then says 1
# of some runs in a hundred, and may lose what was printed, also without the tracer, so status
# and output are the program's own.
run_alone() { # arguments of llamp-trace
	rm -f own_status
	timeout 300 "$MPIEXEC" -n 1 bash -c '"$@" >out 2>err; echo $? >own_status' run_alone \
		llamp-trace "$@" >launcher 2>&1
	status=$(cat own_status)
}

# The archive can be read, and its graph has an end.
whole() { # directory
	otf2-print "$1/traces.otf2" >shown 2>said && test ! -s said &&
		schedgen "$1" -o graph.goal 2>summary && goal check graph.goal >said 2>&1 &&
		llamp analyze graph.goal -L 1us --overhead 1us -G 1 >said 2>&1
}

# The tracer has printed this message, and no other.
one_message() { test "$(grep -c '^llamp-trace: ' err)" = 1 && grep -q "$1" err; }
