#!/bin/bash
# runs: every-mpi-long
# Test what the library that counts writes in MPI_Finalize: that its counts are those of the programs' logs
# (trace_log.h) and those of a trace of the same run, and that cells of known calls are as they have to be.
. "$SOURCE/test/cli/tap.sh"

libraries=$(dirname "$(readlink -f "$(command -v llamp-trace)")")/../lib
usage=$libraries/libllampusage.so
cells() { /usr/bin/python3 "$SOURCE/test/mpi/usage_cells.py" "$@"; }

# counted RANKS PRELOADED PROGRAM ARGUMENT...: run the program, and leave its log as run.usage.
counted() {
	local ranks=$1 preloaded=$2
	shift 2
	rm -rf logs trace run.usage && mkdir logs
	TRACE_LOG=$PWD/logs LLAMP_TRACE_DIR=$PWD/trace LLAMP_TRACE_QUIET=1 LLAMP_USAGE_FILE=$PWD/run.usage \
		LLAMP_USAGE_RANKS=all exits 0 timeout 300 "$MPIEXEC" -n "$ranks" \
		env LD_PRELOAD="$preloaded${LD_PRELOAD:+:$LD_PRELOAD}" "$BUILD/test/mpi/$1" "${@:2}" &&
		cells run.usage >counted
}

