#!/bin/bash
# Compare the messages of the collectives of the installed MPI library with the preset of that name:
# observe.sh mpich|openmpi [FILE].  The table goes to FILE.  RANKS and SIZES replace the defaults.
# NODE_RANKS (MPICH only) successive ranks share a node.  BUILD is the folder of the build.  The
# comparison takes minutes and is no part of the tests.
set -eu -o pipefail

library=${1:?mpich or openmpi}
source=$(cd "$(dirname "$0")/../.." && pwd)
build=${BUILD:-$source/build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
table=${2:-$work/table}
export SOURCE=$source

case $library in
mpich)
	# Make every rank a node of its own, and let only the generic selection choose.
	export MPIR_CVAR_DEVICE_COLLECTIVES=none
	launch=(mpiexec.mpich)
	if [ "${NODE_RANKS:-1}" = 1 ]; then
		export MPIR_CVAR_NOLOCAL=1
	else	# the names of this machine count as nodes
		launch+=(-launcher fork -hosts "$(printf "127.0.0.%d:$NODE_RANKS," {1..16} | sed 's/,$//')")
	fi
	: "${SIZES:=8 16 56 64 264 2048 2056 9104 10240 12288 12296 16376 16384 27304 27312 32768 \
		32776 74904 104864 131072 174768 524288 524296}"
	;;
openmpi)
	export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
	launch=(mpiexec.openmpi --oversubscribe --mca pml ucx --mca pml_ucx_tls any
		--mca pml_ucx_devices any)
	: "${SIZES:=$(for ((n = 16; n <= 1 << 20; n *= 2)); do echo $((n - 8)) $n; done)}"
	;;
*)
	echo "observe.sh: mpich or openmpi" >&2
	exit 2
	;;
esac

"mpicc.$library" -O1 -Wall -rdynamic -I"$source" -o "$work/observe" "$source/test/observe/observe.c" -ldl
version=$("${launch[0]}" --version | grep -m 1 -o '[0-9]\.[0-9.]*')
{
	cat <<EOF
# Messages of the installed $library $version, written by test/observe/observe.sh.
# A line: collective (i: non-blocking), ranks, then BYTES:MESSAGES:SENT:PAIRS:SHAPE for each size
# in bytes of a block (test/observe/observe.c).  Doubles, MPI_SUM, root P / 3.  P/M ranks: M of
# them share a node.
EOF
	for ranks in ${RANKS:-2 3 4 5 7 8 9 12 16}; do
		timeout 1800 "${launch[@]}" -n "$ranks" "$work/observe" $SIZES |
			sed "s|^\([a-z_]* [0-9]*\) |\1${NODE_RANKS:+/$NODE_RANKS} |"
	done
} >"$table"
OBSERVED=$table PRESET=$library "$build/test/unit/schedgen/test_presets"
