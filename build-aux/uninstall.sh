#!/bin/sh
# Remove the files of install.sh, and folders that become empty:
# uninstall.sh ROOT NAME...
set -eu
[ -d "$1" ] || exit 0
cd "$1"
shift
rm -f "$@"
for folder in share/man/man1 share/man share lib/pkgconfig lib/llamp lib bin; do
	rmdir "$folder" 2>/dev/null || :
done
