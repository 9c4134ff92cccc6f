#!/bin/bash
# Test make in trees and with settings where it may fail.
. "$SOURCE/test/cli/tap.sh"

# Build in a tree whose path has a space, configured as the build is.
tree="$scratch/a tree"
mkdir -p "$tree/build"
for name in "$SOURCE"/*; do
	[ "$(basename "$name")" = build ] || ln -s "$name" "$tree/"
done
cp "$BUILD/config.mk" "$tree/build/"

# Run make as a user does, not as a part of the make that runs the tests.
make() {
	env -u BUILD -u MAKEFLAGS -u MAKELEVEL -u DEVELOPER make "$@"
}
with_space() {
	make -C "$tree" -n commands >commands && grep -q 'o build/bin/goal' commands &&
		make -C "$tree" -n BUILD=other/ commands >commands && grep -q 'o other/bin/goal' commands &&
		make -C "$tree" -n BUILD="$scratch/other" commands >commands &&
		grep -q "o $scratch/other/bin/goal" commands
}
check "make works in a folder whose path has a space" with_space

no_compiler() {
	! make -C "$tree" CC=nosuch BUILD=none commands >out 2>&1 || return 1
	grep -q "^the C compiler 'nosuch' does not compile a program" out || { cat out; return 1; }
	! grep -iE 'otf2|glpk|yaml|mpich|missing:' out
}
check "make CC=nosuch blames the compiler only" no_compiler

# Build with headers of UCX that cannot be used.
without_ucx() {
	mkdir -p headers/ucp/api && echo '#error none' >headers/ucp/api/ucp.h &&
		CC="cc -I$PWD/headers" "$SOURCE/build-aux/probe.sh" >config 2>err && grep -x 'UCX =' config &&
		[ "$(cat err)" = "no UCX headers (Debian package libucx-dev): llamp-inject is not built, and llamp-trace has no --below-mpi" ] &&
		make -C "$tree" -n BUILD=other UCX= all >commands && grep -q 'o other/bin/goal' commands &&
		! grep -i 'o other.*inject' commands
}
check "without UCX's headers all but llamp-inject is built, and the probe says so" without_ucx
