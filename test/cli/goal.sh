#!/bin/sh
# Test the command goal.
. "$SOURCE/test/cli/tap.sh"

cat >two.goal <<'END'
// Two ranks, a message, and a calc beside it.
num_ranks 2
rank 0 {
  start: calc 1500
  s: send 4096b to 1 tag 5
  s requires start
  send 0b to 1 tag 6
}
rank 1 {
  r: recv 4096b from 0 tag 5
  recv 0b from 0 tag 6
  c: calc 2500000 cpu 1
  c irequires r
}
END

golden two.goal "text is written in column 0 with numbered labels" goal convert two.goal -o -
golden info "goal info prints the counts" goal info two.goal
golden info.json "goal info --format json prints the counts" goal info --format json two.goal
golden check "goal check says ok with the counts" goal check two.goal
golden stats "goal stats prints how the work is spread, and sizes of messages" goal stats two.goal
golden stats.json "goal stats prints JSON" goal stats two.goal --format json
golden stats.csv "goal stats prints CSV in long form" goal stats two.goal --format csv
golden stats-by-rank "goal stats --by-rank prints every rank" goal stats two.goal --by-rank
golden stats-by-rank.json "goal stats --by-rank prints every rank as JSON" \
	goal stats two.goal --by-rank --format json
golden stats-by-rank.csv "goal stats --by-rank prints every rank as CSV" \
	goal stats two.goal --by-rank --format csv
golden_folder=$SOURCE/doc golden goal-stats.schema.json "the schema of goal stats is the one in doc/" \
	goal stats two.goal --format schema
golden_folder=$SOURCE/doc golden goal-info.schema.json "the schema of goal info is the one in doc/" \
	goal info two.goal --format schema
