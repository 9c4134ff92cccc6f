#!/bin/bash
# Test llamp advise: changes whose gain is known, and runs that get no advice.
. "$SOURCE/test/cli/tap.sh"
here=$SOURCE/test/cli/llamp_advise
FREE="-L 0 --overhead 0 -G 0"
MERGED="messages of a pair and wait as one"
mkdir temporary
export TMPDIR=$PWD/temporary

for program in turns threshold deferred reduction windows places pairs moves chatter pause lost busy laps sizes quote flight chain strangers kibibyte pipeline lone ring phases parts waits halo namesakes crossed posts offered files writes three two; do
	"$here/programs.py" $program | "$SOURCE/test/cli/critpath/archive.py" $program || exit 1
done
"$here/programs.py" chatter | "$SOURCE/test/cli/critpath/archive.py" late --wrong 1=-3000000 || exit 1
# advice_is ARCHIVE [OPTION...] -- WANTED...: the advice has these values.
advice_is() {
	archive=$1
	options=
	shift
	while [ "$1" != -- ]; do
		options="$options $1"
		shift
	done
	shift
	llamp advise "$archive" $options -o advice.json && "$here/programs.py" check advice.json "$@" &&
		/usr/bin/python3 "$SOURCE/test/cli/llamp/check.py" schema "$SOURCE/doc/advise.schema.json" advice.json
}
# Run the commands of each row: they print its T.
commands_hold() {
	/usr/bin/python3 "$here/programs.py" commands advice.json
}

[ -z "$UPDATE" ] || llamp advise turns --format schema -o "$SOURCE/doc/advise.schema.json"
golden turns.text "advice is printed as text" llamp advise turns $FREE
golden turns.csv "... as CSV" llamp advise turns $FREE --format csv
golden_folder=$SOURCE/doc golden advise.schema.json "the schema is the one in doc/" llamp advise turns --format schema
check "of two ranks that take turns, equal work gains 20 %, as no barriers would, and then these gain nothing" \
	advice_is turns $FREE -- runtime_ns=1e8 "equal computation before MPI_Barrier:step=1" \
	"equal computation before MPI_Barrier:gain_alone=0.2" "equal computation before MPI_Barrier:class=bound" \
	"no barriers:gain_alone=0.2" "no barriers:gain_then=0" "no barriers:replaced=True" "no barriers:step=null" \
	"no barriers:class=unsafe" "no barriers:confidence=low"
check "... and the commands of each change print its T" commands_hold
check "without balancing, barriers are left out first" \
	advice_is turns $FREE --changes barriers,algorithm -- "no barriers:step=1" "equal computation before MPI_Barrier=absent"
check "a synchronous send that waits 50 of 150 ms gains a third if it is eager" \
	advice_is threshold $FREE -S 7 --rendezvous sync -- runtime_ns=1.5e8 "eager messages up to 8 B:step=1" \
	"eager messages up to 8 B:gain_alone=0.3333333333333333" "eager messages up to 8 B:confidence=low" \
	"eager messages up to 8 B:mpich=UCX_RNDV_THRESH=9"
check "... and its commands print this T" commands_hold
check "a send that moves only while the receiver waits holds its sender up for 100 of 200 ms, and eager it would not" \
	advice_is deferred $FREE -S 7 --progress calls -- runtime_ns=2e8 "eager messages up to 8 B:gain_alone=0.5" \
	"eager messages up to 8 B:class=exact" "a thread that moves messages:gain_alone=0.5" "a thread that moves messages:class=bound"
check "... and its commands print this T" commands_hold
check "... also where both sides move it" \
	advice_is deferred $FREE -S 7 --progress calls:both -- runtime_ns=2e8 "eager messages up to 8 B:gain_alone=0.5"
check "... and its commands print this T" commands_hold
check "... and without --progress T is half of the run, so that there is no advice" eval \
	"exits 1 llamp advise deferred $FREE -S 7 && grep -q 'no advice: T is 0.5 times' err"
