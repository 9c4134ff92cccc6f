#!/bin/sh
# Write assembly to stdout: a jump for each MPI function that these libraries export (preload/jumps.h), the table of
# names and the table of addresses, which is empty at first.
#
#     stubs.sh LIBRARY...
#
# MPI_Initialized and MPI_Finalized are always there: a library that may work without MPI asks them first.
set -eu
names=$({
	printf '%s\n' MPI_Initialized PMPI_Initialized MPI_Finalized PMPI_Finalized
	nm -D -P --defined-only "$@" | sed -n 's/^\(P\{0,1\}MPI_[A-Za-z0-9_]*\) T .*/\1/p'
} | sort -u)

echo '/* Made by build-aux/stubs.sh. */'
echo '#include "preload/jumps.h"'
echo '	.text'
echo "$names" | awk '{print "	JUMP " $1 ", " NR - 1; print "	UNSET " NR - 1} END {print "	COMMON"}'
echo '	.bss'
echo '	.balign 8'
echo '	.hidden preload_slots'
echo '	.globl preload_slots'
echo 'preload_slots:'
echo "$names" | awk 'END {print "	.skip 8 * " NR}'
echo '	.section .rodata'
echo '	.balign 4'
echo '	.hidden preload_names'
echo '	.globl preload_names'
echo 'preload_names:'
echo "$names" | awk '{print "	.long name_" NR - 1 " - preload_names"}'
echo "$names" | awk '{print "name_" NR - 1 ": .string \"" $1 "\""}'
echo '	.section .note.GNU-stack, "", %progbits'
