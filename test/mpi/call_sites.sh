#!/bin/bash
# runs: every-mpi-long
# Test call sites: from the return addresses of calls to lines of source code, where they are known.
. "$SOURCE/test/mpi/traced.sh"
ranks=2
sources=$SOURCE/test/mpi/call_sites

# build FLAG...: program, liblinked.so and plugin.so
build() {
	"$MPICC" -g -O2 "$@" -shared -fPIC -o liblinked.so "$sources/library.c" &&
		cp liblinked.so plugin.so && "$MPICC" -g -O2 "$@" -o program "$sources/program.c" \
		-L. -llinked -ldl -Wl,-rpath,"$PWD"
}
trace() { # arguments of the program
	rm -rf trace
	run --call-sites -o trace "$@"
}
line() { # FILE NAME: the line of the call with this comment
	grep -n "/\* $2 \*/" "$sources/$1.c" | cut -d: -f1
}
# The sites of waits, and of the calls of the path that the model finds.
sites() {
	critpath waits trace --by site --format csv -o waits.csv && critpath path trace --format csv -o path.csv &&
		critpath profile trace --table sites --format csv -o profile.csv &&
		schedgen trace -o graph.bin 2>summary && llamp path graph.bin --format csv -o model.csv
}
# has FILE SOURCE NAME: a table has the line
has() {
	grep -qE "/$2\.c:$(line "$2" "$3")(,|\$)" "$1" && return 0
	echo "$1 has no $3"
	return 1
}
found() {
	sites && has waits.csv program "first receive" && has waits.csv program "second receive" &&
		has waits.csv library "library receive" && has path.csv program "first send" &&
		has path.csv program "second send" && has model.csv program "first send" &&
		has model.csv program "second send" && has model.csv library "library send" &&
		has profile.csv program "inlined barrier" && has profile.csv program init &&
		has profile.csv program finalize
}

build && trace ./program
by_places() {
	critpath waits trace --by site >out 2>err && grep -q "^program(+0x[0-9a-f]*) " out && ! grep -q "\.c:" out &&
		grep -q "program: not read, as this program was built without libdw: its call sites have no lines" err
}
if ! ldd "$(command -v critpath)" | grep -q libdw; then
	check "without libdw call sites are named by places in files, and a warning says why" by_places
	check "... and the trace is whole" whole trace
	skip "call sites have lines" "critpath was built without libdw"
	exit
fi
check "calls of one function are told apart by their lines, in critpath and llamp path" found
check "... and the trace is whole" whole trace
named() {
	critpath path trace >out && grep -q "^program.c:$(line program "second send") " out &&
		critpath waits trace >out && grep -q "program.c:$(line program "second receive")" out &&
		llamp path graph.bin >out && grep -q "^before program.c:$(line program "second send") " out
}
check "tables of text have names without folders" named
valid() { # SCHEMA COMMAND...: its JSON follows the schema
	schema=$SOURCE/doc/$1.schema.json
	shift
	"$@" --format json -o out.json &&
		/usr/bin/python3 "$SOURCE/test/cli/llamp/check.py" schema "$schema" out.json && grep -q '"site": "/' out.json
}
all_valid() {
	valid critpath-path critpath path trace && valid critpath-waits critpath waits trace &&
		valid critpath-waits critpath waits trace --by site && valid critpath-profile critpath profile trace &&
		valid path llamp path graph.bin
}
check "JSON with sites follows the schemas" all_valid
page() {
	critpath view trace -o view.html 2>err && /usr/bin/python3 "$SOURCE/test/mpi/call_sites/page.py" view.html >seen &&
		grep -qx "MPI_Send program.c:$(line program "second send")" seen &&
		grep -qx "MPI_Send library.c:$(line library "library send")" seen
}
check "the page of critpath view has the site of each call" page
viewer() {
	critpath view trace -o run.pftrace 2>err && critpath view trace -o run.json 2>>err &&
		/usr/bin/python3 "$SOURCE/test/cli/llamp/timeline.py" recorded run.pftrace run.json &&
		/usr/bin/python3 "$SOURCE/test/cli/llamp/timeline.py" slices run.pftrace >slices &&
		grep -q "MPI_Send number=[0-9]* site=program.c:$(line program "second send")\$" slices &&
		grep -q "MPI_Send number=[0-9]* site=library.c:$(line library "library send")\$" slices
}
check "... and so have the files for trace viewers" viewer
sources_of_site() { critpath profile trace --table sites --format csv | grep -c "library.c:$(line library "library send"),"; }
one_for_both() { trace ./program ./plugin.so && found && [ "$(sources_of_site)" = 1 ]; }
check "a library that is opened later has lines, which are those of the linked one" one_for_both
fixed() { build -no-pie -fno-pie && trace ./program && found; }
check "a program at a fixed address has lines" fixed

killed() {
	build || return 1
	trace ./program ./plugin.so die
	[ -d trace/journal ] && recovers trace && sites && has waits.csv program "second receive" &&
		has path.csv program "second send" && has model.csv library "library send"
}
check "a killed run keeps its sites" killed

