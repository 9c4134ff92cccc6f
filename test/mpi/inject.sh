#!/bin/bash
# runs: every-mpi-long
# Test programs whose messages are delayed by llamp-inject.  No test has an upper limit of time.
. "$SOURCE/test/cli/tap.sh"

if ! command -v llamp-inject >/dev/null; then
	skip "messages are delayed" "llamp-inject is not built: no UCX headers"
	exit
fi
checks=$BUILD/test/mpi/inject_checks
# The latency of the network is measured, without that of ranks that sleep.
export YIELD_SLEEP_US=0

injected() { # RANKS ARGUMENT...: run llamp-inject with the arguments
	ranks=$1
	shift
	exits 0 timeout 300 "$MPIEXEC" -n "$ranks" llamp-inject "$@"
}

# ------------------------------------------------------------------- the delay
# Each check of the program is a test.
all_checks() { # TITLE LATENCY_NS GAP_NS OPTION...
	title=$1 latency=$2 gap=$3
	shift 3
	check "$title: the program ends" injected 2 "$@" "$checks" "$latency" "$gap"
	for name in receive wildcards no_bytes test_loop late persistent strided intercommunicator collective \
		to_itself probe probe_order matched_probe synchronous cancel truncation order one_sided partitioned; do
		check "$title: $name" grep -x "$name" out
	done
}
all_checks "latency" 2000000 0 --latency 2ms
check "one line names the injected delay" test "$(grep -c '^llamp-inject: ' err)" = 1
check "... the time that messages took at the start" \
	grep -qE '^llamp-inject: latency 2 ms, gap 0 ns/B; one way, measured: 8 bytes (([2-9]|[0-9]{2,})(\.[0-9]+)? ms|[0-9.]+ s)' err
check "... and the settings" grep -q '; set .*UCX_RNDV_THRESH=inf' err
all_checks "latency and gap" 300000 1 -L 300us -G 1GB/s
all_checks "latency in addition" 1000000 0 --latency 1ms --add
# A busy machine may hide what a byte takes.
check "the line names the latency to which it is added" grep -Eq 'latency 1 ms, gap 0 ns/B, added to '\
'(.* and 0 ns/B of the network; one way, measured: 8 bytes |.* of the network; one way, measured: 8 bytes .*, 65536 bytes )' err
finds_early() { # Run the checks without a delay: each must fail.
	exits 0 "$MPIEXEC" -n 2 "$checks" 1000000000000 0 &&
		[ "$(grep -cE '^(receive|wildcards|no_bytes|test_loop|persistent|strided|intercommunicator|collective|probe|probe_order|matched_probe|synchronous|one_sided): ' out)" = 13 ]
}
check "without llamp-inject the program finds that messages are too early" finds_early

# -------------------------------------------------------------------- programs
correct() { # RANKS PROGRAM ARGUMENT...
	ranks=$1 program=$2
	shift 2
	injected "$ranks" --latency 50us "$BUILD/examples/$program" "$@" && grep correct out
}
check "cg is correct" correct 4 cg --size 16
check "stencil2d is correct" correct 4 stencil2d --size 40 --iterations 20
check "stencil2d --blocking is correct" correct 6 stencil2d --blocking --size 40 --iterations 20 --grid 2x3
check "ring is correct" correct 8 ring --blocks 10 --count 512
check "teams is correct" correct 8 teams --tasks 20
check "cg on one rank is correct" correct 1 cg --size 16
[ ! -x "$BUILD/examples/heat1d" ] || check "heat1d, in Fortran, is correct" correct 4 heat1d
check "the worked example constructs ends" injected 2 -L 50us "$BUILD/test/mpi/constructs"
check "the worked example constructs_inter ends" injected 2 -L 50us "$BUILD/test/mpi/constructs_inter"
check "the worked example constructs_windows ends" injected 2 -L 50us "$BUILD/test/mpi/constructs_windows"
echo '#include <mpi.h>' | "$MPICC" -E -x c - >mpi.i
grep -q MPI_Psend_init mpi.i &&
	check "the worked example constructs_threads ends" injected 2 -L 50us "$BUILD/test/mpi/constructs_threads"