# counts RANKS PROGRAM ARGUMENT...: the counts of the functions that the program logs, outside of MPI_Pcontrol(0).
counts() {
	counted "$1" "$usage" "${@:2}" && same_counts
}
# The counts in `counted` of the functions that the programs' logs have are those of the logs.
same_counts() {
	sed -n 's/^\(MPI_[A-Za-z_]*\):.*/\1/p' logs/* | sort | uniq -c | awk '{print $2, $1}' >expected
	awk 'NR == FNR {logged[$1]; next} $1 in logged' expected counted | diff expected - &&
		[ "$(wc -l <expected)" -ge 5 ]
}
check "collectives are counted as the program counts them" counts 3 trace_collectives
check "communicators are counted as the program counts them" counts 3 trace_comms
check "one-sided operations are counted as the program counts them" counts 2 trace_rma
check "requests are counted as the program counts them" counts 2 trace_requests
# With an older library than MPI 4 the programs do nothing.
printf '%s\n' '#include <mpi.h>' '#if MPI_VERSION < 4' '#error' '#endif' >version.c
mpi4=$("$MPICC" -c version.c -o version.o 2>/dev/null && echo yes)
check_mpi4() { # SENTENCE COMMAND...
	if [ -n "$mpi4" ]; then check "$@"; else skip "$1" "this MPI is older than MPI 4"; fi
}
# Ranks of sessions alone do not end together: each has a log of its own.
counts_of_ranks() {
	rm -rf logs site && mkdir logs site
	TRACE_LOG=$PWD/logs LLAMP_USAGE_DIR=$PWD/site exits 0 timeout 300 "$MPIEXEC" -n "$1" \
		env LD_PRELOAD="$usage${LD_PRELOAD:+:$LD_PRELOAD}" "$BUILD/test/mpi/$2" || return 1
	find site -type f >found && [ "$(wc -l <found)" -eq "$1" ] || return 1
	while read -r log; do cells "$log"; done <found | awk '{ calls[$1] += $2 } END { for (name in calls) print name, calls[name] }' |
		sort >counted && same_counts
}
check_mpi4 "functions with large counts (_c) and partitions are counted as the program counts them" counts 3 trace_mpi4
check_mpi4 "sessions without MPI_Init are counted as the program counts them" counts_of_ranks 3 trace_sessions
for how in within around after some; do
	check_mpi4 "... and sessions $how MPI_Init and MPI_Finalize" counts 3 trace_sessions $how
done

# Two tools in either order, and Fortran by both names of its functions.
chained() {
	local first=$1 second=$2 program=$3
	counted 2 "$libraries/libllamp$first-$MPI.so:$libraries/libllamp$second-$MPI.so" "$program" || return 1
	mv counted "counted-$first"
	llamp-usage from-trace trace -o traced.json && python3 - "$first" <<'END'
import json, sys
cells = json.load(open("traced.json"))["cells"]
traced, counted = {}, dict(line.split() for line in open("counted-" + sys.argv[1]))
for name, calls in zip(cells["function"], cells["calls"]):
    traced[name] = traced.get(name, 0) + calls
# The tracer has nothing of what is between MPI_Pcontrol(0) and MPI_Pcontrol(1).
bad = [(name, calls, counted.get(name)) for name, calls in traced.items()
       if name in counted and int(counted[name]) < calls]
print(bad)
sys.exit(bool(bad) or len(traced) < 5)
END
}
# Without functions that a program calls until something has happened.
settled() { grep -v -e Test -e Waitsome -e probe -e get_status "$1"; }
same_chained() { chained usage trace "$1" && chained trace usage "$1" && diff <(settled counted-usage) <(settled counted-trace); }
check "chained with the tracer in either order, the counts are the same" same_chained trace_requests
check "... of mpif.h" same_chained trace_mpif
check "... of use mpi" same_chained trace_use_mpi
check "... of mpi_f08" same_chained trace_f08

# known RANKS PART FUNCTION... <expected: FUNCTION SIZE-CLASS COMM-CLASS FAILED CALLS BYTES MOVED
known() {
	local ranks=$1 part=$2
	shift 2
	cat >expected && counted "$ranks" "$usage" usage_known "$part" && cells run.usage "$@" | diff expected -
}
# Classes: 0, 1 B, 2^8, above 2^8, above 2^18, 2^19.  The root sends to all, who receive: 2 x 4 blocks are moved.
check "256 and 257, 524287 and 524288 bytes are apart" known 4 sizes MPI_Bcast <<END
MPI_Bcast 0 3 0 4 0 0
MPI_Bcast 1 3 0 4 4 8
MPI_Bcast 17 3 0 4 1024 2048
MPI_Bcast 18 3 0 4 1028 2056
MPI_Bcast 38 3 0 4 2097148 4194296
MPI_Bcast 39 3 0 4 2097152 4194304
END
check "communicators that are freed and made again have their own sizes" known 4 comms MPI_Barrier MPI_Comm_free <<END
MPI_Barrier 0 1 0 16 0 0
MPI_Barrier 0 3 0 16 0 0
MPI_Comm_free 0 1 0 16 0 0
MPI_Comm_free 0 3 0 16 0 0
END
check "bytes do not depend on the datatype, and are those of a handle's last one" known 2 types MPI_Bcast <<END
MPI_Bcast 10 2 0 2 48 96
MPI_Bcast 20 2 0 6 4800 9600
END
check "persistent messages count when they are started" known 2 persistent MPI_Send_init MPI_Recv_init MPI_Start MPI_Waitall <<END
MPI_Send_init 0 2 0 2 0 0
MPI_Recv_init 0 2 0 2 0 0
MPI_Start 8 2 0 16 160 160
MPI_Start 10 2 0 16 480 480
MPI_Waitall 3 0 0 16 0 0
END
check "calls that fail are apart, and messages to nobody have no bytes" known 2 fails MPI_Send MPI_Sendrecv <<END
MPI_Send 0 0 1 2 0 0
MPI_Send 0 2 0 2 0 0
MPI_Sendrecv 8 2 0 2 20 40
END
threads_as_one() {
	counted 2 "$usage" usage_known one && cells run.usage MPI_Sendrecv >one && counted 2 "$usage" usage_known threads &&
		cells run.usage MPI_Sendrecv >threads && diff one threads && [ "$(wc -l <one)" -eq 6 ]
}
check "eight threads have the sums of one" threads_as_one

# roles RANKS: the log has the ranks with a role and no others, each once with its calls.
roles() {
	# On a busy machine ranks may take so long to begin that each leaves a log of its own.
	for _ in 1 2 3; do
		rm -f run.usage
		LLAMP_USAGE_FILE=$PWD/run.usage exits 0 timeout 300 "$MPIEXEC" -n "$1" env \
			LD_PRELOAD="$usage${LD_PRELOAD:+:$LD_PRELOAD}" "$BUILD/test/mpi/usage_known" sizes && zstd -dqc run.usage >log || return 1
		grep -q '"ranks_seen": 1,' log || break
		show err
	done
	/usr/bin/python3 -c '
import json, sys
log = json.load(sys.stdin)
has = [(rank["rank"], rank["roles"], rank["calls"]["calls"][rank["calls"]["function"].index("MPI_Bcast")]) for rank in log["rank_list"]]
print(log["end"], log["ranks_seen"], *has)
roles = sorted(role for _, names, _ in has for role in names)
sys.exit(log["end"] != "finalize" or log["ranks_seen"] != int(sys.argv[1]) or has[0][0] != 0 or len(roles) != 4 or len(set(roles)) != 4
         or not all(names and calls == 6 for _, names, calls in has) or len({rank for rank, _, _ in has}) != len(has))' "$1" <log
}
check "the log has the ranks with a role, of few ranks, which send unasked" roles 6
check "... and of more, of which those with a role are asked" roles 17

# What must not harm the program.
quiet_or_not() {
	rm -rf gone
	LLAMP_USAGE_DIR=$PWD/gone LLAMP_USAGE_FILE= exits 0 timeout 300 "$MPIEXEC" -n 2 env \
		LD_PRELOAD="$usage${LD_PRELOAD:+:$LD_PRELOAD}" "$BUILD/test/mpi/usage_known" sizes || return 1
	[ "$(grep -c "there is no directory of logs" err)" -eq 1 ] && [ ! -e gone ] || return 1
	LLAMP_USAGE_QUIET=1 LLAMP_USAGE_DIR=$PWD/gone LLAMP_USAGE_PARTIAL=off exits 0 timeout 300 "$MPIEXEC" -n 2 env \
		LD_PRELOAD="$usage${LD_PRELOAD:+:$LD_PRELOAD}" "$BUILD/test/mpi/usage_known" sizes && ! grep llamp-usage err
}
check "without the directory of logs the program runs, and one line says so unless it is unwanted" \
	eval 'LLAMP_USAGE_PARTIAL=off quiet_or_not'
# refused TEXT VARIABLE=VALUE...: the program runs, and one line says why there is no log
refused() {
	local text=$1
	shift
	LLAMP_USAGE_PARTIAL=off exits 0 timeout 300 "$MPIEXEC" -n 2 env "$@" LD_PRELOAD="$usage${LD_PRELOAD:+:$LD_PRELOAD}" \
		"$BUILD/test/mpi/usage_known" sizes && [ "$(grep -c "llamp-usage: .*$text" err)" -eq 1 ] || { cat err; return 1; }
}
# Root may write into all directories, but makes no files in that of the kernel.
closed=/sys/kernel
[ "$(id -u)" = 0 ] || { closed=$PWD/closed && mkdir "$closed" && chmod 555 "$closed"; }
check "a directory of logs that may not be written to costs one line" refused "$closed.*\(denied\|permitted\|No such file\)" LLAMP_USAGE_DIR="$closed"
if [ -w /dev/full ]; then
	check "... and so does a device that is full, which stays a device" \
		eval 'refused "/dev/full: No space left on device" LLAMP_USAGE_FILE=/dev/full && [ -c /dev/full ]'
else
	skip "... and so does a device that is full, which stays a device" "there is no /dev/full"
fi
in_folders() {
	rm -rf site && mkdir site && chmod 1777 site
	LLAMP_USAGE_DIR=$PWD/site LLAMP_USAGE_EXCLUDE=$1 exits 0 timeout 300 "$MPIEXEC" -n 2 env \
		LD_PRELOAD="$usage${LD_PRELOAD:+:$LD_PRELOAD}" "$BUILD/test/mpi/usage_known" sizes || return 1
	find site -type f | sed 's/.*\.//' >found && find site -type f -perm 0400 | wc -l
}
check "a log has its place by date, and its user may read it" eval '[ "$(in_folders nobody)" = 1 ]'
check "a program that is excluded has none" eval '[ "$(in_folders other,usage_known)" = 0 ]'

# The frequency of the clock, to 1 %, by the one that the kernel tells where it does.
frequency() {
	counted 2 "$usage" usage_known sizes && llamp-usage show run.usage --format json >shown.json &&
		/usr/bin/python3 - <<'END'
import json, re, subprocess, sys
log = json.load(open("shown.json"))
source = open("/sys/devices/system/clocksource/clocksource0/current_clocksource").read().strip()
if log["clock"] == "monotonic":
    sys.exit(log["clock_hz"] is not None or source == "tsc")
said = [float(mhz) for mhz in re.findall(r"tsc: .*?([0-9.]+) MHz", subprocess.run(["dmesg"], capture_output=True, text=True).stdout)]
print(log["clock_hz"], said)
sys.exit(not 5e8 < log["clock_hz"] < 1e10 or bool(said) and abs(log["clock_hz"] / said[-1] / 1e6 - 1) > 0.01)
END
}
check "the log has the frequency of the time-stamp counter, if that was its clock" frequency

# Counters of the processor, of a kernel that is not there: each event has run for half of the time.
"$MPICC" -D_GNU_SOURCE -shared -fPIC -O2 -o fake_perf.so "$SOURCE/test/mpi/counters/fake_perf.c" -ldl || exit 1
faked() { # SETTING...: the counters of rank 0 under a fake perf
	rm -f run.usage
	LLAMP_USAGE_FILE=$PWD/run.usage exits 0 timeout 300 "$MPIEXEC" -n 2 env FAKE_PERF=1000000 "$@" \
		LD_PRELOAD="$usage:$PWD/fake_perf.so${LD_PRELOAD:+:$LD_PRELOAD}" "$BUILD/test/mpi/usage_known" sizes &&
		llamp-usage show run.usage --format json >shown.json && /usr/bin/python3 - <<'END'
import json
rank = json.load(open("shown.json"))["rank_list"][0]
print(*(rank[name] for name in ("instructions", "cycles", "floating_point")))
END
}
# Instructions have config 1, cycles 0.
counters_count() {
	[ "$(faked | cut -d ' ' -f 1,2)" = "2000002 2000000" ] &&
		[ "$(faked REFUSE_PERF=0x1 | cut -d ' ' -f 1,2)" = "None 2000000" ] &&
		[ "$(faked LLAMP_USAGE_COUNTERS=off)" = "None None None" ]
}
operations_add_up() {
	[ "$(faked | cut -d ' ' -f 3)" = 63508914 ] && [ "$(faked REFUSE_PERF=0x60c7 | cut -d ' ' -f 3)" = None ]
}
check "processor counters are extrapolated, and one that is refused is null" counters_count
# opened PROGRAM ARGUMENT...: how many events two ranks open
opened() {
	rm -f opened
	LLAMP_USAGE_FILE=$PWD/run.usage exits 0 timeout 300 "$MPIEXEC" -n 2 env FAKE_PERF=1000000 OPENED_PERF="$PWD/opened" \
		LD_PRELOAD="$usage:$PWD/fake_perf.so${LD_PRELOAD:+:$LD_PRELOAD}" "$BUILD/test/mpi/$1" "${@:2}" && wc -l <opened
}
opened_once() {
	local sessions
	sessions=$(opened trace_sessions around) && [ "$sessions" -ge 4 ] && [ "$sessions" = "$(opened usage_known sizes)" ]
}
check_mpi4 "sessions open them once, though MPI_Init comes in between" opened_once
if grep -q avx512f /proc/cpuinfo && grep -q GenuineIntel /proc/cpuinfo; then
	check "operations are the sum of all events, and null if one of them is refused" operations_add_up
else
	skip "operations are the sum of all events, and null if one of them is refused" "another processor"
fi

# Programs that share MPI_COMM_WORLD: one excluded, and one without the library.  Nobody waits for it.
together() { # SETTING [LIBRARY-OF-THE-SECOND-PROGRAM [SETTING]]: the logs in site
	rm -rf site && mkdir site && cp "$BUILD/test/mpi/usage_known" second || return 1
	LLAMP_USAGE_DIR=$PWD/site exits 0 timeout 300 "$MPIEXEC" \
		-n 2 env "$1" ${3:+"$3"} LD_PRELOAD="$usage${LD_PRELOAD:+:$LD_PRELOAD}" "$BUILD/test/mpi/usage_known" sizes : \
		-n 1 env "$1" ${3:+"$3"} LD_PRELOAD="$2${LD_PRELOAD:+:$LD_PRELOAD}" ./second sizes &&
		! grep "have not answered" err && find site -type f >found
}
excluded_together() {
	together LLAMP_USAGE_EXCLUDE=second "$usage" && [ "$(wc -l <found)" -eq 1 ] &&
		llamp-usage show "$(cat found)" --format json >shown.json && /usr/bin/python3 - <<'END'
import json, sys
log = json.load(open("shown.json"))
print(log["ranks"], log["ranks_seen"], log["nodes"], log["end"])
sys.exit((log["ranks"], log["ranks_seen"], log["nodes"]) != (3, 2, 1))
END
}
# The marks that ranks of this job make go away, each when its last rank has counted them.
cat >marks.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
int open(const char *path, int flags, mode_t mode)
{
	FILE *marks = strstr(path, "/llamp-usage-ranks-") ? fopen(getenv("MARKS"), "a") : NULL;

	if (marks) {
		fprintf(marks, "%s\n", path);
		fclose(marks);
	}
	return ((int (*)(const char *, int, mode_t))dlsym(RTLD_NEXT, "open"))(path, flags, mode);
}
END
cc -shared -fPIC -o marks.so marks.c -ldl || exit 1
marks_go() {
	sort -u marks
	for _ in $(seq 100); do
		[ -e "$(head -n 1 marks)" ] || return 0
		sleep 0.2
	done
	return 1
}
lacking_together() {
	rm -f marks
	MARKS=$PWD/marks LD_PRELOAD="$PWD/marks.so${LD_PRELOAD:+:$LD_PRELOAD}" together LLAMP_USAGE_QUIET=0 "" &&
		[ "$(wc -l <found)" -eq 2 ] && [ "$(wc -l <marks)" -eq 2 ] && [ "$(sort -u marks | wc -l)" -eq 1 ] && marks_go
}
# Where the launcher does not tell how many ranks it has started on a node, marks say nothing.
unknown_together() {
	! together "-uMPI_LOCALNRANKS" "" -uOMPI_COMM_WORLD_LOCAL_SIZE && grep -q "have not answered" err && find site -type f >found &&
		[ "$(wc -l <found)" -eq 2 ]
}
check "ranks of a program that is excluded take part, and nobody waits for them" excluded_together
check "without the library in one program, ranks of the other one do not wait: each has its log" lacking_together
check "... or wait for a moment if the launcher does not tell the number of ranks on a node" unknown_together
