# Helpers of the command tests: TAP, golden files, a scratch folder.
#
#	. "$SOURCE/test/cli/tap.sh"
#	check "goal info prints the counts" exits 0 goal info two.goal
#	golden info "goal info prints the counts of a graph" goal info two.goal
#
# A test runs in a scratch folder, which is removed at the end.

golden_folder=$SOURCE/test/cli/$(basename "$0" .sh)
scratch=$(mktemp -d)
tests=0
failures=0
cd "$scratch" || exit 1

finish() {
	status=$?
	echo "1..$tests"
	cd / && rm -rf "$scratch"
	[ $failures -eq 0 ] || status=1
	exit $status
}
trap finish EXIT

ok() {
	tests=$((tests + 1))
	echo "ok $tests - $1"
}

not_ok() {
	tests=$((tests + 1))
	failures=$((failures + 1))
	echo "not ok $tests - $1"
}

# skip SENTENCE WHY
skip() {
	tests=$((tests + 1))
	echo "ok $tests - $1 # SKIP $2"
}

# show FILE...: print the files, of long ones the first and last lines.
show() {
	local shown
	for shown; do
		[ -f "$shown" ] || continue
		echo "--- $shown: $(wc -l <"$shown") lines"
		if [ "$(wc -l <"$shown")" -gt 80 ]; then
			head -n 40 "$shown"
			echo "..."
			tail -n 40 "$shown"
		else
			cat "$shown"
		fi | cut -c 1-1000
	done
}

# check SENTENCE COMMAND...: the command must succeed.  If it fails, print the command, its output and
# what it has left in out and err.
check() {
	sentence=$1
	shift
	checked=0
	"$@" >check.log 2>&1 || checked=$?
	if [ $checked -eq 0 ]; then
		ok "$sentence"
		return
	fi
	not_ok "$sentence"
	{
		printf '%s\n' "status $checked of: $*"
		cat check.log
		grep -q '^--- err: ' check.log || show out err
	} | sed 's/^/# /'
}

# exits STATUS COMMAND...: check that the command ends with the status; write its output to out and err.
exits() {
	wanted=$1
	shift
	got=0
	"$@" >out 2>err || got=$?
	[ $got -eq "$wanted" ] && return 0
	echo "$*: ended with status $got instead of $wanted"
	show out err
	return 1
}

# recovers DIR: build the archive of a killed run.  Its processes may end later than mpiexec.
recovers() {
	for try in $(seq 50); do
		exits 0 llamp-trace --recover "$1" >recovering && return
		grep -q 'the run has not ended' err || break
		sleep 0.2
	done
	cat recovering
	return 1
}

# complains STATUS TEXT COMMAND...: check that the command ends with the status, prints nothing on
# stdout, and has TEXT in its first line on stderr.
complains() {
	wanted_status=$1
	wanted_text=$2
	shift 2
	exits "$wanted_status" "$@" || return 1
	if [ -s out ]; then
		echo "$*: printed something"
		return 1
	fi
	head -n 1 err | grep -qF -- "$wanted_text" && return 0
	echo "$*: the first line on stderr is not: $wanted_text"
	return 1
}

# golden NAME SENTENCE COMMAND...: check that the command succeeds and prints the content of the
# golden file NAME.  UPDATE=1 writes the file.
golden() {
	file=$golden_folder/$1
	sentence=$2
	shift 2
	if [ -n "$UPDATE" ]; then
		mkdir -p "$golden_folder"
		"$@" >"$file"
	fi
	check "$sentence" same "$file" "$@"
}

same() {
	expected=$1
	shift
	exits 0 "$@" && diff -u "$expected" out
}
