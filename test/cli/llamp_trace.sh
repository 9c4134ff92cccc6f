#!/bin/sh
# Test llamp-trace: the environment and descriptors that it passes to the program.
. "$SOURCE/test/cli/tap.sh"

unset LLAMP_TRACE_DIR LLAMP_TRACE_LIBRARY LD_PRELOAD
: >library.so
# Show the environment only, because the dynamic linker would warn that it cannot load the library.
show() { LLAMP_TRACE_LIBRARY=$PWD/library.so llamp-trace "$@" 2>/dev/null; }
shows() { # TEXT ARGUMENTS...
	text=$1
	shift
	show "$@" env >seen
	grep -qxF -- "$text" seen && return 0
	cat seen
	return 1
}

check "the tracer is preloaded" shows "LD_PRELOAD=$PWD/library.so"
# The sanitizers must be loaded first.
ASAN_OPTIONS=verify_asan_link_order=0
LD_PRELOAD=libm.so.6
export ASAN_OPTIONS LD_PRELOAD
check "... after libraries that are preloaded already" shows "LD_PRELOAD=libm.so.6:$PWD/library.so"
unset LD_PRELOAD ASAN_OPTIONS
check "-o reaches the tracer as an absolute path" shows "LLAMP_TRACE_DIR=$PWD/there" -o there
check "an absolute path is kept" shows "LLAMP_TRACE_DIR=/some/where" -o /some/where
check "options after the program go to the program" eval 'test "$(show printf "%s|" -o x)" = "-o|x|"'
check "a stream that is closed is closed for the program" eval \
	'show sh -c "test -e /proc/self/fd/1 && ! test -e /proc/self/fd/0" <&-'

# A directory that cannot hold a trace is refused before the program starts.
refused() { # TEXT STATUS ARGUMENTS...
	text=$1 expected=$2
	shift 2
	status=0
	show_errors "$@" sh -c 'echo started' >out 2>err || status=$?
	[ $status = "$expected" ] && [ ! -s out ] && grep -qF -- "$text" err && return 0
	echo "status $status"
	cat out err
	return 1
}
show_errors() { LLAMP_TRACE_LIBRARY=$PWD/library.so llamp-trace "$@"; }
: >file
check "-o with the name of a file is refused" refused "-o file: no trace can be written" 4 -o file
check "-o with a folder below a file is refused" refused "-o file/deep/er: no trace can be written" 4 -o file/deep/er
check "LLAMP_TRACE_DIR with the name of a file is refused, too" \
	eval '(export LLAMP_TRACE_DIR=file; refused "LLAMP_TRACE_DIR file: no trace can be written" 4)'
check "... unless -o names a directory" \
	eval '(export LLAMP_TRACE_DIR=file; shows "LLAMP_TRACE_DIR=$PWD/there" -o there)'
check "where files may not grow no program starts if a trace is required" \
	eval '(ulimit -f 16; export LLAMP_TRACE_REQUIRED=1; refused "-o big: no trace can be written to $PWD: File too large" 4 -o big)'
if [ "$(id -u)" = 0 ] && setpriv --help >/dev/null 2>&1; then
	mkdir closed && chmod 555 closed
	chmod 755 . && chmod 666 out err library.so
	as_nobody() { setpriv --reuid=65534 --clear-groups "$(command -v llamp-trace)" "$@"; }
	show_errors() { LLAMP_TRACE_LIBRARY=$PWD/library.so as_nobody "$@"; }
	check "a directory without permission to write is refused" \
		refused "no trace can be written to $PWD/closed: Permission denied" 4 -o "$PWD/closed/trace"
else
	skip "a directory without permission to write is refused" "not root, or no setpriv"
fi
show_errors() { LLAMP_TRACE_LIBRARY=$PWD/library.so llamp-trace "$@"; }
check "a refused command leaves no file" eval '[ ! -e big ] && [ -z "$(find . -name ".llamp*")" ]'

