#!/bin/bash
# Tests of the build: targets, probe, installation.
. "$SOURCE/test/cli/tap.sh"
unset MAKEFLAGS MFLAGS MAKELEVEL GNUMAKEFLAGS MAKEOVERRIDES

# ---- help

every_target_has_help() {
	make -s -C "$SOURCE" help >help || return 1
	for target in all help demo test bench install uninstall deps clean examples; do
		grep -q "^$target: ..*" help || { echo "no help for $target"; return 1; }
	done
}
check "make help lists every target" every_target_has_help

# ---- probe

# Make a tool chain whose MPI wrappers fail as those of Open MPI do without its headers.
mkdir bad good
cat >bad/mpicc <<'END'
#!/bin/sh
echo "mpi.h: No such file or directory" >&2
exit 1
END
cp bad/mpicc bad/mpicc.mpich
cp bad/mpicc bad/mpicc.openmpi
cp bad/mpicc bad/mpifort.mpich
cp bad/mpicc bad/mpifort
cp bad/mpicc bad/without-headers
chmod +x bad/*
mpi_of() { # MPICC
	if echo '#include <mpi.h>' | "$1" -E -dM -x c - | grep -q OPEN_MPI; then echo openmpi; else echo mpich; fi
}
probe() { env -u MPICC -u MPIEXEC "$@" "$SOURCE/build-aux/probe.sh"; }

check "wrappers without headers are refused" exits 1 probe PATH="$PWD/bad:$PATH"
check "the Debian package of the MPI headers is named" grep -q 'libmpich-dev' err
check "an MPICC without headers is refused by name" exits 1 probe MPICC="$PWD/bad/without-headers"
check "... and the message says which" grep -q "$PWD/bad/without-headers" err

mpicc=$(sed -n 's/^MPICC = //p' "$BUILD/config.mk")
mpiexec=$(sed -n 's/^MPIEXEC = //p' "$BUILD/config.mk")
if command -v mpicc.mpich >/dev/null; then
	cp bad/mpicc good/
	check "mpicc.mpich is used when mpicc has no headers" \
		exits 0 probe PATH="$PWD/good:$PATH"
	check "... and by the build" grep -qx 'MPICC = mpicc.mpich' out
	check "... and whose tracer has the name without an MPI" grep -qx 'PLAIN_MPI = mpich' out
	check "... with its launcher" grep -qx 'MPIEXEC = mpiexec.mpich' out
	ln -s "$(command -v mpicc.openmpi)" good/mpicc.found 2>/dev/null &&
		mv good/mpicc.found good/mpicc
	check "mpicc.mpich is used when mpicc belongs to another MPI, too" \
		exits 0 probe PATH="$PWD/good:$PATH"
	check "... so that MPICH is the default" grep -qx 'MPI = mpich' out
	check "... but the tracer's name without an MPI is for mpicc" grep -qx "PLAIN_MPI = $(mpi_of good/mpicc)" out
else
	skip "mpicc.mpich is used when mpicc has no headers" "there is no mpicc.mpich here"
fi
ln -s "$(command -v "$mpicc")" good/mpicc-mine
check "the given MPICC is used" exits 0 probe MPICC="$PWD/good/mpicc-mine" MPIEXEC="$mpiexec"
check "... in what the probe writes" grep -qx "MPICC = $PWD/good/mpicc-mine" out

cat >good/cc-without-libraries <<'END'
#!/bin/sh
cat -- *.c 2>/dev/null | grep -q '#include' && exit 1
exec cc "$@"
END
chmod +x good/cc-without-libraries
check "missing libraries end the probe" exits 1 probe CC="$PWD/good/cc-without-libraries"
for package in libopen-trace-format2-dev libglpk-dev libyaml-dev libjson-c-dev libzstd-dev libsqlite3-dev; do
	check "... and name the package $package" grep -q "$package" err
done

# The probe writes config.mk again for another compiler.
probed_for() {
	env -u MPICC -u MPIEXEC make -s -C "$SOURCE" BUILD="$PWD/other" "$@" no-target 2>/dev/null
	sed -n 's/^MPICC = //p' other/config.mk
}
check "the probe's result is kept for the next make" test "$(probed_for MPICC="$mpicc")" = "$mpicc"
stamp=$(stat -c %Y.%i other/config.mk)
probed_for MPICC="$mpicc" >/dev/null
check "... which does not probe again" test "$(stat -c %Y.%i other/config.mk)" = "$stamp"
probed_for >/dev/null
check "... nor does a make without MPICC" test "$(stat -c %Y.%i other/config.mk)" = "$stamp"
check "another MPICC makes it probe again" \
	test "$(probed_for MPICC="$PWD/good/mpicc-mine" MPIEXEC="$mpiexec")" = "$PWD/good/mpicc-mine"

plain_name() {
	env -u MPICC -u MPIEXEC make -s -C "$SOURCE" BUILD="$PWD/plain" "$@" no-target 2>/dev/null
	sed -n 's/^PLAIN_MPI = //p' plain/config.mk
}
ln -s "$(command -v cc)" good/cc-mine
plain=$(plain_name)
check "the result of a probe is not passed to the next one" \
	test "$(plain_name CC="$PWD/good/cc-mine")" = "$plain"

# ---- rebuilding

in_build() { make -s -C "$SOURCE" BUILD="$BUILD" ${MPICC:+MPICC="$MPICC"} ${MPIEXEC:+MPIEXEC="$MPIEXEC"} "$@"; }

check "nothing is left to do after a build" in_build -q all examples
output=${BUILD#"$SOURCE"/}	# as make names its targets
rebuilds_with() { in_build -q -W "$1" "$output/$2"; [ $? -eq 1 ]; }
for pair in common/error.h:goal goal/goal.h:llamp trace/call/mpi_call.h:schedgen trace/call/mpi_functions.def:schedgen; do
	check "a change of ${pair%:*} rebuilds ${pair#*:}" rebuilds_with "${pair%:*}" "bin/${pair#*:}"
done
check "a change of common/error.h rebuilds the tracer" \
	rebuilds_with common/error.h "lib/libllamptrace.so"
check "a change of examples/tally.h rebuilds an example" \
	rebuilds_with examples/tally.h "examples/ring"

# ---- wrappers

# Find unwrapped functions of mpi.h, except MPI_T, conversions, and those callable at any time.
every_function_is_wrapped() {
	echo '#include <mpi.h>' | "$MPICC" -E -P -x c - | tr '\n' ' ' | tr ';' '\n' |
		grep -o '\<int  *PMPI_[A-Za-z0-9_]*' | sed 's/.* P//' | sort -u >declared
	nm -D "$BUILD/lib/libllamptrace-$MPI.so" | sed -n 's/.* T \(MPI_.*\)/\1/p' | sort >wrapped
	[ "$(wc -l <declared)" -gt 300 ] || return 1
	comm -23 declared wrapped | grep -Ev '^MPI_T_|^MPI_Status_(c2|f)' >left
	printf 'MPI_%s\n' Finalized Get_library_version Get_version Initialized Is_thread_main \
		Query_thread | diff - left
}
check "every function of mpi.h is wrapped, except those that the table names" \
	every_function_is_wrapped
