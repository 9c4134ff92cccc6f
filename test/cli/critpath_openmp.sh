#!/bin/bash
# Efficiencies of ranks with OpenMP: small programs whose figures are known.
. "$SOURCE/test/cli/tap.sh"
folder=$SOURCE/test/cli/critpath_openmp

# found FILE-OR-RANKS... -- FIGURE...: make a trace of the ranks, and compare figures.
found() {
	local ranks=()
	while [ "$1" != -- ]; do ranks+=("$1") && shift; done
	shift
	rm -rf trace && "$folder/make_trace.py" trace "${ranks[@]}" || return 1
	critpath efficiency trace --format json -o found.json && "$folder/check.py" found.json "$@" &&
		/usr/bin/python3 "$SOURCE/test/cli/llamp/check.py" schema "$SOURCE/doc/critpath-efficiency.schema.json" found.json
}

# T is 10 us. The master computes for 6, of which 4 in a parallel region with one worker, and is in MPI for 4.
half='[[(2, 6, "parallel"), (6, 10, "MPI_Barrier")], [(2, 6, "parallel")]]'
check "parallel efficiency is that of MPI times that of OpenMP" found "$half" "$half" -- hybrid=0.5 parallel=0.6 \
	openmp=0.833333333333 openmp-serialisation=0.833333333333 openmp-load-balance=1 openmp-scheduling=1 \
	openmp_threads=4 openmp_regions=2 idle_threads_ns=12000 limited_parallelism_ns=0 critical_ns=0
text() { critpath efficiency trace >out && grep -q "^OpenMP  *4 threads of all ranks, 2 parallel regions: 12 us idle" out &&
	grep -q "^- OpenMP  *83.33 %" out; }
check "... also as text" text

# All is parallel, but the worker waits for the master at the end for half of the time.
late='[[(0, 10, "parallel")], [(0, 10, "parallel"), (0, 5, "loop"), (5, 10, "barrier")]]'
check "a worker that waits at a barrier is imbalance" found "$late" "$late" -- hybrid=0.75 parallel=1 openmp=0.75 \
	openmp-serialisation=1 openmp-load-balance=0.75 openmp-scheduling=1
# Both wait for 2 us at some time.
both='[[(0, 10, "parallel"), (0, 3, "critical"), (2, 3, "inside")], [(0, 10, "parallel"), (4, 7, "critical"), (6, 7, "inside")]]'
check "time that all threads lose is scheduling, and waits for critical sections are told" found "$both" "$both" -- hybrid=0.8 \
	openmp-serialisation=1 openmp-load-balance=1 openmp-scheduling=0.8 critical_ns=8000
# The implicit barrier runs tasks. One waits for a task of its own, and another for a critical section and in MPI.
one='[(0, 10, "parallel"), (0, 10, "barrier"), (1, 9, "task")]'
tasks="[$one, $one]"
check "a thread that runs tasks at a barrier does not wait" found "$tasks" "$tasks" -- hybrid=0.8 critical_ns=0
inner='[[(0, 10, "parallel"), (0, 10, "barrier"), (1, 9, "task"), (3, 7, "taskwait"), (4, 6, "task")],
	[(0, 10, "parallel"), (0, 10, "barrier"), (1, 9, "task"), (2, 4, "critical"), (3, 4, "inside"), (5, 6, "MPI_Barrier")]]'
check "... but in its tasks" found "$inner" "$inner" -- hybrid=0.6 critical_ns=2000
# Of three threads, the second region has two.
small='[[(0, 4, "parallel"), (4, 10, "parallel")], [(0, 4, "parallel"), (4, 10, "parallel")], [(0, 4, "parallel")]]'
check "a team that is too small is serialisation" found "$small" "$small" -- hybrid=0.8 openmp-serialisation=0.8 \
	openmp-load-balance=1 openmp-scheduling=1 limited_parallelism_ns=12000 idle_threads_ns=0
# Nested regions are part of the outer one, and MPI calls of a worker are not useful.
nested='[[(0, 10, "parallel"), (1, 3, "parallel")], [(0, 10, "parallel"), (4, 9, "MPI_Barrier")]]'
check "nested regions count once, and MPI calls of workers are not useful" found "$nested" "$nested" -- openmp_regions=2 hybrid=0.75
none='[[(6, 10, "MPI_Barrier")]]'
check "without OpenMP nothing is told of it" found "$none" "$none" -- hybrid=null openmp=null openmp_threads=0 parallel=0.6
check "... nor in text" eval 'critpath efficiency trace >out && ! grep -i openmp out'
check "a rank without parallel regions has one thread" found "$half" "$none" -- openmp_threads=3 hybrid=0.533333333333
