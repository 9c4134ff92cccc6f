#!/bin/sh
# llamp lp: the written models, solved by another reader, have the runtime that llamp analyze reports.
. "$SOURCE/test/cli/tap.sh"

# The paper's example, and a program with all that can stand in a model: large messages, irequires,
# receives that wait, successive sends.
cat >two.goal <<'EOF'
num_ranks 2

rank 0 {
l1: calc 100
l2: send 4b to 1 tag 0
l2 requires l1
l3: calc 1000
l3 requires l2
}

rank 1 {
l1: calc 500
l2: recv 4b from 0 tag 0
l2 requires l1
l3: calc 1000
l3 requires l2
}
EOF
cat >three.goal <<'EOF'
num_ranks 3

rank 0 {
l1: calc 2500
l2: send 300000b to 1 tag 7
l2 requires l1
l3: send 16b to 2 tag 8
l3 requires l1
l4: recv 8b from 2 tag 9
l4 requires l1
l5: calc 300
l5 requires l2
l5 requires l3
l5 requires l4
}

rank 1 {
l1: calc 100
l2: recv 300000b from 0 tag 7
l2 requires l1
l3: calc 4000
l3 irequires l2
l4: send 1000b to 2 tag 1
l4 requires l2
l4 requires l3
}

rank 2 {
l0: calc 7000
l1: recv 16b from 0 tag 8
l1 requires l0
l2: send 8b to 0 tag 9
l2 requires l1
l4: calc 100
l4 requires l1
l3: recv 1000b from 1 tag 1
l3 irequires l2
l3 requires l4
}
EOF

runtime() {
	llamp analyze --format json "$@" | python3 -c 'import json, sys; print(json.load(sys.stdin)["runtime_ns"])'
}

optimum() {
	glpsol "$@" --output solution >glpsol.log || return 1
	sed -n 's/^Objective:.*= *\([^ ]*\) .*/\1/p' solution
}

close() {
	awk -v a="$1" -v b="$2" 'BEGIN { d = a - b; if (d < 0) d = -d; exit !(a > 0 && d <= 1e-9 * a) }'
}

# agrees GRAPH OPTION...
agrees() {
	exits 0 llamp lp -o model.lp "$@" && exits 0 llamp lp -o model.mps "$@" || return 1
	expected=$(runtime "$@")
	from_lp=$(optimum --lp model.lp)
	from_mps=$(optimum --freemps model.mps)
	echo "expected $expected, .lp $from_lp, .mps $from_mps"
	close "$expected" "$from_lp" && close "$expected" "$from_mps"
}

# The reduced cost of a column as glpsol prints it.
marginal() {
	glpsol --lp model.lp --nopresol --output solution >glpsol.log &&
		awk -v name="$1" '/Column name/ { columns = 1 } columns && $2 == name { print $NF }' solution
}

sensitivities() {
	exits 0 llamp lp two.goal -L 500 --overhead 1 -G 5 -o model.lp || return 1
	[ "$(marginal l) $(marginal G) $(marginal o)" = "1 3 2" ] && return 0
	cat solution
	return 1
}

golden two.lp "the model of the paper's example is a readable .lp file" \
	llamp lp two.goal -L 500 --overhead 0 -G 5 -o -
golden three.lp "operations, meetings and gaps have names" \
	llamp lp three.goal -g 2us -S 256KB -o -
check "glpsol finds the runtime of the paper's example" agrees two.goal -L 500 --overhead 0 -G 5
check "glpsol's reduced costs are the sensitivities" sensitivities
for protocol in read sync paper; do
	check "glpsol finds the runtime with rendezvous ($protocol)" \
		agrees three.goal -S 256KB --rendezvous $protocol
	check "glpsol finds the runtime with gaps ($protocol)" \
		agrees three.goal -g 2us -S 256KB --rendezvous $protocol
done
check "glpsol finds the runtime where parameters are 0" agrees three.goal -L 0 --overhead 0 -G 0

lulesh=$SOURCE/../shared/data/goal/lulesh-8.bin
if [ -e "$lulesh" ]; then
	check "the model of a real program is accepted by glpsol" sh -c \
		"llamp lp '$lulesh' -o model.mps && glpsol --freemps model.mps --check"
else
	skip "the model of a real program is accepted by glpsol" "no data"
fi

only() {
	left=$(ls -A folder)
	[ "$left" = "$1" ] && return 0
	echo "left behind: $left"
	return 1
}

unwritable() {
	complains 4 "nowhere/model.lp" llamp lp two.goal -o nowhere/model.lp
}

unreadable() {
	mkdir folder
	head -n 5 two.goal >cut.goal
	complains 1 "cut.goal" llamp lp cut.goal -o folder/model.lp && only ""
}

# GLPK itself writes to the file beside model.lp, the limit cuts it.
full() {
	mkdir small
	schedgen --pattern halo-2d --ranks 9 --iterations 4 --compute 1us:50% -o halo.bin 2>/dev/null
	complains 4 "/dev/full" llamp lp two.goal -o /dev/full &&
		complains 4 "small/model.lp" sh -c \
			"trap '' XFSZ; ulimit -f 1; llamp lp halo.bin -o small/model.lp" &&
		[ -z "$(ls -A small)" ]
}

to_pipe() {
	llamp lp two.goal -o /dev/stdout | cat >piped.lp
	exits 0 llamp lp two.goal -o direct.lp && cmp piped.lp direct.lp
}


check "a model without a place for it is wrong usage" complains 2 "--output" llamp lp two.goal
check "a folder that is not there is an error of the system" unwritable
check "a full device is an error of the system, and leaves no half of a model" full
check "a pipe gets the same as a file" to_pipe
check "a graph that cannot be read leaves no model" unreadable
