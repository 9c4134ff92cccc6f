#!/bin/sh
# Find the libraries and write what the Makefile needs to know to stdout.
# Given by the environment: CC, and MPICC and MPIEXEC if the user has set them.
# Exit 1 with what is missing, and the Debian package that brings it.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
missing=

# try COMPILER 'C program' FLAGS...: does it compile and link?
try() {
	compiler=$1
	printf '%s\n' "$2" >"$work/probe.c"
	shift 2
	$compiler -o "$work/probe" "$work/probe.c" "$@" >"$work/log" 2>&1
}

lack() {
	missing="$missing
  $1 (Debian package $2)"
}

config() { # config NAME PKG-CONFIG-NAME
	pkg-config --exists "$1" 2>/dev/null || return 1
	cflags=$(pkg-config --cflags "$1") libs=$(pkg-config --libs "$1")
}

CC=${CC:-cc}
try "$CC" 'int main(void) { return 0; }' || lack "a C compiler" gcc

# OTF2: pkg-config, then its own config tool.
program='#include <otf2/otf2.h>
#if OTF2_VERSION_MAJOR < 3
#error too old
#endif
int main(void) { return OTF2_Reader_Open("") != 0; }'
if config otf2 && try "$CC" "$program" $cflags $libs; then :; else
	cflags=$(otf2-config --cflags 2>/dev/null)
	libs="$(otf2-config --ldflags 2>/dev/null) $(otf2-config --libs 2>/dev/null)"
	try "$CC" "$program" $cflags $libs ||
		lack "OTF2 3.0 or newer" "libopen-trace-format2-dev, libotf2-trace-dev"
fi
echo "OTF2_CFLAGS = $cflags"
echo "OTF2_LIBS = $libs"

# GLPK has neither a .pc file nor a config tool.
try "$CC" '#include <glpk.h>
int main(void) { return glp_version() == 0; }' -lglpk || lack GLPK libglpk-dev
echo "GLPK_LIBS = -lglpk -lm"

program='#include <yaml.h>
int main(void) { return yaml_get_version_string() == 0; }'
config yaml-0.1 || { cflags= libs=-lyaml; }
try "$CC" "$program" $cflags $libs || lack libyaml libyaml-dev
echo "YAML_CFLAGS = $cflags"
echo "YAML_LIBS = $libs"

# Tests only: not having it is an error of `make test`, not of `make`.
program='#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
int main(void) { return cmocka_run_group_tests == 0; }'
config cmocka || { cflags= libs=-lcmocka; }
if try "$CC" 'int main(void) { return 0; }' $cflags $libs; then
	echo "CMOCKA_CFLAGS = $cflags"
	echo "CMOCKA_LIBS = $libs"
fi

# MPI: a wrapper that compiles.  Open MPI's wrapper may be there without its
# headers, so each is tried; MPICH's is preferred.
program='#include <mpi.h>
int main(int argc, char **argv) { return MPI_Init(&argc, &argv); }'
found=
for candidate in ${MPICC:-mpicc.mpich mpicc}; do
	if try "$candidate" "$program"; then
		found=$candidate
		break
	fi
done
if [ -z "$found" ]; then
	if [ -n "${MPICC:-}" ]; then
		lack "MPI: '$MPICC' cannot compile an MPI program" "mpich, libmpich-dev"
	else
		lack "MPI: no mpicc that can compile an MPI program" "mpich, libmpich-dev"
	fi
fi
echo "MPICC = $found"
echo "MPIFORT = $(echo "$found" | sed 's/mpicc/mpifort/')"
launcher=${MPIEXEC:-$(echo "$found" | sed 's/mpicc/mpiexec/')}
command -v "$launcher" >/dev/null 2>&1 || launcher=mpiexec
echo "MPIEXEC = $launcher"

if [ -n "$missing" ]; then
	echo "missing:$missing" >&2
	echo "make deps installs them on Debian and Ubuntu" >&2
	exit 1
fi
