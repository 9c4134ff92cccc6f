#!/bin/bash
# Tests of make install, make uninstall and make dist.
. "$SOURCE/test/cli/tap.sh"
unset MAKEFLAGS MFLAGS MAKELEVEL GNUMAKEFLAGS MAKEOVERRIDES
unset PREFIX BINDIR LIBDIR DATADIR MANDIR DOCDIR DESTDIR

in_build() { make -s -C "$SOURCE" BUILD="$BUILD" ${MPICC:+MPICC="$MPICC"} ${MPIEXEC:+MPIEXEC="$MPIEXEC"} "$@"; }

root=$PWD/package/opt/llamp
check "make install works" in_build install DESTDIR="$PWD/package" PREFIX=/opt/llamp
for command in goal schedgen llamp llamp-trace llamp-measure; do
	check "the installed $command starts" "$root/bin/$command" --version
done
for file in doc/README.md doc/model.md doc/analyze.schema.json examples/params/cscs-testbed.yaml README.md NEWS.md; do
	check "$file is installed" cmp "$SOURCE/$file" "$root/share/doc/llamp/$file"
done
check "completion is installed for bash and zsh" eval \
	'bash -n "$root/share/bash-completion/completions/llamp" && grep -qx "#compdef llamp" "$root/share/zsh/site-functions/_llamp"'
check "no installed file contains the path of the build" exits 1 grep -rIl "$BUILD" package

