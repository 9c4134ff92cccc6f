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

case $MPI in
mpich) check "MPICH has each variable, and its description the value" mpich_knows ;;
openmpi) check "Open MPI has each variable and value" openmpi_knows ;;
*) skip "the settings are known" "for MPICH and Open MPI only" ;;
esac
