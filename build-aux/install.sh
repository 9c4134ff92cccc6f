#!/bin/sh
# Install files: install.sh ROOT NAME...
#
# ROOT is $(DESTDIR)$(PREFIX); each NAME is a path below it: bin/goal,
# share/man/man1/llamp-analyze.1.  PREFIX is the prefix at run time.
set -eu
root=$1
shift
umask 022

# Print the man page of a command: llamp-analyze is the page of "llamp analyze", llamp-trace that of "llamp-trace",
# llamp-measure-params that of "llamp-measure params".
man_page() {
	command=$1
	if [ -x "$BUILD/bin/$command" ]; then
		"$BUILD/bin/$command" --help=man
	else
		"$BUILD/bin/${command%-*}" "${command##*-}" --help=man
	fi
}

pkg_config_file() {
	version=$("$BUILD/bin/llamp" --version)
	cat <<END
prefix=$PREFIX
libdir=\${prefix}/lib

Name: $1
Description: MPI tracer that writes OTF2 archives
Version: ${version##* }
Libs: -L\${libdir} -Wl,-rpath,\${libdir} -Wl,--no-as-needed -l$1
END
}

for name; do
	target=$root/$name
	mkdir -p "$(dirname "$target")"
	case $name in
	lib/*.so | lib/llamp/*)
		if [ -L "$BUILD/$name" ]; then
			cp -P "$BUILD/$name" "$target"
		else
			install -m 755 "$BUILD/$name" "$target"
		fi
		;;
	bin/*)
		install -m 755 "$BUILD/$name" "$target"
		;;
	*.pc)
		pkg_config_file "$(basename "$name" .pc)" >"$target"
		;;
	share/man/*)
		man_page "$(basename "$name" .1)" >"$target"
		;;
	esac
done
