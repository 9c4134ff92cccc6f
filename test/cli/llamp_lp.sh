#!/bin/sh
# Test llamp lp: other solvers find the runtime of llamp analyze in the written models.
. "$SOURCE/test/cli/tap.sh"

# The paper's example, and a graph with everything that a model can have: large messages, irequires,
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

# Print the reduced cost of a column in the output of glpsol.
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
golden three.lp "operations, matches and gaps have names" \
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

# tolerated GRAPH PERCENT PARAMETER KEY OPTION...: print the tolerance of llamp analyze
tolerated() {
	graph=$1 percent=$2 varied=$3 key=$4
	shift 4
	llamp analyze --engine path --format json --tolerance "$percent" --vary "$varied" "$graph" "$@" |
		python3 -c "import json, sys; print(json.load(sys.stdin)['tolerance'][0]['$key'])"
}

# tolerance_agrees PERCENT PARAMETER KEY OPTION...: compare it with the written models of three.goal
tolerance_agrees() {
	percent=$1 varied=$2 key=$3
	shift 3
	for format in lp mps; do
		exits 0 llamp lp three.goal --tolerance "$percent" --vary "$varied" -o model.$format "$@" ||
			return 1
	done
	expected=$(tolerated three.goal "$percent" "$varied" "$key" "$@")
	from_lp=$(optimum --lp model.lp)
	from_mps=$(optimum --freemps model.mps)
	echo "expected $expected, .lp $from_lp, .mps $from_mps"
	close "$expected" "$from_lp" && close "$expected" "${from_mps#-}"
}

golden tolerance.lp "the model of a tolerance is a readable .lp file" \
	llamp lp two.goal -L 500 --overhead 0 -G 5 --tolerance 25 -o -
for percent in 1 25; do
	check "glpsol finds the tolerated latency of $percent %" tolerance_agrees $percent L L_ns
	check "glpsol finds the tolerated G of $percent %" \
		tolerance_agrees $percent G G_ns_per_byte -S 256KB
	check "glpsol finds the tolerated o of $percent %" \
		tolerance_agrees $percent o o_ns -g 2us -S 256KB --rendezvous paper
done

# by_clp FIELD COLUMN OPTION...: print the value (3) or reduced cost (4) of a column in the output of Clp
by_clp() {
	field=$1 column=$2
	shift 2
	llamp lp halo.bin -o clp.mps "$@" && clp clp.mps -dualsimplex -solution clp.solution >clp.log &&
		awk -v field="$field" -v column="$column" '$2 == column { print $field }' clp.solution
}

clp_agrees() {
	schedgen --pattern solver-3d --ranks 8 --iterations 4 --bytes 4KiB --compute 20us:50% \
		-o halo.bin 2>/dev/null
	llamp analyze halo.bin --engine path --format json >halo.json || return 1
	python3 -c 'import json; o = json.load(open("halo.json"))
print(o["runtime_ns"], o["lambda_L"]["right"], *(t["L_ns"] for t in o["tolerance"]), sep="\n")' >expected
	{ by_clp 3 t; by_clp 4 l; for percent in 1 2 5; do by_clp 3 l --tolerance $percent; done; } >found
	paste expected found
	paste expected found | awk '{ d = $1 - $2; if (d < 0) d = -d; if (!($1 > 0 && d <= 1e-7 * $1)) exit 1 }
		END { if (NR != 5) exit 1 }'
}
if command -v clp >/dev/null; then
	check "Clp finds the same T, lambda_L and tolerances" clp_agrees
else
	skip "Clp finds the same T, lambda_L and tolerances" "no clp"
fi

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

# The limit cuts the temporary file, which GLPK writes itself.
full() {
	mkdir small
	schedgen --pattern halo-2d --ranks 9 --iterations 4 --compute 1us:50% -o halo.bin 2>/dev/null
	complains 4 "/dev/full" llamp lp two.goal -o /dev/full &&
		complains 4 "small/model.lp" sh -c \
			"ulimit -f 1; llamp lp halo.bin -o small/model.lp" &&
		[ "$(cat err)" = "llamp: small/model.lp: cannot be written: File too large" ] &&
		[ -z "$(ls -A small)" ]
}

# More than one block of a copy.
closed() {
	schedgen --pattern halo-2d --ranks 9 --iterations 40 --compute 1us:50% -o halo.bin 2>/dev/null
	llamp lp halo.bin -o - >&- 2>err
	[ $? -eq 4 ] && grep -q "^llamp: .*Bad file descriptor" err
}

to_pipe() {
	llamp lp two.goal -o /dev/stdout | cat >piped.lp
	exits 0 llamp lp two.goal -o direct.lp && cmp piped.lp direct.lp
}


check "the model goes to stdout without -o" eval "llamp lp two.goal -o default.lp && llamp lp two.goal | cmp - default.lp"
for option in "--vary L" "--vary S --tolerance 1" "--tolerance 1,2" "--tolerance -1" "--tolerance 1e99" \
		"--tolerance="; do
	check "llamp lp $option is refused as usage" complains 2 "llamp: " llamp lp two.goal -o - $option
done
check "a missing folder is an error of the system" unwritable
check "a full device is an error of the system, and leaves no partial model" full
check "a closed stdout is an error of the system" closed
check "a pipe gets the same model as a file" to_pipe
check "a graph that cannot be read leaves no model" unreadable

in_place() {
	cp "$SOURCE/examples/two-ranks.goal" same.goal &&
		complains 2 "llamp: same.goal: the output would overwrite the input" \
			llamp lp same.goal --format mps --output same.goal &&
		cmp "$SOURCE/examples/two-ranks.goal" same.goal
}
check "llamp lp does not overwrite its input" in_place