every_command_has_a_page() {
	for page in goal schedgen llamp llamp-trace llamp-measure \
		$("$root/bin/llamp-measure" --help | sed -n 's/^  \([a-z]*\) .*/llamp-measure-\1/p') \
		$("$root/bin/goal" --help | sed -n 's/^  \([a-z]*\) .*/goal-\1/p') \
		$("$root/bin/llamp" --help | sed -n 's/^  \([a-z]*\) .*/llamp-\1/p'); do
		grep -q '^.SH NAME' "$root/share/man/man1/$page.1" || { echo "no page $page"; return 1; }
	done
}
check "every command has a man page" every_command_has_a_page
every_page_that_is_named_is_there() {
	sed -s -n '/^.SH SEE ALSO/,$p' "$root"/share/man/man1/*.1 | sed 's/\\//g' | grep -o '[a-z-]\+(1)' | sort -u >named
	[ "$(wc -l <named)" -ge 25 ] || { cat named; return 1; }
	while read -r page; do
		[ -e "$root/share/man/man1/${page%(1)}.1" ] || { echo "no $page"; return 1; }
	done <named
}
check "... and so has every page that one names" every_page_that_is_named_is_there
if command -v groff >/dev/null; then
	pages_are_clean() {
		groff -man -ww -Tascii "$root"/share/man/man1/*.1 2>&1 >pages | tee complaints
		[ ! -s complaints ] && grep -q tolerance pages
	}
	check "the man pages are correct roff" pages_are_clean
else
	skip "the man pages are correct roff" "there is no groff"
fi

traces_with_installed() {
	exits 0 "$MPIEXEC" -n 2 "$root/bin/llamp-trace" -o trace "$BUILD/examples/ring" --blocks 2 &&
		otf2-print trace/traces.otf2 | grep -q MPI_SEND
}
check "the installed tracer traces" traces_with_installed

# On a busy machine it may find no latency, status 3.
measures_with_installed() {
	"$MPIEXEC" -n 2 "$root/bin/llamp-measure" params --time-limit 3s >out 2>err
	case $? in 0 | 3) grep -q '^# LogGPS parameters' out ;; *) return 1 ;; esac
}
check "the installed llamp-measure measures" measures_with_installed

# of_mpi NAME: a variable of the build for an MPI
of_mpi() { sed -n "s/^$1 = *//p" "$BUILD/config.mk"; }

links_with_pkg_config() { # PACKAGE MPI
	rm -rf llamp-trace-linked*
	flags=$(PKG_CONFIG_PATH=$root/lib/pkgconfig pkg-config --define-variable=prefix="$root" \
		--libs "$1") &&
		"$(of_mpi "MPICC_$2")" -o linked "$SOURCE/examples/ring.c" $flags &&
		exits 0 env -u LD_LIBRARY_PATH "$(of_mpi "MPIEXEC_$2")" -n 2 ./linked --blocks 2 &&
		otf2-print llamp-trace-linked*/traces.otf2 | grep -q MPI_SEND
}
check "a program that mpicc links to the tracer with pkg-config traces" \
	links_with_pkg_config llamptrace "$(of_mpi PLAIN_MPI)"
counts_with_pkg_config() { # PACKAGE MPI
	rm -f counted.usage
	flags=$(PKG_CONFIG_PATH=$root/lib/pkgconfig pkg-config --define-variable=prefix="$root" \
		--libs "$1") &&
		"$(of_mpi "MPICC_$2")" -o counting "$SOURCE/examples/ring.c" $flags &&
		LLAMP_USAGE_FILE=$PWD/counted.usage exits 0 env -u LD_LIBRARY_PATH "$(of_mpi "MPIEXEC_$2")" -n 2 ./counting --blocks 2 &&
		"$root/bin/llamp-usage" show counted.usage | grep -q MPI_Send
}
for mpi in $(of_mpi MPIS); do
	check "a program linked to the profiler counts with $mpi" counts_with_pkg_config llampusage "$mpi"
	check "... and to that for $mpi only" counts_with_pkg_config "llampusage-$mpi" "$mpi"
done
versioned() { # FILE: the library that a linked program asks for
	readelf -d "$1" | sed -n 's/.*NEEDED.*\[\(libllamptrace.*\)\]/\1/p'
}
check "... and asks for the library by the version of its interface" eval \
	'versioned linked | grep -qx "libllamptrace-.*\.so\.[0-9][0-9]*" && [ -f "$root/lib/$(versioned linked)" ]'
for mpi in $(of_mpi MPIS); do
	check "a program linked to the tracer for $mpi traces" \
		links_with_pkg_config "llamptrace-$mpi" "$mpi"
done

check "make uninstall works" in_build uninstall DESTDIR="$PWD/package" PREFIX=/opt/llamp
check "... and leaves nothing" test -z "$(find "$root" -mindepth 1)"
check "... and is no failure where nothing is installed" in_build uninstall DESTDIR="$PWD/package" PREFIX=/opt/llamp

# ---- other folders

# A copy of the build's output, as commands for another LIBDIR are linked anew.
mkdir build
tar -c -C "$BUILD" --exclude=./developer --exclude=test --exclude=./examples --exclude=./bench --exclude=./demo . | tar -x -C build
as_distribution() { # TARGET
	make -s -C "$SOURCE" BUILD="$PWD/build" ${MPICC:+MPICC="$MPICC"} ${MPIEXEC:+MPIEXEC="$MPIEXEC"} "$1" DESTDIR="$PWD/system" PREFIX=/usr \
		LIBDIR=/usr/lib/x86_64-linux-gnu MANDIR=/usr/man DOCDIR=/usr/documents
}
mkdir -p system/usr/bin && touch system/usr/bin/other
check "make install takes LIBDIR, MANDIR and DOCDIR" as_distribution install
in_their_folders() {
	(cd system/usr && ls -d lib/* share/* man/* && ls lib/x86_64-linux-gnu/pkgconfig/llamptrace.pc man/man1/goal.1 documents/doc/model.md) >list
	! grep -v '^lib/x86_64-linux-gnu\|^share/bash-completion\|^share/zsh\|^man/man1\|^share/modulefiles\|^documents' list
}
check "... and writes nothing elsewhere" in_their_folders
traces_from_libdir() {
	exits 0 "$MPIEXEC" -n 2 system/usr/bin/llamp-trace -o elsewhere "$BUILD/examples/ring" --blocks 2 && [ -e elsewhere/traces.otf2 ]
}
check "llamp-trace finds its library in LIBDIR" traces_from_libdir
check "the folder of the system's libraries is no rpath" eval \
	'! grep rpath system/usr/lib/x86_64-linux-gnu/pkgconfig/llamptrace.pc'
check "make uninstall removes what was installed" as_distribution uninstall
check "... and nothing else" test "$(find system -type f)" = system/usr/bin/other

# ---- distribution

sentence="make dist writes the same bytes each time"
if git -C "$SOURCE" rev-parse --git-dir >/dev/null 2>&1; then
	same_bytes() {
		for folder in first second; do
			make -s -C "$SOURCE" BUILD="$PWD/$folder" dist >said || return 1
			sleep 1
		done
		cmp first/llamp-*.tar.gz second/llamp-*.tar.gz
	}
	check "$sentence" same_bytes
	is_complete() {
		mkdir unpacked && tar -x --strip-components=1 -C unpacked -f first/llamp-*.tar.gz &&
			[ "$(find unpacked -type f | wc -l)" = "$(git -C "$SOURCE" ls-tree -r HEAD | wc -l)" ] &&
			mkdir unpacked/build && cp "$BUILD/config.mk" unpacked/build/ &&
			env -u BUILD make -n -C unpacked all >commands && grep -q 'o build/bin/goal' commands
	}
	check "... from which llamp is built" is_complete
else
	skip "$sentence" "this is no checkout of git"
fi
