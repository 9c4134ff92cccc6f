#!/bin/bash
# Test schedgen with traces of other tools.  DATA names a folder of real ones, which are not part of
# the project.
. "$SOURCE/test/cli/tap.sh"

DATA=${DATA:-$SOURCE/../shared/data}

# ---- text traces of liballprof

mkdir text
write_rank() {	# RANK PEER: sends to, and receives from the other
	cat <<TEXT
# htor's PMPI Tracer 1.1 Output File

MPI_Init:-:64:72:1000
MPI_Irecv:1001:96:5:10,8,8:$2:7:1140850688,$1,2:2000:1002
MPI_Send:1004:128:5:10,8,8:$2:7:1140850688,$1,2:1006
MPI_Wait:1006:2000:160:1010
MPI_Allreduce:1012:192:224:1:10,8,8:3:1140850688,$1,2:1020
MPI_Win_fence:1020:0:536870912:1021
MPI_Bcast:1021:192:1:10,8,8:0:2214592512,0,1:1022
MPI_Finalize:1025:-
TEXT
}
write_rank 0 1 >text/pmpi-trace-rank-0.txt
write_rank 1 0 >text/pmpi-trace-rank-1.txt
golden text.goal "a text trace of liballprof is told by its content" schedgen text -o -
check "the file of rank 0 gives the same graph as its folder" same "$golden_folder/text.goal" \
	schedgen text/pmpi-trace-rank-0.txt -o -
says() {
	schedgen text -o t.goal 2>err && grep -q " 16 calls: .*2 not modelled" err && grep -q "modelled: 6 of messages" err && grep -q "MPI_Win_fence, 2 calls, 2 us" err
}
check "calls of a text trace that are not modelled are reported" says
sliced() {	# calls of both ranks within 5 us after MPI_Init: MPI_Irecv and MPI_Send
	schedgen text -o w.goal --to 5us 2>err && grep -q " 4 calls: " err && grep -q "modelled: 4 of messages" err &&
		[ "$(grep -c ": send 40b" w.goal)" -eq 2 ] && schedgen text -o w.goal --from 13us 2>err &&
		! grep -q "[1-9][0-9]* of messages" err && grep -q "2 of collectives" err
}
check "slices of a text trace are counted from its first call" sliced
sed -i '7s/.*/MPI_Wait:1006:2000/' text/pmpi-trace-rank-1.txt
cut_text() {
	complains 1 "text/pmpi-trace-rank-1.txt:7: MPI_Wait: byte 19" schedgen text -o x.goal &&
		[ ! -e x.goal ]
}
check "the message about an error in a text trace names file, line and byte" cut_text

printf '# Notes of run 0\n\nMPI_Init is called first: by all ranks.\n' >notes-0.md
printf '\n# 0\n#\n%s\nall: trace\n' "$(seq -s , 300 | sed 's/^/#/')" >Makefile.0
mkdir notes
cp notes-0.md notes
other_texts() {
	for text in notes-0.md Makefile.0; do
		complains 1 "$text: not an OTF2 archive" schedgen $text -o x.goal || return 1
	done
	complains 1 "notes/traces.otf2: No such file" schedgen notes -o x.goal
}
check "other texts are refused" other_texts
commented() {
	write_rank 1 0 >text/pmpi-trace-rank-1.txt
	for rank in 0 1; do
		sed -i "1s/.*/# $(seq -s , 300)/" text/pmpi-trace-rank-$rank.txt
	done
	same "$golden_folder/text.goal" schedgen text -o -
}
check "a text trace may begin with other comments" commented

# ---- the same run, converted by upstream's generator and by schedgen

messages() {	# bytes, destination and tag of all messages except those of collectives
	sed -n 's/^l[0-9]*: send \([0-9]*\)b to \([0-9]*\) tag \([0-9]\{1,5\}\)$/\1 \2 \3/p' "$1"
}
compute() {	# ranks and what they compute
	goal stats "$1" | awk 'NR > 1 && NF == 0 { exit } NR > 1 { print $1, $(NF - 1), $NF }'
}
agrees() {
	schedgen "$DATA/liballprof/lulesh-8" -o ours.goal && goal check ours.goal &&
		messages "$DATA/goal/lulesh-8.goal" >theirs && messages ours.goal >ours &&
		[ "$(wc -l <ours)" -gt 1000 ] && cmp ours theirs &&
		compute "$DATA/goal/lulesh-8.goal" >theirs && compute ours.goal >ours && cmp ours theirs &&
		[ "$(grep -c ": send" ours.goal)" -eq "$(grep -c ": send" "$DATA/goal/lulesh-8.goal")" ]
}
sentence="LULESH has the messages and the computation that upstream's generator gives it"
if [ -d "$DATA/liballprof/lulesh-8" ]; then
	check "$sentence" agrees
else
	skip "$sentence" "$DATA is not there"
fi
