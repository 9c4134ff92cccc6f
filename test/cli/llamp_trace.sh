#!/bin/sh
# llamp-trace: what it hands on to the program.
. "$SOURCE/test/cli/tap.sh"

unset LLAMP_TRACE_DIR LLAMP_TRACE_LIBRARY LD_PRELOAD
: >library.so
# Loading it would fail with a warning of the dynamic linker, so show the environment only.
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
# The sanitizers do not like to be loaded second.
ASAN_OPTIONS=verify_asan_link_order=0
LD_PRELOAD=libm.so.6
export ASAN_OPTIONS LD_PRELOAD
check "and what is preloaded already stays, behind it" shows "LD_PRELOAD=$PWD/library.so:libm.so.6"
unset LD_PRELOAD ASAN_OPTIONS
check "-o reaches the tracer as a whole path" shows "LLAMP_TRACE_DIR=$PWD/there" -o there
check "a path that is whole stays" shows "LLAMP_TRACE_DIR=/some/where" -o /some/where
check "options behind the program are the program's" eval 'test "$(show printf "%s|" -o x)" = "-o|x|"'
check "a stream that is closed is closed for the program" eval \
	'show sh -c "test -e /proc/self/fd/1 && ! test -e /proc/self/fd/0" <&-'
mkdir old && : >old/traces.otf2
LLAMP_TRACE_LIBRARY=$PWD/library.so
export LLAMP_TRACE_LIBRARY
check "a trace that is there is refused" complains 1 "old: there is a trace already" llamp-trace -o old true
PMI_RANK=3
export PMI_RANK
check "and only the first rank says so" eval '! llamp-trace -o old true 2>err && test ! -s err'
unset PMI_RANK
check "a program that is not there is an error" complains 1 "./none: No such file" llamp-trace ./none
check "no program is a wrong use" complains 2 "" llamp-trace
check "so is an empty directory" complains 2 "-o needs the name of a directory" llamp-trace -o "" true
check "a setting that there is not is a wrong use" complains 2 "LLAMP_TRACE_BUFER is no setting" \
	env LLAMP_TRACE_BUFER=1MiB llamp-trace true
LLAMP_TRACE_LIBRARY=$PWD/missing.so
check "a library that is not there is an error" complains 4 "missing.so" llamp-trace true
