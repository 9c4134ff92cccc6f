#!/bin/sh
# Find the libraries and write their make variables to stdout.
# Environment: CC, and MPICC and MPIEXEC if the user has set them.
# Exit 1 with a list of missing libraries and their Debian packages.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
missing=

# try SUFFIX COMPILER PROGRAM FLAGS...: succeed if it compiles and links
try() {
	suffix=$1 compiler=$2
	printf '%s\n' "$3" >"$work/probe.$suffix"
	shift 3
	(cd "$work" && $compiler -o probe "probe.$suffix" "$@") >/dev/null 2>&1
}

lack() {
	missing="$missing
  $1 (Debian package $2)"
}

# config NAME: ask pkg-config for cflags and libs
config() {
	pkg-config --exists "$1" 2>/dev/null || return 1
	cflags=$(pkg-config --cflags "$1") libs=$(pkg-config --libs "$1")
}

CC=${CC:-cc}
# Stop without a compiler, because no library can be tried.
try c "$CC" 'int main(void) { return 0; }' || {
	echo "the C compiler '$CC' does not compile a program (Debian package gcc libc6-dev, or set CC)" >&2
	exit 1
}

# OTF2: pkg-config, then its own config tool.
program='#include <otf2/otf2.h>
#if OTF2_VERSION_MAJOR < 3
#error too old
#endif
int main(void) { return OTF2_Reader_Open("") != 0; }'
config otf2 && try c "$CC" "$program" $cflags $libs || {
	cflags=$(otf2-config --cflags 2>/dev/null)
	libs="$(otf2-config --ldflags 2>/dev/null) $(otf2-config --libs 2>/dev/null)"
	try c "$CC" "$program" $cflags $libs ||
		lack "OTF2 3.0 or newer" "libopen-trace-format2-dev pkg-config"
}
echo "OTF2_CFLAGS = $cflags"
echo "OTF2_LIBS = $libs"

# GLPK has neither a .pc file nor a config tool.
try c "$CC" '#include <glpk.h>
int main(void) { return glp_version() == 0; }' -lglpk -lm || lack GLPK libglpk-dev
echo "GLPK_LIBS = -lglpk -lm"

program='#include <yaml.h>
int main(void) { return yaml_get_version_string() == 0; }'
config yaml-0.1 || { cflags='' libs=-lyaml; }
try c "$CC" "$program" $cflags $libs || lack libyaml libyaml-dev
echo "YAML_CFLAGS = $cflags"
echo "YAML_LIBS = $libs"

program='#include <json-c/json.h>
int main(void) { return json_object_get_uint64(json_tokener_parse("0")) != 0; }'
config json-c || { cflags='' libs=-ljson-c; }
try c "$CC" "$program" $cflags $libs || lack "json-c 0.14 or newer" libjson-c-dev
echo "JSON_C_CFLAGS = $cflags"
echo "JSON_C_LIBS = $libs"

program='#include <zstd.h>
int main(void) { return ZSTD_versionNumber() == 0; }'
config libzstd || { cflags='' libs=-lzstd; }
try c "$CC" "$program" $cflags $libs || lack zstd libzstd-dev
echo "ZSTD_CFLAGS = $cflags"
echo "ZSTD_LIBS = $libs"

program='#include <sqlite3.h>
int main(void) { return sqlite3_libversion_number() == 0; }'
config sqlite3 || { cflags='' libs=-lsqlite3; }
try c "$CC" "$program" $cflags $libs || lack SQLite libsqlite3-dev
echo "SQLITE_CFLAGS = $cflags"
echo "SQLITE_LIBS = $libs"

# Accept that cmocka is missing, because only the tests need it.
config cmocka || { cflags='' libs=-lcmocka; }
echo "CMOCKA_CFLAGS = $cflags"
echo "CMOCKA_LIBS = $libs"

# Without headers of UCX there is no injector, and the tracer records nothing below MPI.
if try c "$CC" '#include <ucp/api/ucp.h>
int main(void) { return UCP_OP_ATTR_FLAG_MULTI_SEND == 0; }'; then
	echo "UCX = found"
	echo "UCX_CFLAGS = -DWITH_UCX"
else
	echo "UCX ="
	echo "no UCX headers (Debian package libucx-dev): llamp-inject is not built, and llamp-trace has no --below-mpi" >&2
fi