golden info.csv "goal info prints CSV in long form" goal info two.goal --format csv
many_ranks() {
	schedgen --pattern incast --ranks 1000 --compute 1us:50% -o many.bin 2>/dev/null &&
		goal stats many.bin >out && [ "$(wc -l <out)" -lt 40 ] &&
		awk 'length($0) > 80 {print; bad = 1} END {exit bad}' out &&
		goal stats many.bin --by-rank --format json >many.json &&
		goal stats two.goal --format json >two.json &&
		/usr/bin/python3 "$SOURCE/test/cli/llamp/check.py" schema \
			"$SOURCE/doc/goal-stats.schema.json" many.json two.json &&
		/usr/bin/python3 -c '
import csv, json, subprocess
report = json.load(open("many.json"))
rows = list(csv.DictReader(subprocess.run(["goal", "stats", "many.bin", "--by-rank", "--format", "csv"],
                                          stdout=subprocess.PIPE, text=True).stdout.splitlines()))
for key, spread in report["spread"].items():
    values = [rank[key] for rank in report["by_rank"]]
    assert spread["max"] == values[spread["max_rank"]] and spread["total"] == sum(values), key
    values.sort()
    for k, name in enumerate(("min", "p25", "median", "p75", "max")):
        assert spread[name] == values[999 * k // 4], (key, name)
    quantity = "compute" if key == "compute_ns" else key
    of_ranks = [row["value"] for row in rows if row["quantity"] == quantity and row["rank"] and not row["statistic"]]
    assert of_ranks == [str(rank[key]) for rank in report["by_rank"]], key
'
}
to_file() {
	for command in info stats; do
		for format in text json csv; do
			goal $command two.goal --format $format >printed &&
				exits 0 goal $command two.goal --format $format -o written &&
				[ ! -s out ] && cmp printed written || return 1
		done
	done
	complains 2 "the output would overwrite the input" goal info two.goal --format text -o two.goal
}
check "goal info and goal stats write to the file of -o" to_file
check "goal stats of a thousand ranks is short, and its numbers are those of the ranks" many_ranks
golden help "goal --help lists the commands" goal --help
golden convert-help "goal convert --help explains its options" goal convert --help

# ---------------------------------------------------------------- conversion

convert_both_ways() {
	goal convert two.goal -o two.bin &&
		goal convert two.bin -o again.goal &&
		diff "$golden_folder/two.goal" again.goal &&
		goal convert again.goal -o again.bin &&
		cmp two.bin again.bin
}
check "binary is converted to text and back" convert_both_ways

convert_through_pipes() {
	goal convert - -o - --format bin <two.goal | goal convert - -o - | diff "$golden_folder/two.goal" - &&
		cat two.goal | goal convert - -o - --format bin | cmp - two.bin
}
check "- means stdin and stdout, for text and binary" convert_through_pipes

convert_names() {
	goal convert two.goal -o named.txt && cmp named.txt again.goal &&
		goal convert two.goal -o named --format bin && cmp named two.bin &&
		goal convert two.goal -o named --to text && cmp named again.goal &&
		complains 2 "--format bin contradicts the name of the output 'named.txt'" \
			goal convert two.goal -o named.txt --format bin &&
		complains 2 "the output 'named.xml' must end in .goal or .bin" goal convert two.goal -o named.xml
}
check "the name of the output and --format say the same" convert_names


check "goal info tells binary from text by content" same "$golden_folder/info" goal info named.txt
check "goal stats is the same for text and binary" same "$golden_folder/stats" goal stats two.bin

for pair in two-rank lulesh-8; do
	data=$SOURCE/../shared/data/goal/$pair
	if [ -r "$data.bin" ]; then
		made_by_txt2bin() {
			goal convert "$data.goal" -o made.bin && cmp made.bin "$data.bin" &&
				goal convert made.bin -o made.goal && goal convert made.goal -o made2.bin &&
				cmp made2.bin "$data.bin"
		}
		check "$pair: binary is equal to that of txt2bin" made_by_txt2bin
	else
		skip "$pair: binary is equal to that of txt2bin" "the files are not there"
	fi
done

# -------------------------------------------------------------- wrong input

# For each command: `each SENTENCE STATUS TEXT FILE`.
each() {
	sentence=$1
	status=$2
	text=$3
	shift 3
	rm -rf made && mkdir made
	for command in info check stats "convert -o made/out.bin" "convert -o made/out.goal"; do
		# shellcheck disable=SC2086
		check "goal $command: $sentence" complains "$status" "goal: $text" goal $command "$@"
	done
	check "$sentence: no output is left" rmdir made
}

: >empty.goal
printf 'num_ranks 2\nrank 0 {\ncalc 5\n' >cut.goal
head -c 100 two.bin >cut.bin
head -c 5 two.bin >stub.bin
printf '\046\011\0\0\0\0\0\0\1\0\0\0\0\0' >consumed.bin
printf 'OTF2\0\1\2\3' >other
printf 'num_ranks 4294967295\nrank 0 {\n}\n' >many.goal
printf '\177\020\0\0\0\0\0\0\377\377\377\377\0\0' >many.bin
mkdir folder

each "a missing file is named" 1 "nowhere.goal: cannot be opened: No such file or directory" nowhere.goal
each "an empty file is named" 1 "empty.goal: the file is empty" empty.goal
each "a folder is not a graph" 1 "folder: is a directory" folder
/usr/bin/python3 "$SOURCE/test/cli/schedgen/make_trace.py" archive || exit 1
make_graph="make a graph of it with schedgen"
each "an archive is named as one" 1 "archive: this is an OTF2 archive: $make_graph" archive
each "so is its anchor file" 1 \
	"archive/traces.otf2: this is an OTF2 archive: $make_graph" archive/traces.otf2
each "so is a file of its events" 1 \
	"archive/traces/0.evt: this is part of an OTF2 archive: $make_graph" archive/traces/0.evt
schedgen archive -o traced.bin 2>/dev/null || exit 1
each "the calls of a graph are named as such" 1 \
	"traced.bin.calls: these are the calls of a graph: the graph is the file without .calls" \
	traced.bin.calls
mkdir liballprof && printf "# htor's PMPI Tracer 1.1 Output File\n" >liballprof/pmpi-trace-rank-0.txt
each "text traces are named as such" 1 \
	"liballprof: this is a text trace of liballprof: $make_graph" liballprof
each "so is one of the text traces" 1 \
	"liballprof/pmpi-trace-rank-0.txt: this is a text trace of liballprof: $make_graph" \
	liballprof/pmpi-trace-rank-0.txt
gzip -k two.goal
each "a compressed file is named as such" 1 \
	"two.goal.gz: this is compressed by gzip: decompress it first" two.goal.gz
in_place() {
	cp two.goal same.goal && ln -sf same.goal link &&
		complains 2 "goal: same.goal: the output would overwrite the input" \
			goal convert same.goal -o same.goal &&
		complains 2 "goal: link: the output would overwrite the input" \
			goal convert same.goal -o link --format bin && cmp two.goal same.goal
}
check "goal convert does not overwrite its input" in_place
kept_calls() {
	cp two.goal called.goal && echo calls >called.goal.calls && cp called.goal.calls calls &&
		complains 2 "the output would overwrite the input called.goal.calls" \
			goal "$1" called.goal --format text -o called.goal.calls && cmp calls called.goal.calls
}
for command in convert info stats; do
	check "goal $command does not overwrite the calls of its graph" kept_calls $command
done
each "cut text is named with its line" 1 \
	"cut.goal:2: the block of rank 0 that begins here is not closed by '}'" cut.goal
each "a cut binary is named with the offset" 1 \
	"cut.bin: offset 14: the block of rank 0 must begin at 38 and end by 92, not span 38 to 175" cut.bin
each "a binary cut in its header is named" 1 \
	"stub.bin: offset 5: the file ends in its header: 14 bytes were expected" stub.bin
each "a consumed graph is explained" 1 \
	"consumed.bin: offset 0: the graph was consumed by a LogGOPSim --save-mem run" consumed.bin
each "a file of another type is refused" 1 \
	"other:1: expected 'num_ranks', with which GOAL text begins, not 'OTF2'" other
each "absurdly many ranks in text are refused" 1 \
	"many.goal:1: the file is too short for 4294967295 ranks" many.goal
each "absurdly many ranks in a binary are refused" 1 \
	"many.bin: offset 8: the file ends in its jump table" many.bin

# Run as another user, because root may read and write everything.
as_somebody() {
	if [ "$(id -u)" -eq 0 ]; then
		setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
	else
		"$@"
	fi
}
chmod 755 .
if as_somebody goal --version >out 2>err; then
	cp two.goal secret.goal && chmod 200 secret.goal
	check "a file that may not be read is named" complains 1 \
		"goal: secret.goal: cannot be opened: Permission denied" as_somebody goal info secret.goal
	mkdir locked && chmod 555 locked
	check "an output folder that may not be written is named" complains 4 \
		"goal: locked/out.bin: cannot be written: Permission denied" \
		as_somebody goal convert two.goal -o locked/out.bin
else
	skip "a file that may not be read is named" "root reads everything"
	skip "an output folder that may not be written is named" "root writes everywhere"
fi
check "a message about stdin names it as -" complains 1 "goal: -: the file is empty" goal info - <empty.goal

# Give the command a binary that is cut at every byte.
cut_everywhere() {
	size=$(wc -c <two.bin)
	at=0
	while [ $at -lt "$size" ]; do
		head -c $at two.bin >part.bin
		exits 1 goal info part.bin || return 1
		grep -q '^goal: part.bin: ' err || return 1
		at=$((at + 1))
	done
}
check "a binary cut at any byte is refused" cut_everywhere

# -------------------------------------------------------- graphs that are wrong

cat >cyclic.goal <<'END'
num_ranks 1
rank 0 {
a: calc 1
b: calc 2
a requires b
b requires a
}
END
check "goal check names the operations of a circle" complains 1 \
	"goal: cyclic.goal: the graph is cyclic: 2 operations wait for each other in a circle: rank 0, operation" \
	goal check cyclic.goal
check "goal info accepts a circle" exits 0 goal info cyclic.goal

printf 'num_ranks 2\nrank 0 {\nsend 8b to 1 tag 3\n}\nrank 1 {\nrecv 8b from 0 tag 4\n}\n' >alone.goal
check "goal check names operations without a partner" complains 1 \
	"goal: alone.goal: 1 send and 1 receive have no partner; the first is rank 0, operation 0 (send 8 bytes to 1, tag 3)" \
	goal check alone.goal

printf 'num_ranks 1\nrank 0 {\nsend 8b to 0 tag 3\nrecv 8b from -1 tag 3\n}\n' >any.goal
check "goal check cannot match wildcards" complains 3 \
	"goal: any.goal: rank 0, operation 1 (recv 8 bytes from any rank, tag 3)" goal check any.goal
check "wildcards can be converted" exits 0 goal convert any.goal -o any.bin

printf 'num_ranks 1\nrank 0 {\ncalc 18446744073709551615\ncalc 1\n}\n' >huge.goal
check "goal stats refuses sums that do not fit" complains 3 \
	"goal: huge.goal: the times of the calcs in ns add up to 2^64 or more" goal stats huge.goal
check "huge calcs can be converted" exits 0 goal convert huge.goal -o huge.bin

# ----------------------------------------------------------------- wrong output

check "a missing output folder is named" complains 4 \
	"goal: nowhere/out.bin: cannot be written: No such file or directory" \
	goal convert two.goal -o nowhere/out.bin
check "a folder cannot be an output" complains 4 "goal: folder: cannot be written: Is a directory" \
	goal convert two.goal -o folder
if [ -w /dev/full ]; then
	full() {
		goal convert two.goal -o - >/dev/full 2>err
		[ $? -eq 4 ] && grep -q '^goal: .*No space left on device' err
	}
	check "a full disk is an error" full
fi
# The sanitizers reserve more memory than any limit allows.
if (ulimit -v 200000 && goal --version) >/dev/null 2>&1; then
	refused() {
		awk 'BEGIN {
			print "num_ranks 32"
			for (rank = 0; rank < 32; rank++) {
				print "rank " rank " {"
				for (op = 1; op <= 80000; op++)
					print "l" op ": calc 5"
				print "}"
			}
		}' >large.goal
		(ulimit -v 160000 && complains 3 \
			"goal: large.goal: reading the graph takes about " \
			goal info large.goal)
	}
	check "a graph that does not fit in memory is refused early" refused
	piped() {
		cat large.goal | (ulimit -v 50000 && complains 3 \
			"goal: -: reading the rest of it takes about " goal info -)
	}
	check "a pipe that does not fit in memory is refused" piped
	one_rank() {
		awk 'BEGIN {
			print "num_ranks 1\nrank 0 {"
			for (op = 0; op < 1100000; op++)
				print "calc 5"
			print "}"
		}' >large.goal
		(ulimit -v 80000 && complains 3 \
			"goal: large.goal: encoding a rank takes about " goal info large.goal)
	}
	check "a rank that does not fit in memory is refused early" one_rank
	rm -f large.goal