check "--progress without a threshold has no effect, and is refused" complains 2 "--progress has no effect: without -S" \
	llamp advise deferred $FREE --progress calls
check "a file of --progress that is none is said as schedgen says it" complains 1 "nowhere: cannot be opened" \
	llamp advise deferred $FREE -S 7 --progress nowhere
check "of several thresholds the largest one counts: beside a progress thread a smaller one costs nothing" \
	advice_is sizes $FREE -S 7 --progress calls -- "a thread that moves messages:step=1" "eager messages up to 8 B:gain_then=0"
check "... and the commands of each change print its T" commands_hold
mv quote ./-quote
check "names that a shell or a command would take for something else are quoted in commands" eval '
	llamp advise $FREE -o advice.json -- -quote && commands_hold && [ ! -e shell ] && grep -q "schedgen ./-quote" advice.json'
check "instead of a ring of eight, doubling takes 3 latencies of 14" \
	advice_is reduction -L 1us --overhead 0 -G 0 --coll allreduce=ring -- runtime_ns=101.4e6 \
	"MPI_Allreduce by recursive-doubling:step=1" "MPI_Allreduce by recursive-doubling:runtime_ns=100.3e6" \
	"MPI_Allreduce by recursive-doubling:lambda_L=300" "MPI_Allreduce by dissemination:replaced=True" \
	"no L:runtime_ns=1e8" "no L:step=null" "half of L:runtime_ns=100.7e6"
check "... and the commands of each algorithm print its T" commands_hold
check "confidence is high in a run of a hundred iterations, with T within 2 % of it" \
	advice_is reduction -L 1us --overhead 0 -G 0 --coll allreduce=ring -- "MPI_Allreduce by recursive-doubling:confidence=high"
check "... medium in three iterations, for a bound, and low in two, of 20 ms" eval '
	advice_is three $FREE -- "equal computation before MPI_Barrier:confidence=medium" &&
	advice_is two $FREE -- "equal computation before MPI_Barrier:confidence=low"'
check "of several call sites, the one with the path is tried, and gains what its latencies are" \
	advice_is places -L 1us --overhead 0 -G 0 --coll allreduce=ring --changes algorithm --at-least 0.1 -- runtime_ns=102.416e6 \
	"MPI_Allreduce at loop.c:7 by recursive-doubling:runtime_ns=101.316e6" "MPI_Allreduce at loop.c:7 by recursive-doubling:lambda_L=316" \
	"MPI_Allreduce at loop.c:7 by recursive-doubling:mpich=null" "MPI_Allreduce on MPI_COMM_WORLD by recursive-doubling:runtime_ns=101.305e6" \
	"MPI_Allreduce by recursive-doubling:step=1" "MPI_Allreduce by recursive-doubling:runtime_ns=101.304e6" \
	"MPI_Allreduce by recursive-doubling:mpich=MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM=recursive_doubling"
check "... the others cannot gain enough, and are not" advice_is places -L 1us --overhead 0 -G 0 --coll allreduce=ring --changes algorithm --at-least 0.1 -- \
	"MPI_Allreduce at end.c:9 by recursive-doubling:bound=<0.0002" "MPI_Allreduce at end.c:9 by recursive-doubling:gain_alone=null" \
	"MPI_Allreduce at end.c:10 by recursive-doubling:gain_alone=null" "MPI_Allreduce at end.c:10 by recursive-doubling:step=null"
check "... and the commands of each place print its T" commands_hold
check "of two pairs of ranks, to balance one gains nothing, and both 20 %" \
	advice_is pairs $FREE --changes balance -- runtime_ns=1e8 "equal computation before MPI_Allreduce at pair0.c:1:gain_alone=0" \
	"equal computation before MPI_Allreduce at pair2.c:1:gain_alone=0" "equal computation before MPI_Allreduce at pair2.c:1:gain_then=0.2" \
	"equal computation before MPI_Allreduce at pair0.c:1:step=1" "equal computation before MPI_Allreduce at pair2.c:1:step=2" \
	"equal computation before MPI_Allreduce at pair2.c:1:runtime_ns=8e7"