with_session() {
	injected 2 -L 50us "$BUILD/test/mpi/trace_sessions" &&
		[ "$(grep -c 'not measured, as the program begins with a session' err)" = 1 ]
}
grep -q MPI_Session_init mpi.i && check "a program with sessions works, and one line says so" with_session
same_messages() { # SEED
	exits 0 "$MPIEXEC" -n 3 "$BUILD/test/mpi/random_program" "$1" 100 && cp out without &&
		injected 3 -L 50us -G 1 "$BUILD/test/mpi/random_program" "$1" 100 && diff without out
}
for seed in 1 2 3; do
	check "random program $seed sends the same messages" same_messages $seed
done

with_threads() { # SEED
	mkdir -p logs && TRACE_LOG=$PWD/logs injected 3 -L 50us "$BUILD/test/mpi/random_threads" "$1" 60 3
}
TRACE_LOG=$PWD timeout 300 "$MPIEXEC" -n 2 "$BUILD/test/mpi/random_threads" 1 0 1 >out 2>err
if [ $? = 77 ]; then
	skip "random programs with threads end" "the MPI library has no MPI_THREAD_MULTIPLE"
else
	for seed in 1 2 3; do
		check "random program $seed with threads ends" with_threads $seed
	done
fi

# ----------------------------------------------------------------- with a tracer
traced() { # COMMAND...
	rm -rf trace
	exits 0 timeout 300 "$MPIEXEC" -n 4 "$@" && ! grep '^llamp-trace: ' err &&
		[ "$(grep -c '^llamp-inject: ' err)" = 1 ] && exits 0 schedgen trace -o trace.goal
}
inject_order() {
	traced llamp-inject -L 50us llamp-trace -o trace "$BUILD/examples/cg" --size 16 && cp trace.goal inject.goal
}
trace_order() {
	traced llamp-trace -o trace llamp-inject -L 50us "$BUILD/examples/cg" --size 16 && cp trace.goal trace_order.goal
}
messages() { goal info "$1" | sed -n '/messages/p; /bytes/p'; }
same_graph() {
	exits 0 timeout 300 "$MPIEXEC" -n 4 llamp-trace -o plain "$BUILD/examples/cg" --size 16 &&
		exits 0 schedgen plain -o plain.goal && messages plain.goal >wanted && [ -s wanted ] &&
		messages inject.goal | diff wanted - && messages trace_order.goal | diff wanted -
}
check "llamp-inject llamp-trace PROGRAM works" inject_order
check "llamp-trace llamp-inject PROGRAM works" trace_order
check "... and the trace has the messages of the program only" same_graph
# Ranks would leave the last collective of MPI_Init several latencies apart.  A busy machine may hold one back, for less than a
# longer latency.
begins_together() {
	for latency in 60 60 250 250 1000; do
		rm -rf trace
		exits 0 timeout 300 "$MPIEXEC" -n 4 llamp-trace -o trace llamp-inject -L ${latency}ms "$BUILD/examples/ring" --blocks 2 || return 1
		apart=$(PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$SOURCE/examples /usr/bin/python3 -c \
			'import validate; print(validate.runtime_of("trace")[1] / 1e6)')
		echo "ranks leave MPI_Init $apart ms apart"
		awk "BEGIN {exit !($apart < $latency / 2)}" && return
	done
	return 1
}
check "all ranks leave MPI_Init at one time" begins_together
preloads() { # COMMAND...: the libraries in their order
	case $MPI in
	mpich) set -- env PMI_RANK=0 PMI_SIZE=1 "$@" ;;
	openmpi) set -- env OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=1 "$@" ;;
	esac
	"$@" sh -c 'echo "$LD_PRELOAD"' 2>/dev/null |
		tr ': ' '\n\n' | grep -o 'libllamp[a-z]*' | tr '\n' ' ' | grep -x 'libllamptrace libllampinject '
}
check "the tracer comes before the injector, whose start is then a part of MPI_Init" \
	preloads llamp-inject -L 1us llamp-trace -o none
check "... in the other order of the commands, too" preloads llamp-trace -o none llamp-inject -L 1us

# -------------------------------------------------------------------- refusals
refused() { # STATUS TEXT COMMAND...
	wanted_status=$1 text=$2
	shift 2
	exits "$wanted_status" "$@" || return 1
	[ ! -s out ] && [ "$(grep -c "^llamp-inject: .*$text" err)" = 1 ] && return 0
	cat out err
	return 1
}
check "a command line without a latency is wrong" complains 2 "--latency is missing" llamp-inject "$checks"
check "... without a program, too" complains 2 "" llamp-inject --latency 1us
for wrong in "" x -1us 1kg nan; do
	check "... with the latency '$wrong', too" complains 2 "latency" llamp-inject --latency "$wrong" "$checks"
	check "... with the gap '$wrong', too" complains 2 "gap-per-byte" \
		llamp-inject --latency 1us --gap-per-byte "$wrong" "$checks"
