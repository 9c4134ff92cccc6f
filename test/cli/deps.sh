#!/bin/bash
# runs: slow
# Test build-aux/deps.sh: which packages it installs, and what it leaves alone.  No package is installed.
. "$SOURCE/test/cli/tap.sh"
unset MPICC MPIEXEC
compiler=cc

# A system where apt-get notes what it is asked for, and Open MPI becomes the default as soon as it is installed.
mkdir tools
for tool in apt-get dpkg-query id sudo update-alternatives; do
	cat >tools/$tool <<END
#!/bin/sh
cd '$PWD'
END
	chmod +x tools/$tool
done
cat >>tools/apt-get <<'END'
echo "$DEBIAN_FRONTEND: $*" >>asked
read -r answer && echo "apt-get could ask" >>asked
case $* in *openmpi*) sed -i 's/mpich$/openmpi/' alternatives ;; esac
END
echo 'exit 1' >>tools/dpkg-query
echo 'echo 0' >>tools/id
cat >>tools/update-alternatives <<'END'
case $1 in
--get-selections) cat alternatives ;;
--set) sed -i "s|^$2 .*|$2 manual $3|" alternatives ;;
esac
END
installed() { sed -n 's/^noninteractive: install -q -y --no-install-recommends //p' asked; }
deps() { # ARGUMENT...: 0 if the script ends well, and what it asked for is in asked
	: >asked
	printf '%s auto /usr/bin/%s.mpich\n' mpi mpicc mpirun mpirun >alternatives
	yes | CC=$compiler PATH=$PWD/tools:$PATH "$SOURCE/build-aux/deps.sh" "$@" >out 2>err
}
compiler() { # TEXT: make a C compiler that cannot compile programs with the text
	compiler=$PWD/compiler
	cat >compiler <<END
#!/bin/sh
cat -- *.c 2>/dev/null | grep -q '$1' && exit 1
exec cc "\$@"
END
	chmod +x compiler
}

needs_nothing() { deps --needed && [ ! -s asked ] && [ ! -s out ]; }
check "where the probe finds all libraries nothing is installed, whatever dpkg knows" needs_nothing

compiler '<glpk.h>'
installs_one() { deps --needed && grep -qx 'installing libglpk-dev' out && installed | grep -qx libglpk-dev; }
check "a library that is missing is installed, and nothing else" installs_one
check "... without a question" eval '! grep "could ask" asked'
compiler '<yaml.h>\|<ucp/api\|<scotch.h>\|<elfutils'
needs_no_options() { deps --needed && [ "$(installed)" = libyaml-dev ]; }
check "the demo gets none of the optional libraries" needs_no_options
gets_options() { deps && [ "$(installed | tr ' ' '\n' | sort | xargs)" = "libdw-dev libscotch-dev libucx-dev libyaml-dev" ]; }
check "make deps gets them, too" gets_options
compiler 'main'
needs_compiler() { deps --needed && [ "$(installed)" = "gcc libc6-dev
gcc libc6-dev" ]; }
check "without a compiler it is installed first, and the libraries are looked for again" needs_compiler
compiler=cc

for tool in mpicc mpicc.mpich mpicc.openmpi; do
	printf '#!/bin/sh\nexit 1\n' >tools/$tool
	chmod +x tools/$tool
done
one_mpi() { deps --needed && [ "$(installed)" = "libmpich-dev mpich" ] && grep -q 'mpirun.mpich$' alternatives; }
check "without an MPI one is installed" one_mpi

keeps_default() {
	deps "$SOURCE/build-aux/packages" "$SOURCE/build-aux/packages-test" && installed | grep -q 'openmpi-bin libopenmpi-dev' &&
		! grep -v 'mpich$' alternatives && grep -q '^mpirun remains /usr/bin/mpirun.mpich' out
}
check "the tests' packages leave the user's mpiexec and mpicc as they were, and say so" keeps_default

every_package_is_listed() {
	grep -w 'lack\|Debian package' "$SOURCE/build-aux/probe.sh" | grep -o '[a-z0-9-]*-dev\|gcc\|mpich\|pkg-config' | sort -u >named
	[ "$(wc -l <named)" -ge 8 ] || return 1
	while read -r package; do
		grep -q "^$package " "$SOURCE/build-aux/packages" || { echo "$package"; return 1; }
	done <named
}
check "the list of packages has every one that the probe names" every_package_is_listed

# ---- as many jobs as processors

jobs_of() { # ARGUMENT...: print the jobs that make gives to the make that builds
	env -u MAKEFLAGS -u MAKELEVEL make -s -n -C "$SOURCE" MAKE='echo builds' "$@" | sed -n 's/^builds.* -j\([0-9]*\) .*/\1/p'
}
for target in demo test; do
	check "make $target builds on all processors" test "$(jobs_of $target)" = "$(nproc)"
	check "... but for a given number of jobs" test "$(jobs_of -j7 $target)" = ''
done