fi
output_survives() {
	echo precious >kept.bin
	exits 1 goal convert cut.goal -o kept.bin && grep -q precious kept.bin
}
check "an output that exists is kept when the input is wrong" output_survives

# ------------------------------------------------------------------------ usage

check "goal alone is a usage error" complains 2 "usage: goal COMMAND" goal
check "an unknown command is a usage error" complains 2 "goal: unknown command 'look'" goal look
check "a missing file name is a usage error" complains 2 "goal: FILE is missing" goal info
check "two file names are a usage error" complains 2 "goal: unexpected operand 'b'" goal info a b
check "an unknown option is a usage error" complains 2 "goal: unknown option '--loud'" \
	goal info --loud two.goal
check "an unknown short option is a usage error" complains 2 "goal: unknown option '-x'" \
	goal info -x two.goal
check "an option without its argument is a usage error" complains 2 \
	"goal: option '--format' needs an argument" goal info two.goal --format
check "an argument for an option that takes none is a usage error" complains 2 \
	"goal: option '--version' takes no argument" goal info --version=3
check "an unknown format is a usage error" complains 2 \
	"goal: --format: unknown format 'xml' (expected text, json, csv or schema)" goal info --format xml two.goal
check "an unknown form is a usage error" complains 2 \
	"goal: --format: unknown format 'json' (expected text or bin)" goal convert --format json -o - two.goal
