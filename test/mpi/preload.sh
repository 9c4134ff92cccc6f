#!/bin/bash
# runs: every-mpi
# Test the library that is preloaded into programs of any MPI and of none (preload/), with the sink that counts calls.
. "$SOURCE/test/cli/tap.sh"

folder=$(dirname "$(readlink -f "$(command -v llamp-trace)")")/../test/mpi
library=$folder/count_calls.so
own=$folder/count_calls-$MPI.so

check "the library needs libc alone" \
	eval 'readelf -d "$library" | sed -n "s/.*NEEDED.*\[\(.*\)\]/\1/p" >needed && grep -qx libc.so.6 needed && [ "$(wc -l <needed)" = 1 ]'
check "it exports what the libraries of all MPIs export" eval 'names() { nm -D -P --defined-only "$@" | sed -n "s/^\(P*MPI_[A-Za-z0-9_]*\) T .*/\1/p" | sort -u; }
	names "$library" >have && names "$folder"/count_calls-*.so >want && [ -s want ] && ! comm -13 have want | grep .'
check "nothing of it needs relocations of code" eval '! readelf -d "$library" | grep TEXTREL'
check "a process without MPI runs as before" eval 'LD_PRELOAD=$library /bin/echo "a word" >out 2>err && grep -qx "a word" out && [ ! -s err ]'

# run LIBRARY RANKS PROGRAM...: with this library in place of others
run() {
	local first=$1 ranks=$2
	shift 2
	exits 0 timeout 300 "$MPIEXEC" -n "$ranks" env LD_PRELOAD="$first${LD_PRELOAD:+:$LD_PRELOAD}" "$@"
}
# How often a program polls depends on the time.
counted() { sed -n 's/^count_calls: //p' err | grep -v -e probe -e MPI_Test | sort; }
# same RANKS PROGRAM...: the counts are those of the library for this MPI
same() {
	run "$own" "$@" && counted >direct && run "$library" "$@" && counted >through &&
		[ "$(wc -l <direct)" -gt 3 ] && diff direct through
}
check "sends and receives are counted as by the library for this MPI" same 3 "$BUILD/test/mpi/trace_blocking"
check "... collectives" same 3 "$BUILD/test/mpi/trace_collectives"
check "... windows" same 2 "$BUILD/test/mpi/trace_rma"
if [ -x "$BUILD/test/mpi/trace_mpif" ]; then
	check "... calls of Fortran" same 2 "$BUILD/test/mpi/trace_mpif"
fi
check "... threads" same 3 "$BUILD/test/mpi/trace_threads_hop" 5 2

# Another tool before it and behind it.
check "with llamp-trace before it all calls are counted and traced" eval '
	run "$library" 2 llamp-trace -o first "$BUILD/test/mpi/trace_blocking" && counted >both && run "$own" 2 "$BUILD/test/mpi/trace_blocking" && counted >direct &&
	diff direct both && otf2-print first/traces.otf2 | grep -q MPI_SEND'

# A program that loads MPI when it runs, where only its own libraries find it, as Python does.
cat >late.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv)
{
	void *module;
	int (*act)(void);

	if (argc < 2 || !(module = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL)))
		return puts(dlerror()), 2;
	*(void **)&act = dlsym(module, "act");
	return act();
}
END
cat >module.c <<'END'
#include <mpi.h>
int act(void)
{
	int rank, sum = 0, there = 1;
	MPI_Initialized(&there);
	if (there)
		return 3;
	MPI_Init(0, 0);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < 7; i++)
		MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	MPI_Finalize();
	return sum == 1 ? 0 : 4;
}
END
check "programs that load MPI late can be built" eval 'cc -o late late.c -ldl && "$MPICC" -shared -fPIC -o module.so module.c'
check "calls are counted if MPI comes late" eval 'run "$library" 2 ./late ./module.so && counted | grep -qx "MPI_Allreduce 14"'

# Libraries that ask whether there is MPI, in a process that has none.
cat >ask.c <<'END'
#include <stdio.h>
__attribute__((weak)) int MPI_Initialized(int *);
__attribute__((weak)) int MPI_Finalized(int *);
__attribute__((weak)) int MPI_Barrier(int);
int main(void)
{
	int initialized = 1, finalized = 1;
	if (!MPI_Initialized || !MPI_Finalized || !MPI_Barrier)
		return 5;
	if (MPI_Initialized(&initialized) || MPI_Finalized(&finalized) || initialized || finalized)
		return 6;
	return MPI_Barrier(0) != 0 ? 0 : 7;
}
END
check "without MPI it is not initialised, and other functions return an error" \
	eval 'cc -o ask ask.c && LD_PRELOAD=$library ./ask'
check "functions that only another MPI has return an error" eval 'cat >only.c <<END
#include <mpi.h>
int MPIX_Query_cuda_support(void);
int MPI_T_dummy;
int PMPI_$(only=$(comm -13 <(nm -D -P --defined-only "$own" | sed -n "s/^PMPI_\([A-Za-z0-9_]*\) T .*/\1/p" | sort) \
		<(nm -D -P --defined-only "$library" | sed -n "s/^PMPI_\([A-Za-z0-9_]*\) T .*/\1/p" | sort) | grep -v -e ialized | head -n 1); echo $only)(void);
int main(void)
{
	int error, class;
	MPI_Init(0, 0);
	error = PMPI_$(echo $only)();
	MPI_Error_class(error, &class);
	MPI_Finalize();
	return class == MPI_ERR_OTHER ? 0 : 1;
}
END
	[ -z "$only" ] || { "$MPICC" -c -o only.o only.c && "$MPICC" -o only only.o "$library" && run "$library" 1 ./only; }'

# A site that has no library for this MPI.
mkdir bare && cp "$library" bare/
check "without the library for this MPI calls go to MPI itself" \
	eval 'run "$PWD/bare/count_calls.so" 2 "$BUILD/test/mpi/trace_blocking" && [ "$(counted | wc -l)" = 0 ]'
