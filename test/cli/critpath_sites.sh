#!/bin/bash
# Call sites of an archive that no program has: names with quotes, control characters and parts of pages, files that are none.
. "$SOURCE/test/cli/tap.sh"
"$SOURCE/test/cli/critpath_sites/make_trace.py" trace || exit 1
schema() { /usr/bin/python3 "$SOURCE/test/cli/llamp/check.py" schema "$SOURCE/doc/$1.schema.json" out; }
rows() { /usr/bin/python3 -c 'import csv; assert len({len(row) for row in csv.reader(open("out", newline=""))}) == 1' ; }

# sound SCHEMA COMMAND WORD...: text without control characters, JSON that follows its schema, CSV with equal rows.
sound() {
	schema=$1
	shift
	"$1" "$2" trace "${@:3}" >out 2>err && ! tr -d '\n' <out | grep -qa "$(printf '[\001-\037]')" &&
		! grep -qa "$(printf '\033')" err && "$1" "$2" trace "${@:3}" --format json >out 2>err && schema "$schema" &&
		grep -q '"site": "</script>\|"site": "<\\/script>\|"site": "\\u003c' out &&
		"$1" "$2" trace "${@:3}" --format csv $csv_words >out 2>err && rows && grep -q "script" out
}
check "path names them" sound critpath-path critpath path
check "... by groups" sound critpath-groups critpath path --method groups
check "waits, too" sound critpath-waits critpath waits
check "... by site" sound critpath-waits critpath waits --by site
check "... and the profile" eval 'csv_words="--table sites"; sound critpath-profile critpath profile'
page() {
	critpath view trace -o page.html 2>err && ! grep -qa "alert(1)</script>\|<img src=x" page.html &&
		critpath view trace -o run.json 2>err && critpath view trace -o run.pftrace 2>err &&
		/usr/bin/python3 "$SOURCE/test/cli/llamp/timeline.py" recorded run.pftrace run.json
}
check "pages and files for viewers hold them as text" page
