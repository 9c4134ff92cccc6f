#!/bin/sh
# Install the packages that this machine lacks (Debian and Ubuntu): deps.sh [--needed] [LIST...]
#
# Without LIST these are the packages that build-aux/probe.sh names: none where it finds all libraries and an MPI,
# whoever installed them.  --needed leaves out the optional ones.  A LIST is a file of packages.
# The alternatives of an installed MPI (mpiexec, mpicc) stay as they are, whatever is installed.
# On other systems print the packages and continue, because the build names what it lacks.
# Exit 1 with the command to type if packages are missing and cannot be installed.
set -eu
here=$(dirname "$0")
needed=
[ "${1:-}" != --needed ] || { needed=yes && shift; }

# Print the packages that the probe names.
named() {
	"$here/probe.sh" 2>&1 >/dev/null | sed ${needed:+-e '/^no /d'} -n -e 's/.*(Debian package \([^),]*\).*/\1/p'
}
# Print the packages of the lists that are not installed.
not_installed() {
	for package in $(sed 's/#.*//' "$@" | awk 'NF {print $1}'); do
		dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || echo "$package"
	done
}

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
	packages=$(if [ $# -eq 0 ]; then named; else sed 's/#.*//' "$@" | awk 'NF {print $1}'; fi)
	[ -n "$packages" ] || exit 0
	echo "Only Debian's packages can be installed by make; this system needs the equivalents of:" >&2
	echo $packages >&2
	exit 0
fi

cannot() {
	echo "missing packages:" $missing >&2
	echo "$1; install them as root with: apt-get install" $missing >&2
	[ $tests -eq 0 ] || echo "'make test-run' runs the tests with what is installed" >&2
	exit 1
}
tests=$#
log=$(mktemp -d)
trap 'rm -rf "$log"' EXIT

# Print the MPI alternatives as lines "name mode path".
alternatives() {
	update-alternatives --get-selections 2>/dev/null | grep '^mpi' || :
}
install_missing() {
	as_root=
	if [ "$(id -u)" -ne 0 ]; then
		as_root=sudo
		command -v sudo >/dev/null || cannot "there is no sudo"
		sudo -n true 2>/dev/null || [ -t 0 ] || cannot "sudo needs a password"
	fi
	echo "installing" $missing
	alternatives >"$log/before"
	{
		$as_root apt-get update -q &&
			$as_root env DEBIAN_FRONTEND=noninteractive \
				apt-get install -q -y --no-install-recommends $missing
	} >"$log/apt" 2>&1 </dev/null || {
		tail -n 20 "$log/apt" >&2
		cannot "apt-get failed"
	}
	# Another MPI becomes the default by its priority, but the user's programs belong to the one before.
	while read -r name mode path; do
		now=$(alternatives | awk -v name="$name" '$1 == name {print $3}')
		[ "$now" != "$path" ] || continue
		$as_root update-alternatives --set "$name" "$path" >>"$log/apt" 2>&1 || cannot "update-alternatives failed"
		echo "$name remains $path; update-alternatives --auto $name makes it $now"
	done <"$log/before"
}

if [ $# -gt 0 ]; then
	missing=$(not_installed "$@")
	[ -z "$missing" ] || install_missing
	exit 0
fi
missing=$(named)
[ -z "$missing" ] || install_missing
# Without a compiler the probe cannot try the libraries.
case $missing in gcc*)
	missing=$(named)
	[ -z "$missing" ] || install_missing
	;;
esac
