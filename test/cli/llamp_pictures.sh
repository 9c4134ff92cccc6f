#!/bin/sh
# llamp report --svg: pictures as files.
. "$SOURCE/test/cli/tap.sh"

here=$SOURCE/test/cli/llamp
cp "$here"/*.goal .
report() {
	llamp report "$@" -L 500 --overhead 100 -G 5
}
python() {
	/usr/bin/python3 "$SOURCE/test/cli/llamp/pictures.py" "$@"
}

check "pictures of one graph are written" report tolerant.goal --svg one
check "they are XML, alone and with all labels inside" python one
check "each of them is there in two widths" test "$(ls one | tr '\n' ' ')" = \
	"bytes-column.svg bytes.svg critical-path-column.svg critical-path.svg curve-column.svg curve.svg \
lambda_G-column.svg lambda_G.svg lambda_L-column.svg lambda_L.svg messages-column.svg messages.svg rank-switches-column.svg rank-switches.svg ranks-column.svg ranks.svg tolerances-column.svg tolerances.svg "
check "pictures of several graphs are written" report tolerant.goal ring.goal silent.goal --svg several
check "these are XML, too" python several
check "those of one program have its number" test -f several/bytes-2.svg -a ! -e several/bytes.svg
check "curves and tolerances of all programs are in one picture" test -f several/curve.svg -a ! -e several/curve-1.svg
check "a graph without messages has no picture of them" test ! -e several/bytes-3.svg
check "there is no page without -o" test -z "$(report tolerant.goal --svg one)"
check "there is one with -o" report tolerant.goal --svg one -o page.html
check "there is one on stdout with -o -" sh -c '
	llamp report tolerant.goal -L 500 --overhead 100 -G 5 --svg one -o - | cmp - page.html'
check "it is an HTML page" grep -q '^<!DOCTYPE html>$' page.html
cp -r one before
check "pictures are written again" report tolerant.goal --svg one
check "they are the same" diff -r before one
check "a folder in a folder that is missing is an error" exits 4 report tolerant.goal --svg missing/folder
check "so is a file" exits 4 report tolerant.goal --svg page.html
# The first pictures fit the limit on the size of files, a later one does not.
all_or_none() {
	rm -rf none && (ulimit -f 12 && exits 4 report ring.goal --svg none) && [ ! -e none ] &&
		(ulimit -f 12 && exits 4 report ring.goal --svg before -o full.html) && diff -r one before && [ ! -e full.html ]
}
check "if a picture cannot be written, no picture and no page is" all_or_none