check "... and the commands print this T" commands_hold
check "... one step is not enough for both" \
	advice_is pairs $FREE --changes balance --steps 1 -- "equal computation before MPI_Allreduce at pair0.c:1:step=null"
check "... and the first line names both" eval \
	'llamp advise pairs $FREE --changes balance 2>&1 | grep -q "^Do two changes together: .*pair0.c:1, and .*pair2.c:1. They gain 20 %"'
check "a change of calls that the path enters after another change is chosen then, and both gains are known" \
	advice_is moves -L 1ms --overhead 0 -G 0 --coll allreduce=ring -- "equal computation before MPI_Allgather:step=1" \
	"MPI_Allreduce by recursive-doubling:step=2" "MPI_Allreduce by recursive-doubling:gain_alone=0" "MPI_Allreduce by recursive-doubling:bound=0"
check "... and its commands print its T" commands_hold
printf 'L: 100us\no: 0\nG: 0\nintra-node: {L: 10us}\n' >nodes.yaml
"$here/programs.py" strangers | "$SOURCE/test/cli/critpath/archive.py" placed --node 0=0 --node 1=0 --node 2=1 --node 3=1 || exit 1
# 200 ms of work and 100 messages between nodes, or within one.
check "ranks that send each other messages belong on one node" \
	advice_is strangers --params nodes.yaml --changes placement --ranks-per-node 2 -- runtime_ns=2.1e8 "ranks on other nodes:step=1" \
	"ranks on other nodes:runtime_ns=2.01e8" "ranks on other nodes:gain_alone=0.04285714285714286" "ranks on other nodes:class=exact"
check "... and its commands print this T" commands_hold
check "... also if the trace knows the nodes" advice_is placed --params nodes.yaml --changes placement -- runtime_ns=2.1e8 "ranks on other nodes:runtime_ns=2.01e8"
check "... and its commands print this T" commands_hold
check "... beside other changes, too" advice_is placed --params nodes.yaml --changes placement,balance -- \
	"equal computation before MPI_Send:step=1" "equal computation before MPI_Send:runtime_ns=1.6e8" \
	"ranks on other nodes:step=2" "ranks on other nodes:runtime_ns=1.51e8"
check "... and its commands print this T" commands_hold
"$here/programs.py" strangers | "$SOURCE/test/cli/critpath/archive.py" near --node 0=0 --node 1=1 --node 2=0 --node 3=1 || exit 1
check "ranks that are on the nodes of the trace stay there where others compute" \
	advice_is near --params nodes.yaml -- runtime_ns=2.01e8 "equal computation before MPI_Send:runtime_ns=1.51e8"
check "... and its commands print this T" commands_hold
check "where all hosts are alike, there is no placement to try" advice_is placed $FREE --changes placement -- "ranks on other nodes=absent"
check "a placement is looked for only if it is asked for" advice_is placed --params nodes.yaml -- "ranks on other nodes=absent"
check "where ranks do not fit on the hosts, the reason is told" eval '
	printf "0\n0\n1\n1\n" >pairs.txt && advice_is strangers --params nodes.yaml -p mapping=pairs.txt --changes placement -- "ranks on other nodes:step=null" &&
	grep -q "\"failure\": \"the mapping has more than 1 rank on host 0: set ranks-per-node" advice.json'
check "1 KiB that is sent eagerly saves a third of 150 us" \
	advice_is kibibyte -L 1us --overhead 0 -G 0 -S 1023 --rendezvous sync -- runtime_ns=150000 "eager messages up to 1 KiB:runtime_ns=100000" \
	"eager messages up to 1 KiB:gain_alone=0.3333333333333333" "eager messages up to 1 KiB:confidence=low"
