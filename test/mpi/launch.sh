#!/bin/bash
# runs: every-mpi
# Test that llamp-trace loads the library for the program's MPI, however it is started.
. "$SOURCE/test/cli/tap.sh"
unset LLAMP_TRACE_LIBRARY LLAMP_TRACE_DIR LD_PRELOAD

ring=$BUILD/examples/ring
launcher=$(readlink -f "$(command -v llamp-trace)")
library=$(dirname "$launcher")/../lib/libllamptrace-$MPI.so

has_sends() { otf2-print "$1" >shown 2>err && [ ! -s err ] && grep -q MPI_SEND shown; }
traces() { # COMMAND...: run by the launcher on 2 ranks
	rm -rf trace
	exits 0 "$MPIEXEC" -n 2 llamp-trace -o trace "$@" && has_sends trace/traces.otf2
}

check "a program is traced" traces "$ring" --blocks 2
check "a program found in PATH is traced" \
	env PATH="$BUILD/examples:$PATH" "$BASH" -c "$(declare -f exits has_sends traces); traces ring --blocks 2"
printf '#!/bin/sh\nexec "%s" --blocks 2\n' "$ring" >script
chmod +x script
check "a program that a script starts is traced" traces ./script
cat >link.c <<'END'
int ring_of_library(int argc, char **argv);
int main(int argc, char **argv) { return ring_of_library(argc, argv); }
END
indirectly() {
	"$MPICC" -shared -fPIC -Dmain=ring_of_library -o libring.so "$SOURCE/examples/ring.c" &&
		cc -o indirect link.c -L. -lring -Wl,-rpath,"$PWD" -Wl,--allow-shlib-undefined &&
		traces ./indirect --blocks 2
}
check "a program that uses MPI only through another library is traced" indirectly

# Make another tool that wraps MPI functions.
cat >tool.c <<'END'
#include <mpi.h>
#include <stdio.h>
static int sends;
int MPI_Send(const void *b, int n, MPI_Datatype t, int to, int tag, MPI_Comm c)
{
	sends++;
	return PMPI_Send(b, n, t, to, tag, c);
}
int MPI_Isend(const void *b, int n, MPI_Datatype t, int to, int tag, MPI_Comm c, MPI_Request *r)
{
	sends++;
	return PMPI_Isend(b, n, t, to, tag, c, r);
}
int MPI_Finalize(void)
{
	printf("tool: %s\n", sends ? "sends" : "nothing");
	return PMPI_Finalize();
}
END
"$MPICC" -shared -fPIC -o libtool.so tool.c
"$MPICC" -o tooled "$SOURCE/examples/ring.c" -L. -Wl,--no-as-needed -ltool -Wl,-rpath,"$PWD"
with_tool() { # COMMAND...
	rm -rf trace
	exits 0 "$MPIEXEC" -n 2 "$@" && has_sends trace/traces.otf2
}
check "a program is traced with another tool preloaded" \
	with_tool env LD_PRELOAD="$PWD/libtool.so" llamp-trace -o trace "$ring" --blocks 2
check "... and the tool gets the calls, too" test "$(grep -c '^tool: sends' out)" = 2
with_tool llamp-trace -o trace ./tooled --blocks 2
cp out tooled.out
said_or_seen() {
	[ "$(grep -c '^tool: sends' tooled.out)" = 2 ] && return 0
	"$MPIEXEC" -n 2 llamp-trace -o said ./tooled --blocks 2 2>&1 |
		grep -c "^llamp-trace: .*libtool.so wraps MPI functions, too" | grep -qx 1
}
check "a tool linked to the program gets its calls, or the tracer reports once that it does not" said_or_seen
check "... and gets them if it is preloaded as well" \
	with_tool env LD_PRELOAD="$PWD/libtool.so" llamp-trace -o trace ./tooled --blocks 2
check "... as the message says" test "$(grep -c '^tool: sends' out)" = 2

# Use the library for the program's MPI, not the launcher's.
mkdir -p alone/bin alone/lib
cp "$launcher" alone/bin/
ln -s "$(dirname "$library")"/libllamptrace*.so alone/lib/
rm "alone/lib/$(basename "$library")"
check "a missing tracer library is named" complains 3 "libllamptrace-$MPI.so is missing" \
	alone/bin/llamp-trace -o none "$ring"
