#!/bin/sh
# Install the packages of a list that this machine lacks (Debian and Ubuntu): deps.sh [LIST]
#
# LIST is build-aux/packages by default.  On other systems print the list and continue, because the build names what
# it lacks.
# Exit 1 with the command to type if packages are missing and cannot be installed.
set -eu
packages=$(sed 's/#.*//' "${1:-$(dirname "$0")/packages}" | awk 'NF {print $1}')

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
	echo "Only Debian's packages can be installed by make; this system needs the equivalents of:" >&2
	echo $packages >&2
	exit 0
fi
missing=
for package in $packages; do
	dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' ||
		missing="$missing $package"
done
[ -n "$missing" ] || exit 0

cannot() {
	echo "missing packages:$missing" >&2
	echo "$1; install them as root with: apt-get install$missing" >&2
	echo "'make test-run' runs the tests with what is installed" >&2
	exit 1
}
as_root=
if [ "$(id -u)" -ne 0 ]; then
	as_root=sudo
	command -v sudo >/dev/null || cannot "there is no sudo"
	sudo -n true 2>/dev/null || [ -t 0 ] || cannot "sudo needs a password"
fi
echo "installing$missing"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
{
	$as_root apt-get update -q &&
		$as_root env DEBIAN_FRONTEND=noninteractive \
			apt-get install -q -y --no-install-recommends $missing
} >"$log" 2>&1 || {
	tail -n 20 "$log" >&2
	cannot "apt-get failed"
}