check "... and its commands print this T" commands_hold
check "of four ranks in a chain, a delay of the first one shared by all leaves 22.5 of 60 ms" \
	advice_is pipeline $FREE -- runtime_ns=6e7 "equal computation of all ranks:step=1" "equal computation of all ranks:class=bound" \
	"equal computation of all ranks:runtime_ns=2.25e7" "equal computation of all ranks:gain_alone=0.625" "equal computation of all ranks:bound=0.625"
check "... and its commands print this T" commands_hold
check "ranks that do not compute at all get their share in front of their calls" \
	advice_is lone $FREE --changes totals --coll barrier=linear -- runtime_ns=5e7 "equal computation of all ranks:runtime_ns=1.25e7" \
	"equal computation of all ranks:gain_alone=0.75"
check "... and its commands print this T" commands_hold
check "... also where messages move only in calls" \
	advice_is lone $FREE --changes totals -S 1 --progress calls -- runtime_ns=5e7 "equal computation of all ranks:runtime_ns=1.25e7"
check "... and its commands print this T" commands_hold
check "ranks that take turns and compute equally long are promised nothing" \
	advice_is ring $FREE --changes totals --at-least 0 -- runtime_ns=1.2e8 "equal computation of all ranks=absent"
# The largest total is 20 ms, 5 above the mean, and with 15 ms of each rank T would be 22.5 instead of 30 ms.
check "... and where the ranks with most computation take turns, a gain of more than it is above the mean is refused" eval '
	advice_is phases $FREE --changes totals -- "equal computation of all ranks:bound=0.16666666666666666" "equal computation of all ranks:step=null" "equal computation of all ranks:gain_alone=null" &&
	grep -q "\"failure\": \"ranks take turns" advice.json'
# T = 4 o + o + 100 ms, and with one message 2 o + 100 ms.
check "four messages that are awaited together cost three overheads more than one" \
	advice_is parts -L 0 --overhead 10ms -G 0 --changes messages -- runtime_ns=1.5e8 "$MERGED:step=1" "$MERGED:runtime_ns=1.2e8" "$MERGED:gain_alone=0.2" "$MERGED:class=bound"
check "... and its commands print this T" commands_hold
# With G = 0.1 ms the last one has 7 G, and the one with all bytes 31 G.
check "... and its bytes take their time" \
	advice_is parts -L 0 --overhead 10ms -G 100us --changes messages -- runtime_ns=1.507e8 "$MERGED:runtime_ns=1.231e8"
check "... and its commands print this T" commands_hold
check "without messages that are awaited together there is nothing to merge" advice_is waits $FREE --changes messages -- "$MERGED=absent"
check "half of what follows a receive is enough to wait for nothing" \
	advice_is waits $FREE --changes waits -- runtime_ns=2e8 "MPI_Recv awaited after 50 % of what follows:step=1" \
	"MPI_Recv awaited after 50 % of what follows:runtime_ns=1.5e8" \
	"MPI_Recv awaited after 50 % of what follows:class=bound"
check "... and its commands print this T" commands_hold
check "... and where each part of it helps, all of it is needed for 90 % of the gain" \
	advice_is posts $FREE --changes waits -- runtime_ns=2e8 "MPI_Irecv awaited after 100 % of what follows:runtime_ns=1e8" \
	"MPI_Irecv awaited after 100 % of what follows:gain_alone=0.5"
check "... and its commands print this T" commands_hold
check "... which is shown, but no step if nobody named it: whether the data is needed at once is not known" \
	advice_is waits $FREE --changes all -- "MPI_Recv awaited after 100 % of what follows:gain_alone=0.25" "MPI_Recv awaited after 100 % of what follows:step=null"