check "goal convert without an output is a usage error" complains 2 \
	"goal: -o FILE is missing" goal convert two.goal
check "an empty output name is a usage error" complains 2 \
	"goal: --output: the name of the output file is empty" goal convert -o "" two.goal
check "options may follow operands" exits 0 goal convert two.goal --format text -o out.goal
for command in "" info check convert stats; do
	# shellcheck disable=SC2086
	check "goal $command has a man page" exits 0 goal $command --help=man
done

# ------------------------------------------------------------------ help and messages

commands="goal llamp schedgen llamp-trace critpath critpath-mpi eventflow eventflow-mpi llamp-measure $(command -v llamp-inject)"
# Commands and their commands, a line each.
every_command() {
	for tool in $commands; do
		echo "$tool"
		$tool --help | sed -n "/^usage: [a-z-]* COMMAND/,\$s|^  \([a-z]\{2,\}\) .*|$tool \1|p"
	done
}
help_to_full_disk() {
	for command in $commands; do
		for option in --help --version --help=man; do
			exits 4 sh -c "$command $option >/dev/full" || return 1
			exits 4 sh -c "$command $option >&-" || return 1
		done
	done
	exits 4 sh -c "goal help >/dev/full" && exits 4 sh -c "llamp help analyze >/dev/full"
}
check "help and versions that cannot be written are an error of the system" help_to_full_disk
help_of_commands() {
	goal --help >tool.help && goal help | diff tool.help - &&
		goal convert --help >convert.help && goal help convert | diff convert.help - &&
		complains 2 "goal: unknown command 'look'" goal help look &&
		complains 2 "goal: help explains one command, not also stats" goal help info stats
}
check "goal help [COMMAND] is the --help of both" help_of_commands
fits() {
	for command in goal "goal info" "goal check" "goal convert" "goal stats" llamp "llamp analyze" \
		"llamp sweep" "llamp path" "llamp lp" schedgen llamp-trace $(command -v llamp-inject); do
		for columns in 60 80 100; do
			COLUMNS=$columns $command --help >text.help || return 1
			# Help breaks no words, and no lines that begin with spaces.
			awk -v most=$columns 'length($0) > most && !/^ / {print; bad = 1} END {exit bad}' \
				text.help || return 1
		done
	done
}
check "help fits the columns of the terminal" fits
man_sections() {
	every_command >list
	[ "$(wc -l <list)" -ge 30 ] || { cat list; return 1; }
	while read -r command; do
		$command --help=man >page.1 || return 1
		for section in NAME SYNOPSIS EXAMPLES ENVIRONMENT "EXIT STATUS" "SEE ALSO"; do
			grep -qx ".SH $section" page.1 || { echo "$command: no $section"; return 1; }
		done
	done <list
	llamp --help=man | sed -n '/SEE ALSO/,$p' | grep -q 'llamp.-analyze(1).*goal(1), schedgen(1)' &&
		llamp analyze --help=man | sed -n '/SEE ALSO/,$p' | grep -q '^llamp(1), llamp.-sweep(1)' &&
		schedgen --help=man | grep -qx '.SH FILES'
}
variables() {
	[ "$(llamp-trace --help=man | grep -c '^.B LLAMP_TRACE_')" = "$(grep -c '^	SETTING(' "$SOURCE/trace/journal/settings.h")" ] &&
		llamp-trace --help=man | grep -A1 '^.B LLAMP_TRACE_BUFFER' | grep -q 'memory that'
}
check "the man page of llamp-trace has all its variables" variables
check "man pages have examples, environment, exit status and name the other pages" man_sections
escapes() {
	name=$(printf 'a\033[31mb.goal')
	complains 1 'goal: a\x1b[31mb.goal: cannot be opened' goal info "$name" &&
		complains 2 "goal: unknown command '\\x1b[2J'" goal "$(printf '\033[2J')" &&
		cp two.goal "$name" && exits 0 goal check "$name" &&
		grep -qF 'a\x1b[31mb.goal: ok' out
}
cat >changed.goal <<'END'
num_ranks 2
rank 0 {
  send 8b to 1
}
rank 1 {
  recv 8b from 0
}
END
# refused STATUS TEXT COMMAND...: goal says TEXT, and writes nothing.
refused() {
	status=$1
	text=$2
	shift 2
	complains "$status" "$text" goal "$@" -o changed.bin && [ ! -e changed.bin ]
}
check "goal balance wants to know what to share" refused 2 "--before FUNCTION or --totals is missing" balance changed.goal
check "... one of both" refused 2 "--before and --totals exclude each other" balance changed.goal --totals --before MPI_Send
check "... and a function" refused 2 "'@a.c:5' is not FUNCTION or FUNCTION@SITE" balance changed.goal --before @a.c:5
check "goal move wants to know which receives to move" refused 2 "--wait SHARE:FUNCTION is missing" move changed.goal
check "... by which share" refused 2 "'MPI_Recv' is not SHARE:FUNCTION" move changed.goal --wait MPI_Recv
shares_refused() {
	refused 2 "'0%' is not above 0 and up to 100 %" move changed.goal --wait 0%:MPI_Recv &&
		refused 2 "'101%' is not above 0 and up to 100 %" move changed.goal --wait 101%:MPI_Recv
}
check "... of more than nothing, and not more than all" shares_refused
for change in "merge" "move --wait 50%:MPI_Recv" "balance --before MPI_Recv" "balance --totals"; do
	check "goal ${change%% *} of a graph without calls says which file is missing" \
		refused 1 "has no file changed.goal.calls beside it" $change changed.goal
done
check "escape sequences in names are shown, not sent to the terminal" escapes
