#!/bin/sh
# Install what a list, by default build-aux/packages, names and this machine lacks
# (Debian and Ubuntu).
# Elsewhere nothing is done: the build itself says what it lacks.
set -eu
packages=$(sed 's/#.*//' "${1:-$(dirname "$0")/packages}" | awk 'NF {print $1}')

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
	echo "make deps knows Debian's packages only; their counterparts are needed here:" >&2
	echo $packages >&2
	exit 0
fi
missing=
for package in $packages; do
	dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' ||
		missing="$missing $package"
done
[ -n "$missing" ] || exit 0

echo "installing$missing"
as_root=
if [ "$(id -u)" -ne 0 ]; then
	as_root=sudo
	if ! command -v sudo >/dev/null; then
		echo "please run as root: apt-get install$missing" >&2
		exit 1
	fi
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
{
	$as_root apt-get update -q &&
		$as_root env DEBIAN_FRONTEND=noninteractive \
			apt-get install -q -y --no-install-recommends $missing
} >"$log" 2>&1 || {
	tail -n 20 "$log" >&2
	exit 1
}