done
check "mpiexec below llamp-inject is refused, with the right order" complains 2 \
	"mpiexec -n 2 llamp-inject --latency TIME" llamp-inject --latency 1us mpiexec -n 2 "$checks"
check "a program whose MPI cannot be seen is refused" complains 3 "start it below mpiexec" \
	llamp-inject --latency 1us /bin/true
printf 'int main(void) { return 0; }\n' >static.c
if cc -static -o static static.c 2>/dev/null; then
	check "a static program is refused" complains 3 "its messages cannot be delayed" \
		llamp-inject --latency 1us ./static
fi
# Let messages go to UCX below the injector.
cat >bypass.c <<'END_C'
#include <dlfcn.h>
#include <stdint.h>
static void *real(const char *name) { return dlsym(dlopen("libucp.so.0", RTLD_LAZY), name); }
void *ucp_tag_send_nbx(void *e, const void *b, size_t n, uint64_t t, const void *p)
{
	void *(*function)(void *, const void *, size_t, uint64_t, const void *) = real("ucp_tag_send_nbx");
	return function(e, b, n, t, p);
}
void *ucp_tag_recv_nbx(void *w, void *b, size_t n, uint64_t t, uint64_t m, const void *p)
{
	void *(*function)(void *, void *, size_t, uint64_t, uint64_t, const void *) = real("ucp_tag_recv_nbx");
	return function(w, b, n, t, m, p);
}
END_C
cc -shared -fPIC -include stddef.h -o bypass.so bypass.c
check "messages that go another way end the program" refused 3 "8 bytes takes .* instead of at least 2 s" \
	"$MPIEXEC" -n 2 env LD_PRELOAD="$PWD/bypass.so${LD_PRELOAD:+:$LD_PRELOAD}" llamp-inject -L 2s "$BUILD/examples/ring" --blocks 2
foreign_setting() {
	injected 2 -L 1us "$BUILD/examples/ring" --blocks 2 && grep "^llamp-inject: warning: UCX_RNDV_THRESH is 1000 instead of inf" err &&
		[ "$(grep -c warning err)" = 1 ] && ! grep 'set .*UCX_RNDV_THRESH' err
}
check "a setting of the user is kept, with one warning" env UCX_RNDV_THRESH=1000 \
	"$BASH" -c "$(declare -f exits injected foreign_setting); foreign_setting"
if [ "$MPI" = openmpi ]; then
	check "another way of sending is refused by one message" refused 3 "OMPI_MCA_pml is ob1" \
		env OMPI_MCA_pml=ob1 "$MPIEXEC" -n 2 llamp-inject -L 1us "$BUILD/examples/ring" --blocks 2
fi
# Each process is alone if the mpiexec of another MPI starts it.
own=$("$MPIEXEC" --version 2>&1 | grep -c 'Open MPI\|OpenRTE')
for other in mpiexec.mpich mpiexec.openmpi; do
	command -v $other >/dev/null || continue
	[ "$($other --version 2>&1 | grep -c 'Open MPI\|OpenRTE')" = "$own" ] && continue
	check "$other for a program of another MPI is refused once, with the right launcher" \
		refused 3 "the launcher started 2 processes, but MPI_COMM_WORLD has 1: .*(on Debian mpiexec.$MPI)" \
		timeout 100 $other -n 2 llamp-inject -L 1us "$BUILD/examples/ring" --blocks 2
