#!/bin/bash
# runs: every-mpi
# Ask the installed MPI for the settings that llamp advise prints: each variable exists and knows the value.
. "$SOURCE/test/cli/tap.sh"

openmpi_knows() {
	ompi_info --param coll tuned --level 9 --parsable >known || return 1
	grep -q "coll_tuned_use_dynamic_rules:value" known || return 1
	sed -n 's/^SETTING("\(.*\)", ".*", .*, "\(.*\)")$/\1 \2/p' "$SOURCE/llamp/advise/settings.def" >wanted
	while read -r collective value; do
		grep -q "coll_tuned_${collective}_algorithm:enumerator:value:[0-9]*:$value\$" known || echo "$collective $value"
	done <wanted >unknown
	[ "$(wc -l <wanted)" -gt 40 ] && ! cat unknown | grep .
}

mpich_knows() {
	cat >ask.c <<'END'
#include <mpi.h>
#include <stdio.h>
int main(void)
{
	int provided, count, verbosity, binding, scope;

	MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
	MPI_T_cvar_get_num(&count);
	for (int i = 0; i < count; i++) {
		char name[256], text[8192];
		int name_bytes = sizeof name, text_bytes = sizeof text;
		MPI_Datatype type;
		MPI_T_enum values;

		MPI_T_cvar_get_info(i, name, &name_bytes, &verbosity, &type, &values, text, &text_bytes, &binding, &scope);
		for (char *at = text; *at; at++)
			*at = *at == '\n' ? ' ' : *at;
		printf("%s: %s\n", name, text);
	}
	return MPI_T_finalize() != MPI_SUCCESS;
}
END
	$MPICC ask.c -o ask && ./ask >known || return 1
	sed -n 's/^SETTING("\(.*\)", ".*", "\(.*\)", .*)$/\1 \2/p' "$SOURCE/llamp/advise/settings.def" >wanted
	while read -r collective value; do
		grep -q "^MPIR_CVAR_${collective^^}_INTRA_ALGORITHM: .*$value *- Force" known ||
			echo "$collective $value"
	done <wanted >unknown
	[ "$(wc -l <wanted)" -gt 25 ] && ! cat unknown | grep .
}

# eager_words LIBRARY BYTES: what the library is told to send messages of so many bytes eagerly.
eager_words() {
	sed -n "s/^EAGER($1, \"\(.*\)\", \([0-9]*\), \([0-9]*\))$/\2 \3 \1/p" "$SOURCE/llamp/advise/settings.def" |
		while read -r more least words; do
			value=$(($2 + more))
			[ $value -ge "$least" ] || value=$least
			case $words in *=) printf '%s%s ' "$words" $value ;; *) printf '%s %s ' "$words" $value ;; esac
		done
}

# A program whose message nobody receives before a second one: it is sent if it is eager, and else it waits.
write_sender() {
	cat >sender.c <<'END'
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
	const int bytes = atoi(argv[1]);
	const double until = atof(argv[2]);
	char *data = calloc(1, (size_t)bytes);
	int rank, sent = 0, told;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0) {
		const double begin = MPI_Wtime();
		MPI_Request request;

		MPI_Isend(data, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request);
		while (!sent && MPI_Wtime() < begin + until)
			MPI_Test(&request, &sent, MPI_STATUS_IGNORE);
		told = sent;
		MPI_Send(&told, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
		if (!sent)
			MPI_Wait(&request, MPI_STATUS_IGNORE);
		puts(told ? "eager" : "waits");
	} else if (rank == 1) {
		MPI_Recv(&told, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Recv(data, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	MPI_Finalize();
	return 0;
}
END
	$MPICC sender.c -o sender
}
# is_sent HOW BYTES SECONDS [WORD...]: wait so long for a send; variables before the command, options after it
is_sent() {
	local how=$1 bytes=$2 seconds=$3
	shift 3
	if [ "$MPI" = mpich ]; then
		env "$@" "$MPIEXEC" -n 2 ./sender "$bytes" "$seconds" >sent || return 1
	else
		"$MPIEXEC" "$@" -n 2 ./sender "$bytes" "$seconds" >sent || return 1
	fi
	grep -qx "$how" sent && return
	echo "$bytes B: $(cat sent), not $how, with $*"
	return 1
}
# sends_eagerly [WORD...]: with these words messages of 100000 B are eager, and of 101000 B not; without them neither is.
sends_eagerly() {
	write_sender && is_sent eager 100000 60 "$@" && is_sent waits 101000 0.5 "$@" && is_sent waits 100000 0.5
}

case $MPI in
mpich)
	check "MPICH has each variable, and its description the value" mpich_knows
	if mpichversion | grep -q ch4:ucx; then
		check "MPICH sends messages up to the threshold eagerly" sends_eagerly $(eager_words MPICH 100000)
	else
		skip "MPICH sends messages up to the threshold eagerly" "this MPICH does not use UCX"
	fi
	;;
openmpi)
	check "Open MPI has each variable and value" openmpi_knows
	check "Open MPI sends messages up to the threshold eagerly" sends_eagerly $(eager_words OPENMPI 100000)
	check "... also over TCP" sends_eagerly --mca btl self,tcp $(eager_words OPENMPI 100000)
	;;
*) skip "the settings are known" "for MPICH and Open MPI only" ;;
esac
