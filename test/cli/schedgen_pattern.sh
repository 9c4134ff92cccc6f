#!/bin/bash
# Test schedgen --pattern.
. "$SOURCE/test/cli/tap.sh"

pattern() { schedgen --pattern "$@"; }

# ---- graphs

COLUMNS=1000 pattern help >list
covers() {
	COLUMNS=1000 schedgen --coll help | awk '{print $1 "=" $2}' >algorithms
	cut -d' ' -f1 list | grep = | diff -u algorithms -
}
check "--pattern help lists all algorithms of --coll help" covers
golden help "and the other patterns" awk '$1 !~ /=/' list
golden allreduce.goal "a collective is written by its algorithm" \
	pattern allreduce=ring --ranks 3 --bytes 10 --iterations 2 --reduce-cost 2 -o -
golden halo-2d.goal "a halo exchange is written" pattern halo-2d --ranks 6 --bytes 1KiB -o -
golden pipeline.goal "a pipeline is written, with jitter of its computation" \
	pattern pipeline --ranks 3 --iterations 3 --compute 1us:10% -o -
golden bisection.goal "a random bisection is written" \
	pattern bisection --ranks 5 --iterations 2 --seed 7 -o -
golden training.goal "a training step is written" \
	pattern training:tensor=2,pipeline=2,buckets=2,micro-batches=2,activation=10 \
	--ranks 8 --bytes 100 --compute 100 -o -

says() {
	exits 0 "$@" && [ ! -s out ] && diff -u "$golden_folder/summary" err
}
[ -z "$UPDATE" ] || pattern incast --ranks 4 -o x.goal 2>"$golden_folder/summary"
check "the summary adds up operations, messages and bytes" says pattern incast --ranks 4 -o x.goal

every_pattern() {
	while read -r name _; do
		case $name in barrier=*) size= ;; *) size="--bytes 60" ;; esac
		# shellcheck disable=SC2086
		pattern "$name" --ranks 6 $size --iterations 2 -o some.bin 2>err &&
			goal check some.bin || { echo "$name"; cat err; return 1; }
	done <list
}
check "--pattern accepts everything that --pattern help lists" every_pattern
same_twice() {
	for seed in 1 1 2; do
		pattern bisection --ranks 100 --compute 1us:50% --seed $seed -o - 2>/dev/null | cksum
	done | uniq | wc -l >kinds && [ "$(cat kinds)" -eq 2 ]
}
check "the same seed gives the same graph, another seed another graph" same_twice
large() {
	pattern allreduce=recursive-doubling --ranks 10000 -o large.bin 2>/dev/null &&
		goal check large.bin | grep -q "110112 messages"
}
check "an allreduce among 10,000 ranks is made and checked" large

# ---- usage

check "ARCHIVE and --pattern exclude each other" \
	complains 2 "exclude each other" pattern halo-1d trace --ranks 2 -o x.goal
check "a missing number of ranks is a usage error" complains 2 "--ranks" pattern halo-1d -o x.goal
check "a missing output is a usage error" complains 2 "-o FILE" pattern halo-1d --ranks 2
check "options of patterns are usage errors without a pattern" \
	complains 2 "belong to --pattern" schedgen trace --bytes 8 -o x.goal
check "--coll is a usage error with a pattern" complains 2 "allreduce=ring" \
	pattern halo-1d --ranks 2 --coll allreduce=ring -o x.goal
check "--compute-scale is a usage error with a pattern" complains 2 "--compute" \
	pattern halo-1d --ranks 2 --compute-scale 2 -o x.goal
refuses() {
	complains "$1" "$2" "${@:3}" -o refused.goal && ! ls refused.goal* 2>/dev/null
}
check "an unknown pattern is a usage error" refuses 2 "--pattern help" pattern hello --ranks 2
check "an unknown algorithm is a usage error that lists the known ones" refuses 2 "dissemination" \
	pattern barrier=ring --ranks 2
segments() {
	[ "$(pattern bcast=chain:segment=$1 --ranks 3 --bytes 1000 -o - 2>/dev/null | grep -c send)" = $2 ]
}
check "a chain sends as many messages as there are segments" segments 100 20
check "segments may be larger than the message" segments 1MiB 2
check "a segment of no bytes is a usage error" refuses 2 "at least one byte" \
	pattern bcast=chain:segment=0 --ranks 2
check "too many segments are a limit" refuses 3 "segments" \
	pattern bcast=chain:segment=1 --ranks 2 --bytes 100GiB
check "a segment is refused by an algorithm that takes none" refuses 2 "it takes none" \
	pattern bcast=binomial:segment=100 --ranks 2
two_levels() {
	[ "$(pattern allreduce=two-level:node=4,leaders=ring --ranks 8 -o - 2>/dev/null | grep -c send)" = 16 ]
}
check "two-level takes the ranks of a node and the algorithm between nodes" two_levels
check "two-level cannot be the algorithm within two-level" refuses 2 "for leaders" \
	pattern allreduce=two-level:leaders=two-level --ranks 2
check "0 ranks are a usage error" refuses 2 "from 1 to 4194304" pattern halo-1d --ranks 0
check "a negative number is a usage error" refuses 2 "--iterations" pattern halo-1d --ranks 2 --iterations -1
check "a size that is no number is a usage error" refuses 2 "--bytes" pattern halo-1d --ranks 2 --bytes 3x
for compute in 1us: 1us:10 1us:% 1us:101% 1us:-1% 1us:nan% : 10% ''; do
	check "a computation of '$compute' is a usage error" \
		refuses 2 "--compute" pattern halo-1d --ranks 2 --compute "$compute"
done
check "settings that do not fit the ranks are a usage error" \
	refuses 2 "no multiple" pattern training:pipeline=3 --ranks 4
check "too many ranks are a limit" refuses 3 "more than" pattern halo-1d --ranks 4000000000
check "too many operations are a limit" refuses 3 "2^32 operations" \
	pattern alltoall=pairwise --ranks 1000000
check "too many iterations are a limit" refuses 3 "2^32 operations" \
	pattern halo-1d --ranks 2 --iterations 4000000000
check "too many bytes are a limit" refuses 3 "2^64" \
	pattern alltoall=pairwise --ranks 16 --bytes 9000000000GiB
check "an output that cannot be written is an error of the system" \
	complains 4 "no/such" pattern halo-1d --ranks 2 -o no/such/folder.goal