# Without libdw call sites have no lines of source code.
if try c "$CC" '#include <elfutils/libdwfl.h>
int main(void) { return dwfl_errno() != 0; }' -ldw; then
	echo "DW_CFLAGS = -DWITH_DW"
	# C libraries before glibc 2.34 have dlopen in a library of its own.
	echo "DW_LIBS = -ldw -ldl"
else
	echo "no libdw (Debian package libdw-dev): call sites have no lines of source code" >&2
fi

# Without SCOTCH llamp place has one mapping fewer to compare with.
if try c "$CC" '#include <stdio.h>
#include <stdint.h>
#include <scotch.h>
int main(void) { return SCOTCH_numSizeof() == 0; }' -I/usr/include/scotch -lscotch -lscotcherr; then
	echo "SCOTCH_CFLAGS = -DWITH_SCOTCH -I/usr/include/scotch"
	echo "SCOTCH_LIBS = -lscotch -lscotcherr"
else
	echo "no SCOTCH (Debian package libscotch-dev): llamp place does not compare with it" >&2
fi

# MPI: try whether wrappers compile, because a wrapper may be installed without its headers.  The
# default is MPICC or the wrapper of MPICH, even if plain mpicc is another one.  Every other
# kind of MPI that is found gets a tracer, too.
program='#include <mpi.h>
int main(int argc, char **argv) { return MPI_Init(&argc, &argv); }'

# Print the kind of a wrapper.  A program of one kind runs with all libraries of that kind.
table=$(dirname "$0")/../launch/mpi_implementations.def
kind() {
	{
		echo '#include <mpi.h>'
		sed -n 's/^MPI(\([a-z]*\), "[^"]*", \([A-Z_]*\),.*/#ifdef \2\nkind \1\n#endif/p' "$table"
	} | $1 -E -x c - 2>/dev/null | sed -n 's/^kind //p' | head -n 1
}

# add_mpi KIND MPICC MPIEXEC; only examples and tests need Fortran.
add_mpi() {
	mpis="$mpis $1"
	mpifort=$(echo "$2" | sed 's/mpicc\([^/]*\)$/mpifort\1/')
	try f90 "$mpifort" 'program probe
use mpi_f08
call MPI_Init()
end program' || mpifort=
	echo "MPICC_$1 = $2"
	echo "MPIEXEC_$1 = $3"
	echo "MPIFORT_$1 = $mpifort"
}

launcher() {
	echo "$1" | sed 's/mpicc\([^/]*\)$/mpiexec\1/'
}

mpis=
mpicc=${MPICC:-}
plain=${MPICC:-mpicc}
[ -n "$mpicc" ] || for mpicc in mpicc.mpich mpicc mpicc.openmpi; do
	try c "$mpicc" "$program" && break
done
if try c "$mpicc" "$program"; then
	mpi=$(kind "$mpicc")
	mpiexec=${MPIEXEC:-$(launcher "$mpicc")}
	command -v "${mpiexec%% *}" >/dev/null 2>&1 || lack "the MPI launcher $mpiexec" mpich
	add_mpi "$mpi" "$mpicc" "$mpiexec"
	echo "MPI = $mpi"
	echo "MPICC = $mpicc"
	echo "MPIEXEC = $mpiexec"
	echo "MPIFORT = $mpifort"
else
	lack "MPI: ${MPICC:-mpicc.mpich} does not compile an MPI program" "libmpich-dev mpich"
fi
for other in $(sed -n 's/^MPI(\([a-z]*\),.*/\1/p' "$table"); do
	case " $mpis " in *" $other "*) continue ;; esac
	try c mpicc.$other "$program" && command -v mpiexec.$other >/dev/null 2>&1 &&
		[ "$(kind mpicc.$other)" = $other ] && add_mpi $other mpicc.$other mpiexec.$other
done
echo "MPIS =$mpis"

# The tracer without an MPI in its name is for programs of plain mpicc.
case "$mpis " in
*" $(kind "$plain") "*) echo "PLAIN_MPI = $(kind "$plain")" ;;
*) echo "PLAIN_MPI = ${mpi:-}" ;;
esac
echo "KEPT_MPICC = ${MPICC:-}"
echo "KEPT_MPIEXEC = ${MPIEXEC:-}"
echo "PROBED = $CC $mpicc ${mpiexec:-}"

if [ -n "$missing" ]; then
	echo "missing:$missing" >&2
	echo "make deps installs them on Debian and Ubuntu" >&2
	exit 1
fi
