#!/bin/sh
# Test schedgen --usage: synthetic graphs from the logs of jobs.
. "$SOURCE/test/cli/tap.sh"

# COUNT calls of FUNCTION with EVENT on each of so many ranks: the log of a run of 200 us, of which 1 us is in each call.
log_of() { # RANKS COUNT FUNCTION EVENT
	for rank in $(seq 0 $(($1 - 1))); do
		echo "$rank 1000 2000 MPI_Init"
		for step in $(seq "$2"); do
			case $4 in
			ring) events="send:$(((rank + 1) % $1)):1 recv:$(((rank + $1 - 1) % $1)):1" ;;
			*) events=$4 ;;
			esac
			echo "$rank $((step * 10000)) $((step * 10000 + 1000)) $3 $events"
		done
		echo "$rank 202000 202100 MPI_Finalize"
	done | "$SOURCE/test/cli/critpath/archive.py" trace && llamp-usage from-trace trace -o job.usage && rm -r trace
}
# T at latency 0 and lambda_L of the skeleton are as given.
skeleton_has() { # T LAMBDA OPTION...
	runtime=$1
	lambda=$2
	shift 2
	schedgen --usage job.usage "$@" -o job.goal 2>said && llamp analyze job.goal -L 0 --overhead 0 -G 0 --format json | tr -d ' \n' >found &&
		grep -q "\"runtime_ns\":$runtime,.*\"lambda_L\":{\"left\":[0-9]*,\"right\":$lambda}" found || { cat said found; return 1; }
}
check "reductions: computation is what is not in MPI, and lambda_L is n log2 P" eval '
	log_of 2 10 MPI_Allreduce coll:ALLREDUCE && skeleton_has 190000 10 &&
	log_of 4 10 MPI_Allreduce coll:ALLREDUCE && skeleton_has 190000 20 &&
	log_of 8 7 MPI_Allreduce coll:ALLREDUCE && skeleton_has 193000 21'
check "... which is the exposure that llamp-usage show prints" eval 'llamp-usage show job.usage --format json | grep -q "\"exposure\": 21,"'
check "another algorithm has another lambda_L: 2 (P - 1) a ring" eval 'skeleton_has 193000 98 --coll allreduce=ring'
check "exchanges: each is one latency" eval 'log_of 3 6 MPI_Sendrecv ring && skeleton_has 194000 6 && grep -q "^rank 2" job.goal && [ "$(grep -c " send " job.goal)" = 18 ]'
check "a barrier has messages of no bytes, and calls keep their names" eval 'log_of 4 3 MPI_Barrier coll:BARRIER && skeleton_has 197000 6 &&
	llamp path job.goal -L 1us --overhead 0 -G 0 --format text | grep -q MPI_Barrier'
check "half as many calls come every second time" eval '
	{ for rank in 0 1; do
		echo "$rank 1000 2000 MPI_Init"
		for step in 1 2 3 4; do echo "$rank $((step * 10000)) $((step * 10000 + 1000)) MPI_Barrier coll:BARRIER"; done
		for step in 5 6; do echo "$rank $((step * 10000)) $((step * 10000 + 1000)) MPI_Allreduce coll:ALLREDUCE"; done
		echo "$rank 202000 202100 MPI_Finalize"
	done; } | "$SOURCE/test/cli/critpath/archive.py" trace && llamp-usage from-trace trace -o job.usage &&
	skeleton_has 194000 6 && [ "$(grep -c calc job.goal)" = 8 ]'
check "it says that the graph is synthetic" eval 'grep -q "the graph is synthetic" said && grep -q "usage job.usage (synthetic)" job.goal.calls'
check "options about traces are refused" complains 2 "only --coll and --reduce-cost" schedgen --usage job.usage --preset mpich -o x.goal
check "... and an archive" complains 2 "excludes ARCHIVE" schedgen --usage job.usage trace -o x.goal
check "a file that is no log is refused" complains 1 "no log of a job" schedgen --usage "$SOURCE/README.md" -o x.goal
check "... and a log without ranks" eval 'zstd -dqc job.usage | sed "s/\"average\"/\"most\"/; s/\"ranks_seen\": 2/\"ranks_seen\": 0/" >none.json &&
	exits 1 schedgen --usage none.json -o x.goal && ! [ -e x.goal ]'
