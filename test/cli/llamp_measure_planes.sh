#!/bin/sh
# Test the planes of llamp-measure report: its page, picture and script for gnuplot.
. "$SOURCE/test/cli/tap.sh"

cp "$SOURCE"/test/cli/llamp_measure_report/*.overlap .
planes() {
	/usr/bin/python3 "$SOURCE/test/cli/llamp_measure_planes/planes.py" "$@"
}
text() {
	llamp-measure report "$@" -o page.html && /usr/bin/python3 "$SOURCE/test/cli/llamp/report.py" text page.html
}
data() {
	llamp-measure report "$@" -o page.html && planes data page.html
}

golden one.text "a page has the answer, the tables and the place of a file" text shm.overlap
golden thread.text "a page of two settings compares them" text tcp.overlap tcp-thread.overlap
golden several.text "a page of several files has them side by side, also a killed and an empty one" \
	text tcp.overlap killed.overlap empty.overlap collectives.overlap
golden one.data "coarse cells have all squares up to the middle between them" data shm.overlap
for files in shm.overlap tcp.overlap "tcp.overlap shm.overlap killed.overlap collectives.overlap"; do
	check "colours and numbers of the planes of $files are those of the cells" eval \
		"llamp-measure report $files -o p.html && llamp-measure report $files -o c.csv && planes agrees p.html c.csv"
done

# picture ARGUMENT...: print a picture without its style sheet.
picture() {
	llamp-measure report "$@" --format svg | sed 's,<style>.*,,; /<\/style>/d'
}
golden one.svg "a picture has the planes of a file" picture shm.overlap
golden two.svg "... or of two, in colours for all kinds of colour vision" picture shm.overlap killed.overlap --palette safe
check "a picture is well-formed" eval \
	'llamp-measure report tcp.overlap killed.overlap empty.overlap -o p.svg && /usr/bin/python3 -c "import xml.dom.minidom as dom; dom.parse(\"p.svg\")"'
check "an empty file has a page, a picture and a script" eval \
	'for f in html svg gnuplot; do llamp-measure report empty.overlap --format $f -o out || exit 1; done'
check "other palettes are refused" complains 2 "unknown palette 'red' (expected fire or safe)" \
	llamp-measure report shm.overlap --palette red -o p.svg

golden one.gp "a script for gnuplot has cells and their planes" llamp-measure report shm.overlap --format gnuplot
check "... which gnuplot draws" eval '! command -v gnuplot >&- ||
	{ llamp-measure report tcp.overlap killed.overlap -o p.gp && gnuplot -e "set terminal svg; set output \"g.svg\"" p.gp 2>err &&
	test ! -s err && grep -q "N threads load" g.svg; }'
check "suffixes name the formats" eval 'for f in html svg gp; do llamp-measure report shm.overlap -o o.$f || exit 1; done
	grep -q "<html" o.html && grep -q "^<svg" o.svg && grep -q "with boxxyerror" o.gp'