# T = 100 ms + 2 o + 100 ms, and with the wait moved rank 1 computes for 150 ms, and o passes beside it.
check "... and the overhead of the receive passes while its rank computes, unless processors are resources" eval '
	schedgen waits -o waits.bin 2>/dev/null && goal move waits.bin --wait 100%:MPI_Recv -o moved.bin &&
	llamp analyze waits.bin -L 0 --overhead 10ms -G 0 --format json | grep -q "\"runtime_ns\": 220000000" &&
	llamp analyze moved.bin -L 0 --overhead 10ms -G 0 --format json | grep -q "\"runtime_ns\": 150000000" &&
	llamp analyze moved.bin -L 0 --overhead 10ms -G 0 --resources cpu --format json | grep -q "\"runtime_ns\": 160000000"'
check "receives of two sites that are awaited together are moved together" \
	advice_is halo $FREE --changes waits -- runtime_ns=2e8 "MPI_Irecv awaited after 100 % of what follows:step=1" \
	"MPI_Irecv awaited after 100 % of what follows:runtime_ns=1e8"
check "... and its commands print this T" commands_hold
check "... also if both sites are named" eval '
	schedgen halo -o halo.bin 2>/dev/null && goal move halo.bin --wait 100%:MPI_Irecv@left.c:1 --wait 100%:MPI_Irecv@right.c:2 -o moved.bin &&
	llamp analyze moved.bin $FREE --format json | grep -q "\"runtime_ns\": 100000000"'
check "of two sites with one short name there is one change, which is for both" eval '
	advice_is namesakes $FREE --changes waits -- runtime_ns=2e8 "MPI_Irecv at x.c:1 awaited after 100 % of what follows:runtime_ns=1.5e8" &&
	[ "$(grep -c "\"change\": .*awaited after" advice.json)" -eq 1 ]'
check "... and its commands print this T" commands_hold
check "a merged message for which ranks wait for each other is no step, and no temporary file is named" eval '
	advice_is crossed $FREE -S 8 --rendezvous sync --changes messages -- "$MERGED:gain_alone=null" &&
	grep -q "\"failure\": \"with this change: possible deadlock of the program: with S = 8" advice.json'
check "a quarter of it takes 175 ms" eval '
	schedgen posts -o posts.bin 2>/dev/null && goal move posts.bin --wait 25%:MPI_Irecv -o moved.bin && llamp analyze moved.bin $FREE --format json |
	grep -q "\"runtime_ns\": 175000000"'
check "a receive that is posted in front of computation lets a synchronous send end" \
	advice_is offered $FREE -S 7 --rendezvous sync --changes waits -- runtime_ns=1.5e8 \
	"MPI_Recv awaited after 25 % of what follows:runtime_ns=1e8"
check "... and its commands print this T" commands_hold
check "where a rank computes nothing and calls differ, totals are not evaluated, and the archive is named" eval '
	advice_is parts -L 0 --overhead 10ms -G 0 --changes totals -- "equal computation of all ranks:gain_alone=null" &&
	grep -q "\"failure\": \"goal: parts: a rank computes nothing, .* different numbers of calls" advice.json'
check "where messages move only in calls, no wait is moved, and the reason is told" eval '
	advice_is offered $FREE -S 7 --progress calls --changes waits -- "receives awaited later:gain_alone=null" && grep -q "not evaluated: with --progress" advice.json'
check "... and goal move refuses them" eval '
	schedgen deferred --progress calls --rendezvous-threshold 0 -o deferred.bin 2>/dev/null &&
	complains 1 "the message moves only in a later call" goal move deferred.bin --wait 50%:MPI_Irecv -o moved.bin'
