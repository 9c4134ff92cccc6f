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
