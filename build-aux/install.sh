#!/bin/sh
# Install files, or remove what was installed: install.sh NAME..., install.sh --remove
#
# The first part of a NAME is its kind, and the rest its path in the folder of the kind: bin/goal, lib/libllamptrace.so,
# man/llamp-analyze.1, doc/doc/model.md, bash/goal, zsh/goal, module/llamp-usage.
# Environment: BUILD; DESTDIR, PREFIX, BINDIR, LIBDIR, MANDIR, DOCDIR, DATADIR.  DESTDIR goes before all names, for packages.
# A list of all installed files is in LIBDIR/llamp, so that --remove finds them, whatever was built since.
set -eu
umask 022
list=$DESTDIR$LIBDIR/llamp/installed

if [ "$*" = --remove ]; then
	[ -e "$list" ] || { echo "nothing to remove: there is no $list"; exit 0; }
	{ cat "$list" && echo "$LIBDIR/llamp/installed"; } >"${TMPDIR:-/tmp}/installed.$$"
	while read -r file; do
		rm -f "$DESTDIR$file"
		folder=$(dirname "$file")
		while [ "$folder" != "$PREFIX" ] && rmdir "$DESTDIR$folder" 2>/dev/null; do
			folder=$(dirname "$folder")
		done
	done <"${TMPDIR:-/tmp}/installed.$$"
	rm "${TMPDIR:-/tmp}/installed.$$"
	exit 0
fi

# Print the man page of a command: llamp-analyze is the page of "llamp analyze", llamp-trace that of "llamp-trace",
# llamp-usage-from-trace that of "llamp-usage from-trace".
man_page() {
	command=$1
	while ! [ -f "$BUILD/bin/$command" ]; do
		case $command in
		*-*) command=${command%-*} ;;
		*) echo "$1 is the page of no command" >&2 && exit 1 ;;
		esac
	done
	if [ "$command" = "$1" ]; then
		"$BUILD/bin/$command" --help=man
	else
		"$BUILD/bin/$command" "${1#"$command"-}" --help=man
	fi
}

pkg_config_file() {
	version=$("$BUILD/bin/llamp" --version)
	# The linker of a program finds what is in the system's folders, and Debian forbids the path there.
	case $LIBDIR in
	/usr/lib | /usr/lib/* | /usr/lib64 | /lib | /lib/* | /lib64) path= ;;
	*) path=" -Wl,-rpath,\${libdir}" ;;
	esac
	case $LIBDIR in
	"$PREFIX"/*) libdir="\${prefix}${LIBDIR#"$PREFIX"}" ;;
	*) libdir=$LIBDIR ;;
	esac
	case $1 in
	llampusage*) description="Profiler that counts the MPI calls of every job" ;;
	*) description="MPI tracer that writes OTF2 archives" ;;
	esac
	cat <<END
prefix=$PREFIX
libdir=$libdir

Name: $1
Description: $description
Version: ${version##* }
Libs: -L\${libdir}$path -Wl,--no-as-needed -l$1
END
}

# Copy a file, or a link of the build.
copy() { # MODE FROM
	if [ -L "$2" ]; then
		ln -sfn "$(readlink "$2")" "$target"
	else
		install -m "$1" "$2" "$target"
	fi
}

mkdir -p "$(dirname "$list")"
touch "$list"
for name; do
	rest=${name#*/}
	case $name in
	bin/*) target=$BINDIR/$rest ;;
	lib/*) target=$LIBDIR/$rest ;;
	man/*) target=$MANDIR/man1/$rest ;;
	doc/*) target=$DOCDIR/$rest ;;
	bash/*) target=$DATADIR/bash-completion/completions/$rest ;;
	zsh/*) target=$DATADIR/zsh/site-functions/_$rest ;;
	module/*) target=$DATADIR/modulefiles/$rest ;;
	esac
	echo "$target" >>"$list"
	target=$DESTDIR$target
	mkdir -p "$(dirname "$target")"
	case $name in
	*.pc) pkg_config_file "$(basename "$name" .pc)" >"$target" ;;
	bin/* | lib/*) copy 755 "$BUILD/$name" ;;
	man/*) man_page "$(basename "$name" .1)" >"$target" ;;
	doc/*) if [ -x "$rest" ]; then copy 755 "$rest"; else copy 644 "$rest"; fi ;;
	module/*) sed "s|@LIBDIR@|$LIBDIR|; s|@BINDIR@|$BINDIR|; s|@MANDIR@|$MANDIR|" "build-aux/$rest.module" >"$target" && chmod 644 "$target" ;;
	bash/* | zsh/*) "$BUILD/bin/$rest" --help="${name%%/*}" >"$target" ;;
	esac
done
sort -u -o "$list" "$list"