# Of T = 100 ms + n L with n = 1400 the change saves 1100 L: a share that grows with L.
printf 'L: 1us\no: 0\nG: 0\nintervals: {L: [500ns, 2us]}\n' >measured.yaml
check "a gain is given for the interval of a parameter" \
	advice_is reduction --params measured.yaml --coll allreduce=ring -- "MPI_Allreduce by recursive-doubling:step=1" \
	"MPI_Allreduce by recursive-doubling:gain_alone=0.010848126232741617" \
	"MPI_Allreduce by recursive-doubling:gain_low=0.005461767626613704" \
	"MPI_Allreduce by recursive-doubling:gain_high=0.021400778210116732" "MPI_Allreduce by recursive-doubling:unsure=False"
check "... also in the first line" eval \
	'llamp advise reduction --params measured.yaml --coll allreduce=ring | grep -q "It gains 1.08 % (0.546 to 2.14 %, T from"'
check "... and not if the parameter is given on the command line" advice_is reduction --params measured.yaml -L 1us --coll allreduce=ring -- \
	"MPI_Allreduce by recursive-doubling:gain_low=0.010848126232741617"
sed 's/500ns/0ns/' measured.yaml >unsure.yaml
check "a change that may gain nothing is no step, and the text says why" eval '
	advice_is reduction --params unsure.yaml --coll allreduce=ring -- "MPI_Allreduce by recursive-doubling:step=null" \
		"MPI_Allreduce by recursive-doubling:gain_low=0" "MPI_Allreduce by recursive-doubling:unsure=True" &&
	llamp advise reduction --params unsure.yaml --coll allreduce=ring | grep -q "changes* may gain nothing within the intervals"'
# With L = 1 ms the messages take 200 ms, and no balance helps.
printf 'L: 1ns\no: 0\nG: 0\nintervals: {L: [0ns, 1ms]}\n' >latency.yaml
check "a pair that may gain nothing is no step, and neither of its changes has its gain" \
	advice_is chain --params latency.yaml --changes balance -- "equal computation before MPI_Allreduce at pair0.c:1:step=null" \
	"equal computation before MPI_Allreduce at pair2.c:1:step=null" "equal computation before MPI_Allreduce at pair2.c:1:unsure=False" \
	"equal computation before MPI_Allreduce at pair0.c:1:gain_then=0" "equal computation before MPI_Allreduce at pair2.c:1:gain_then=0"
eventflow build laps -o laps.efg && eventflow trace laps.efg -o part --iterations 6:9 || exit 1
# The limits of a gain are 2 E / T beside it, with E as schedgen prints it.
repeated() {
	schedgen part --repeat -o part.bin 2>said && llamp advise part --repeat $FREE -o advice.json &&
		/usr/bin/python3 "$here/programs.py" estimate advice.json said
}
check "gains of a repeated trace have the limits of its estimate" repeated
check "... and the commands of each change print its T" commands_hold
eventflow build flight -o flight.efg && eventflow trace flight.efg -o window --iterations 8:16 || exit 1
check "messages on their way between iterations do not make a repeated trace incomplete" eval '
	exits 0 llamp advise window --repeat -L 1us --overhead 0 -G 0 && exits 1 llamp advise window -L 1us --overhead 0 -G 0'
check "a gain below --at-least is no advice" \
	advice_is reduction -L 1us --overhead 0 -G 0 --coll allreduce=ring --at-least 1.2 -- "MPI_Allreduce by recursive-doubling:step=null"
check "of a program with windows, barriers stay" \
	advice_is windows $FREE --at-least 0 -- "no barriers:gain_alone=null" "no barriers:step=null"
check "a run that the model does not describe gets no advice, and status 1" eval '
	exits 1 llamp advise threshold $FREE && grep -q "no advice: T is 0.6667 times" err && grep -q "^No advice: T is" out'
check "... and JSON has the reason, T, and no change" eval '
	! llamp advise threshold $FREE -o advice.json 2>said && grep -q "\"withheld\": \[\"T is 0.6667" advice.json &&
	grep -q "\"changes\": \[\]" advice.json'