stripped() {
	build && strip program && strip liblinked.so && trace ./program && sites &&
		grep -q "$PWD/program(+0x[0-9a-f]*)," waits.csv &&
		grep -q "$PWD/liblinked.so(library_pass+0x[0-9a-f]*)," waits.csv && ! grep -q '\.c:' waits.csv
}
check "without debugging information a site is a function, or a place in the file" stripped
# Of each call: the name of its function as it is in the source, not as it is in the symbol.
cxx() {
	"$MPICC" -x c++ -O2 "$sources/names.cc" -x none -o names -lstdc++ && trace ./names &&
		critpath profile trace --table sites --format csv -o profile.csv && ! grep "(_Z" profile.csv &&
		grep -q "names(solver::Field<int, 3>::reduce(int)+0x" profile.csv &&
		grep -q "names(solver::Field<int, 3>::operator/(int)+0x" profile.csv &&
		grep -q "names(solver::(anonymous namespace)::Step::go()::{lambda()#1}::operator()() const+0x" profile.csv &&
		critpath profile trace >out && grep -qF "names(solver::Field<int, 3>::operator/(int)+0x" out &&
		schedgen trace -o graph.bin 2>summary && llamp path graph.bin --format csv -o model.csv && ! grep "(_Z" model.csv
}
cxx_page() {
	critpath view trace -o view.html 2>err && /usr/bin/python3 "$SOURCE/test/mpi/call_sites/page.py" view.html >seen &&
		grep -qF "MPI_Barrier names(solver::Field<int, 3>::operator/(int)+0x" seen && ! grep "_Z" seen
}
if echo 'int main() { return 0; }' | "$MPICC" -x c++ - -o none 2>/dev/null; then
	check "functions of C++ have their names, of templates, namespaces and lambdas" cxx
	check "... on the page, too" cxx_page
else
	skip "functions of C++ have their names" "there is no C++ compiler"
fi
changed() {
	build && trace ./program && build -DOTHER -O1 && critpath waits trace --by site >out 2>err &&
		grep -q "^program(+0x" out && grep -q "critpath: .*program: is not the file that was traced" err &&
		schedgen trace -o graph.bin 2>summary && llamp path graph.bin >out 2>err &&
		grep -q "program(+0x" out && grep -q "llamp: .*program: is not the file that was traced" err
}
check "a program that is another one now has no lines, and a note says so" changed
missing() { rm program && critpath waits trace --by site >out 2>err && grep -q "program: No such file" err; }
check "... nor has one that is missing" missing
escaped() {
	folder=$(printf 'a\033[31m\nb') && mkdir "$folder" && build && cp program "$folder" && trace "./$folder/program" &&
		rm "$folder/program" && critpath waits trace --by site >out 2>err && llamp path "$(graph)" >>out 2>>err &&
		! grep -q "$(printf '\033')" out err && grep -q 'x1b' err
}
graph() { schedgen trace -o graph.bin 2>summary; echo graph.bin; }
check "control characters in the name of a program are shown" escaped

small_stacks() { # KIB
	"$MPICC" -O2 -o small_stacks "$sources/small_stacks.c" -pthread && ranks=1 run ./small_stacks "$1"
	# Some MPI libraries need more.
	holds 'test $status = 0' >small || return 0
	rm -rf trace
	ranks=1 run --call-sites -o trace ./small_stacks "$1"
	holds 'test $status = 0 && grep -qx done out' && whole trace
}
for kib in 16 24; do
	check "threads with stacks of $kib KiB, which suffice without call sites, record call sites" small_stacks $kib
done

# All calls of a Fortran program are at their lines, also when the stack is not unwound any more.
fortran() { # NAME
	"$mpifort" -g -O2 -o "$1" "$sources/$1.f90" && trace "./$1" &&
		critpath profile trace --table sites --format csv -o profile.csv || return 1
	for comment in "first send" "second send" "first receive" "second receive" post start wait exchange barrier; do
		number=$(grep -n "! $comment\$" "$sources/$1.f90" | cut -d: -f1)
		[ "$(grep -c "/$1.f90:$number," profile.csv)" = 1 ] && continue
		echo "no $comment"
		cat profile.csv
		return 1
	done
	! grep -q libmpi profile.csv || { cat profile.csv; return 1; }
}
mpifort=${MPICC/mpicc/mpifort}
for name in old new; do
	case $name in old) interface=mpif.h ;; new) interface=mpi_f08 ;; esac
	if [ "$(uname -m)" != x86_64 ]; then
		skip "calls by Fortran's $interface are at the lines of the program" "only on x86-64"
	elif ! "$mpifort" --version >/dev/null 2>&1; then
		skip "calls by Fortran's $interface are at the lines of the program" "no $mpifort"
	else
		check "calls by Fortran's $interface are at the lines of the program" fortran $name
	fi
done

without() {
	rm -rf trace && build && run -o trace ./program && otf2-print -G trace/traces.otf2 >shown &&
		! grep -q CallSite shown && ! grep -q "$PWD" shown && ! grep -qa CALL_SITES trace/traces.otf2 &&
		critpath path trace --format csv -o path.csv && head -n 1 path.csv | grep -q ",function$"
}
check "without --call-sites the archive has no trace of them" without
check "... which waits by site need" complains 1 "llamp-trace --call-sites" critpath waits trace --by site
check "... and the profile of sites" complains 1 "llamp-trace --call-sites" critpath profile trace --table sites --format csv
refused() { LLAMP_TRACE_CALL_SITES=maybe complains 2 "LLAMP_TRACE_CALL_SITES: 'maybe' is neither on nor off" llamp-trace -o t true; }
check "LLAMP_TRACE_CALL_SITES is on or off" refused
