#!/bin/sh
# Write a C header that replaces PMPI_X in pmpi/ by a pointer to the MPI library's function, and declares
# NEXT_X, that of the next tool, for every X that mpi.h declares (pmpi/library.h).
#
#     MPICC=... mpi-functions.sh
set -eu
names=$(echo '#include <mpi.h>' | $MPICC -E -P -x c - |
	grep -o '\<PMPI_[A-Za-z0-9_]* *(' | tr -d ' (' | sed 's/^PMPI_//' | sort -u)
[ -n "$names" ]

echo '/* Made by build-aux/mpi-functions.sh. */'
echo '#pragma GCC diagnostic push'
echo '#pragma GCC diagnostic ignored "-Wdeprecated-declarations"'
for name in $names; do
	echo "#ifndef PMPI_$name"
	echo "extern __typeof__(PMPI_$name) *library_$name;"
	echo "#define PMPI_$name (*library_$name)"
	echo "extern __typeof__(library_$name) next_$name;"
	echo "#define NEXT_$name (*next_$name)"
	echo "#endif"
done
echo '#pragma GCC diagnostic pop'
echo "#define LIBRARY_FUNCTIONS(X) \\"
for name in $names; do
	echo "	X($name) \\"
done
echo