done
cat >windows.c <<'END'
#include <mpi.h>
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv)
{
	const char *kind = argc > 1 ? argv[1] : "";
	int rank, level, *memory, one = 1, before = 0, to = 1;
	MPI_Win window;
	MPI_Init_thread(&argc, &argv, !strcmp(kind, "threads") ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Win_allocate(sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
	*memory = 0;
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0) {
		to = strcmp(kind, "own") != 0;
		MPI_Win_lock(MPI_LOCK_SHARED, to, 0, window);
		if (!strcmp(kind, "get"))
			MPI_Get_accumulate(&one, 1, MPI_INT, &before, 1, MPI_INT, to, 0, 1, MPI_INT, MPI_SUM, window);
		else if (!strcmp(kind, "add"))
			MPI_Accumulate(&one, 1, MPI_INT, to, 0, 1, MPI_INT, MPI_SUM, window);
		else
			MPI_Fetch_and_op(&one, &before, MPI_INT, to, 0, MPI_SUM, window);
		MPI_Win_unlock(to, window);
	}
	MPI_Win_free(&window);
	if (rank == 0)
		printf("correct\n");
	return MPI_Finalize();
}
END
"$MPICC" -o windows windows.c
window_works() { # KIND
	injected 2 -L 50us ./windows "$1" && grep -x correct out
}
window_refused() { # KIND TEXT
	refused 3 "$2: the program is ended; build it with MPICH" timeout 100 "$MPIEXEC" -n 2 llamp-inject -L 50us ./windows "$1"
}
for kind in add own; do
	check "one-sided communication works: $kind" window_works $kind
done
if [ "$MPI" = openmpi ]; then
	check "what never ends in Open MPI's is refused: MPI_Fetch_and_op" \
		window_refused fetch "MPI_Fetch_and_op at another rank never ends .* (osc=pt2pt)"
	check "... MPI_Get_accumulate" window_refused get "MPI_Get_accumulate at another rank never ends .* (osc=pt2pt)"
	check "... and windows with MPI_THREAD_MULTIPLE" window_refused threads "no windows with MPI_THREAD_MULTIPLE .* (osc=pt2pt)"
else
	for kind in fetch get threads; do
		check "one-sided communication works: $kind" window_works $kind
	done
fi
cat >direct.c <<'END'
#include <mpi.h>
void ucp_put_nb(void) __attribute__((weak));
int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	ucp_put_nb();
	MPI_Finalize();
	return 0;
}
END
# Keep the status of the program itself: MPICH's mpiexec in rare cases loses that of a program without MPI_Finalize.
writes_directly() {
	"$MPICC" -o direct direct.c && "$MPIEXEC" -n 1 "$BASH" -c '"$@" 2>err; echo $? >status' direct \
		llamp-inject -L 1us ./direct
	[ "$(cat status)" = 3 ] && grep "^llamp-inject: MPI calls ucp_put_nb for .*, which is not delayed" err
}
check "writing to the memory of another process directly ends the program" writes_directly
cat >second_node.sh <<END
[ "\${PMI_RANK:-\$OMPI_COMM_WORLD_RANK}" = 0 ] && exec "\$@"
exec unshare -m sh -c 'mount --bind "$PWD/other_id" /proc/sys/kernel/random/boot_id && exec "\$@"' sh "\$@"
END
tr 0-9a-f f0-9a-e </proc/sys/kernel/random/boot_id >other_id
if unshare -m mount --bind other_id /proc/sys/kernel/random/boot_id 2>/dev/null; then
	check "ranks on two systems are refused" refused 3 "the ranks run on several nodes" \
		"$MPIEXEC" -n 2 llamp-inject -L 1us sh second_node.sh "$BUILD/examples/ring" --blocks 2
else
	skip "ranks on two systems are refused" "another system can be imitated by root only"
fi
if [ "$MPI" = openmpi ]; then
	library=$(dirname "$(readlink -f "$(command -v llamp-inject)")")/../lib/libllampinject-openmpi.so
	check "MPI without UCX is refused" refused 3 "MPI does not use UCX here" env OMPI_MCA_pml=ob1 \
		LLAMP_INJECT_LATENCY_NS=1 LLAMP_INJECT_GAP_AS_PER_BYTE=0 LLAMP_INJECT_ADD=0 \
		"$MPIEXEC" -n 2 env LD_PRELOAD="$library" "$BUILD/examples/ring" --blocks 2
fi

# ------------------------------------------------------------------ sanitizers
developer=$(dirname "$(readlink -f "$(command -v llamp-inject)")")/../developer/bin/llamp-inject
sanitized() {
	exits 0 timeout 300 "$MPIEXEC" -n 2 env ASAN_OPTIONS=detect_leaks=0 \
		LD_PRELOAD="$(cc -print-file-name=libasan.so)${LD_PRELOAD:+:$LD_PRELOAD}" \
		"$developer" -L 100us -G 1 "$BUILD/test/mpi/inject_checks" 100000 1 &&
		! grep -e Sanitizer -e 'runtime error' err && ! grep : out
}
if [ -x "$developer" ] && [ -e "${developer%/bin/*}/lib/libllampinject-$MPI.so" ]; then
	check "the sanitizers find no error in the checks" sanitized
else
	skip "the sanitizers find no error in the checks" "make DEVELOPER=1 injector has not run"
fi