# mpiexec below llamp-trace, instead of above it.
for launcher in mpiexec mpirun mpiexec.mpich mpirun.openmpi srun; do
	check "$launcher below llamp-trace is refused, with the right order" complains 2 \
		"start llamp-trace below $launcher: $launcher -n 2 llamp-trace -o t sh -c true" \
		llamp-trace -o t $launcher -n 2 sh -c true
done
check "... without -o, too" complains 2 "mpiexec: mpiexec -n 2 llamp-trace sh" llamp-trace mpiexec -n 2 sh
check "... even if there is no program" complains 2 "mpiexec [OPTION]... llamp-trace PROGRAM" \
	llamp-trace mpiexec -n 2 ./nothing-here

# Programs that nothing can be loaded into.
warns() { # TEXT ARGUMENTS...
	text=$1
	shift
	show_errors "$@" >out 2>err || return 1
	grep -qF -- "$text" err && [ "$(grep -c "^llamp-trace: " err)" = 1 ] && return 0
	cat err
	return 1
}
printf 'int main(void) { return 0; }\n' >static.c
if cc -static -o static static.c 2>/dev/null; then
	check "a static program runs, with a warning" warns "./static is statically linked" -o none ./static
	check "... that the first rank prints" eval \
		'PMI_RANK=3 show_errors -o none ./static 2>err && ! grep "^llamp-trace" err'
else
	skip "a static program runs, with a warning" "there is no static C library"
fi
for way in -i - --ignore-environment -vi; do
	check "env $way runs, with a warning" warns "clears the environment" -o none env $way "$(command -v true)"
done
for way in "-u LD_PRELOAD" -uLD_PRELOAD --unset=LD_PRELOAD "-u A --unset LD_PRELOAD"; do
	check "env $way runs, with a warning" warns "removes LD_PRELOAD from the environment" -o none \
		env $way "$(command -v true)"
done
check "other uses of env have no warning" eval 'show env -u A A=-i true 2>err; ! grep "^llamp-trace" err'
chmod u+s static 2>/dev/null
cc -o own static.c && chmod u+s own
check "a program that runs as its owner, who is the user, has no warning" eval \
	'show_errors -o none ./own 2>err && ! grep "^llamp-trace" err'
if [ "$(id -u)" = 0 ] && setpriv --help >/dev/null 2>&1; then
	chmod 755 own && chown 1:1 own && chmod u+s own
	check "a program that runs as another user has a warning" eval \
		'warns "./own is a program that runs with other rights" -o none ./own'
fi

mkdir old && : >old/traces.otf2
LLAMP_TRACE_LIBRARY=$PWD/library.so
export LLAMP_TRACE_LIBRARY
check "an existing trace is not overwritten" complains 1 "old: there is a trace already" llamp-trace -o old true
PMI_RANK=3
export PMI_RANK
check "... and only the first rank says so" eval '! llamp-trace -o old true 2>err && test ! -s err'
unset PMI_RANK
check "a missing program is an error" complains 1 "./none: No such file" llamp-trace ./none
check "a command line without a program is a usage error" complains 2 "" llamp-trace
check "an empty name of a directory is a usage error" complains 2 "-o needs the name of a directory" llamp-trace -o "" true
check "an unknown setting is a usage error" complains 2 "unknown setting LLAMP_TRACE_BUFER" \
	env LLAMP_TRACE_BUFER=1MiB llamp-trace true
LLAMP_TRACE_LIBRARY=$PWD/missing.so
check "a missing library is an error" complains 4 "missing.so" llamp-trace true

check "an unknown report is a usage error" complains 2 "LLAMP_TRACE_REPORT: unknown report 'paths'" llamp-trace --report=paths true
check "no report is a usage error" complains 2 "--report: name reports" llamp-trace --report= true
check "no archive and no report is a usage error" complains 2 "--no-archive without --report" llamp-trace --no-archive true
check "no archive and its name is a usage error" complains 2 "--no-archive takes no -o" llamp-trace --report --no-archive -o t true
check "a budget is a time or a share" complains 2 "LLAMP_TRACE_BUDGET: 'much' is neither a time such as 5s nor a share" \
	env LLAMP_TRACE_BUDGET=much llamp-trace --report true