# withheld ARCHIVE REASON: there is no advice, as the error and JSON say, but T is known.
withheld() {
	exits 1 llamp advise "$1" $FREE --format json || return 1
	grep -q "no advice: .*$2" err && grep -q "\"withheld\": \[\"[^\"]*$2" out && grep -q '"changes": \[\]' out &&
		grep -q '"runtime_ns": [1-9]' out
}
"$here/programs.py" chatter | "$SOURCE/test/cli/critpath/archive.py" preempted --node 0=0 --node 1=0 --preempted 1=900/3000000000 || exit 1
check "a rank that was preempted may have lost no time: this is no reason" exits 0 llamp advise preempted $FREE
for waited in 600 606; do
	"$here/programs.py" chatter | "$SOURCE/test/cli/critpath/archive.py" waited.$waited --node 0=0 --node 1=0 --preempted 1=900/3000000000/${waited}000000 || exit 1
done
check "a rank that waited for a core for more than 20 % of the run is a reason" withheld waited.606 \
	"ranks waited for cores: 2 ranks with other processes or threads (a thread of rank 1 waited for a core for 20.2 % of the run)"
check "... and less is none" exits 0 llamp advise waited.600 $FREE
check "clocks that contradict messages are a reason for no advice" withheld late "critpath: late: 10 of 20 messages ended before they began, by up to 3 ms"
check "... and the same run with true clocks is none" exits 0 llamp advise chatter $FREE
check "a trace that lacks the end of a message is a reason" withheld lost "the trace is not complete: 1 unmatched send"
check "time on the path without recording is a reason" withheld pause "1.96 % of the critical path of the run is unknown"
check "... but not in a slice without it" exits 0 llamp advise pause $FREE --to 50ms
check "a rank whose calls took 6 % of the run to record is a reason" \
	withheld busy "rank 0 made 20002 calls, and recording them took some 6.7 % of the run"
check "a fifth of the time in calls that are not modelled is a reason" withheld files "20 % of the time is in calls that are not modelled, more than 10 %"
check "... and a twentieth is none" exits 0 llamp advise writes $FREE
check "an unknown kind of change is refused" complains 2 "unknown kind of change 'luck'" llamp advise turns --changes luck
check "an archive that is missing is said as schedgen says it" complains 1 "schedgen: nowhere" llamp advise nowhere
check "options of schedgen are checked by it" complains 2 "unknown algorithm" llamp advise turns --coll allreduce=magic
printf -- "- {collective: allreduce, algorithm: ring}\n" >rules
echo "L: 0" >params
echo "{}" >progress
for file in turns/traces.otf2 turns/traces/0.evt turns/new rules params progress; do
	for archive in turns turns/traces.otf2; do
		check "no output goes to $file, of $archive" eval "
			cp -r turns before && complains 2 'the output would' llamp advise $archive --format text --rules rules --progress progress -S 7 --params params --overhead 0 -G 0 -o $file &&
			diff -r turns before && grep -q ring rules && grep -q L params; result=\$?; rm -r before; (exit \$result)"
	done
done
# A conversion that never ends: llamp runs the schedgen beside it.
mkdir slow && cp "$(command -v llamp)" slow && cat >slow/schedgen <<'END' && chmod +x slow/schedgen || exit 1
#!/bin/bash
while [ "$1" != -o ]; do shift; done
echo half >"$2" && touch begun && exec sleep 60
END
# ended_by SIGNAL: it ends llamp and schedgen.
ended_by() {
	rm -f begun
	slow/llamp advise turns $FREE >out 2>err &
	until [ -e begun ]; do sleep 0.05; done
	folder=$(ls -d temporary/llamp-advise-*) && kill -s "$1" $!
	! wait $! 2>/dev/null && [ ! -e "$folder" ]
}
for signal in HUP XCPU; do
	check "SIG$signal ends the conversion, and no folder is left" ended_by $signal
done
check "no temporary file is left" eval '[ -z "$(ls temporary)" ]'
