#!/bin/bash
# critpath view -o FILE.html: the page, decoded by a program of its own.
. "$SOURCE/test/cli/tap.sh"
page() { /usr/bin/python3 "$SOURCE/test/cli/critpath/page.py" "$@"; }

/usr/bin/python3 "$SOURCE/test/cli/schedgen/make_trace.py" trace || exit 1
for name in order name alone clocks meet; do
	/usr/bin/python3 "$SOURCE/test/cli/critpath/make_trace.py" "$name" "$name" || exit 1
done

# shows TRACE: its page is well-formed, and has the path and the calls of the trace.
shows() {
	exits 0 critpath view "$1" -o "$1.html" && page whole "$1.html" &&
		{ critpath path "$1" --format json >path.json || [ "$1" = clocks ]; } && page path "$1.html" path.json && page calls "$1.html" "$1"
}
check "a page has the segments of critpath path and the calls of the archive" shows trace
check "so with a thread, and receives that complete in another order" shows order
check "so with messages without a partner" shows alone
check "so with a message that arrives before it is sent" shows clocks
check "so with quotes and an escape sequence in the name of a communicator" shows name
check "so with collectives" shows meet
golden trace.calls "calls have their waits, collectives and messages" page tell trace.html
golden order.calls "calls of a thread have their numbers in the rank" page tell order.html
golden alone.calls "messages without a partner are marked" page tell alone.html
golden meet.calls "collectives have the times from which waits after follow" page tell meet.html
culprit() {
	"$SOURCE/test/cli/critpath/archive.py" late <"$SOURCE/test/cli/critpath/late.calls" && exits 0 critpath view late -o late.html &&
		critpath causes late | head -n 1 >wanted && sed "s/'/\&#39;/g" wanted >escaped &&
		{ grep -qFf wanted late.html || grep -qFf escaped late.html; } && grep -q caused wanted
}
check "a page begins with what caused most of the waiting" culprit
# part TRACE FROM TO RANK OPTION...: a page of a part has the calls of the whole page that touch it.
part() {
	trace=$1 from=$2 to=$3 rank=$4
	shift 4
	exits 0 critpath view "$trace" -o part.html "$@" && page whole part.html && page tell "$trace.html" >whole.calls &&
		page tell part.html >part.calls && awk -v from="$from" -v to="$to" -v rank="$rank" '{
			split($1, row, "."); n = split($0, field, ","); split(field[1], word, " "); split(word[5], time, "-")
			if ((rank == "" || row[1] == rank) && time[2] >= from && time[1] <= to) print
		}' whole.calls | diff - part.calls && [ -s part.calls ] && [ "$(wc -l <part.calls)" -lt "$(wc -l <whole.calls)" ]
}
check "a part of the time has the calls that touch it" part trace 1500 3000 "" --from 1500ns --to 3us
check "a part of the ranks has their calls" part order 0 1e9 1 --only-ranks 1
check "calls of a part keep their numbers" part order 255 700 0 --from 255 --to 700 --only-ranks 0
check "so do those of a thread" part order 215 216 0 --from 215 --to 216 --only-ranks 0
some_path() {
	critpath view trace -o part.html --from 1500 --to 2500 && critpath path trace --format json >path.json &&
		/usr/bin/python3 - <<-'END'
			import json
			whole = json.load(open("path.json"))
			kept = [one for one in whole["segments"] if one["end_ns"] >= 1500 and one["start_ns"] <= 2500]
			assert 0 < len(kept) < len(whole["segments"]), kept
			json.dump({"segments": kept}, open("part.json", "w"))
		END
	page path part.html part.json
}
check "a part has its part of the critical path" some_path
says_part() {
	grep -qF '<p class="note">The picture shows ' part.html && grep -qF ' calls, from 1.5 µs to 2.5 µs. The tables are of the whole run.' part.html
}
check "the page says which part it shows" says_part
counted() {
	critpath view trace --from 2us --to 3us -o part.html 2>said && critpath view trace --from 2us --to 3us -o part.json 2>same &&
		[ "$(head -n 1 said)" = "$(sed -n '1s/part.json/part.html/p' same)" ]
}
check "it has as many calls and messages as the same part for viewers" counted
check "a part that ends before it begins is refused" complains 2 "--to 1 us is not after --from 2 us" \
	critpath view trace --from 2us --to 1us -o none.html
check "so is a rank that the run lacks" complains 2 "there is no rank 2, only 0 to 1" critpath view trace --only-ranks 0,2 -o none.html
noted() {
	grep -q '<p class="note">2 sends or receives without a partner in the trace cause no wait.' alone.html &&
		grep -q '<p class="note">1 message arrives before it is sent: the clocks of the ranks differ' clocks.html
}
check "a page says what does not fit together" noted
tables() {
	grep -q '<noscript>' trace.html && grep -q '<tr><th class="n" scope="row">1</th>' trace.html &&
		grep -q '<tr><th scope="row">MPI_Recv</th>' trace.html
}
check "tables of ranks and functions need no script" tables
closed() {
	mkdir 'a<b' && cp -r trace 'a<b/script>' && critpath view 'a<b/script>' -o closed.html && page whole closed.html
}
check "a file name with tags does not end the data" closed
same_archive() { critpath view trace/traces.otf2 -o file.html && critpath view trace -o folder.html && [ "$(page tell file.html)" = "$(page tell folder.html)" ]; }
check "the archive may be named by its anchor" same_archive
check "a damaged archive leaves no page" complains 1 "" critpath view nothing -o none.html