check "... once, by the first of the ranks" eval \
	'! "$MPIEXEC" -n 2 alone/bin/llamp-trace -o none "$ring" 2>err; [ "$(grep -c "is missing" err)" = 1 ]'
check "... and the program is not started" test ! -e none
check "LLAMP_TRACE_LIBRARY overrides the choice" env LLAMP_TRACE_LIBRARY="$library" \
	"$MPIEXEC" -n 2 alone/bin/llamp-trace -o chosen "$ring" --blocks 2
check "... with that library" has_sends chosen/traces.otf2
for other in "$(dirname "$library")"/libllamptrace-*.so; do
	[ "$other" -ef "$library" ] && continue
	check "$(basename "$other") refuses the program instead of crashing it" complains 3 \
		"$(basename "$other") was built for" \
		env LLAMP_TRACE_LIBRARY="$other" llamp-trace -o none "$ring" --blocks 2
done
# Only one rank cannot write.
cat >one.sh <<END
[ "\${PMI_RANK:-\$OMPI_COMM_WORLD_RANK}" = \$1 ] && exec llamp-trace -o script "$ring" --blocks 2
exec llamp-trace -o none "$ring" --blocks 2
END
for rank in 0 1; do
	check "if only rank $rank is refused, all ranks end" \
		exits 4 timeout 60 "$MPIEXEC" -n 2 sh one.sh $rank
	[ "$MPI" != mpich ] || check "... with its message" \
		grep -q "llamp-trace: -o script: no trace can be written" err
	rm -rf none
done

check "a program without MPI runs as without the tracer" exits 0 llamp-trace -o none /bin/echo hello
check "... and leaves no trace" test ! -e none
printf 'int main(void) { return 0; }\n' >mute.c
cc -o mute mute.c
unseen() { exits 0 "$@" && [ "$(grep -c "mute: no MPI call was intercepted; there is no trace" err)" = 1 ]; }
check "a program without intercepted MPI calls is reported" unseen llamp-trace -o none ./mute
check "... once, by the first of the ranks" unseen "$MPIEXEC" -n 2 llamp-trace -o none ./mute
check "... unless it has started one that is traced" eval \
	'traces "$BASH" -c "\"$ring\" --blocks 2; exit" && ! grep llamp-trace err'
for length in 3 60 100 700; do
	head -c $length "$ring" >cut && chmod +x cut
	check "a program file that ends after $length bytes fails as without the tracer" \
		exits "$(env ./cut >/dev/null 2>&1; echo $?)" llamp-trace ./cut
done

# Test the default name of the directory.
in_job() { exits 0 "$MPIEXEC" -n 2 env "$@" llamp-trace "$ring" --blocks 2; }
check "a job step of Slurm gives the directory its name" in_job SLURM_JOB_ID=77 SLURM_STEP_ID=3
check "... for all ranks" has_sends llamp-trace-ring-77.3/traces.otf2
check "elsewhere a process gives the directory its name" in_job -u SLURM_JOB_ID
check "... of one rank" test "$(ls -d llamp-trace-ring-[0-9]*/traces.otf2 | wc -l)" = 2

# Errors of the command line are those of all ranks.
once() { # LINES COMMAND...
	local wanted=$1 attempt status
	shift
	# On a busy computer MPICH's mpiexec may die of SIGPIPE, or write that a process was killed, when processes end early.
	for attempt in 1 2 3 4 5; do
		"$MPIEXEC" -n 3 "$@" >out 2>err
		status=$?
		[ $status -eq 141 ] || break
	done
	[ $status -ne 0 ] && [ "$(grep -c "^${1##*/}: " err)" -eq "$wanted" ] && ! grep "${1##*/}" out
}
check "llamp-trace reports an error of its command line once" once 2 llamp-trace --bad
check "... and a program that is missing" once 1 llamp-trace ./missing
check "critpath-mpi reports an error of its command line once" once 2 critpath-mpi path --bad
check "llamp-measure does" once 2 llamp-measure params --time-limit 1
[ ! -e "$BUILD/bin/llamp-inject" ] ||
	check "llamp-inject does" once 2 llamp-inject --latency soon ./missing
helped_once() {
	exits 0 "$MPIEXEC" -n 3 llamp-trace --help && [ "$(grep -c "^usage:" out)" -eq 1 ]
}
check "help is printed once" helped_once
