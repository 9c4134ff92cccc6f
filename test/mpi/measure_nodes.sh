#!/bin/bash
# runs: every-mpi
# Test llamp-measure between two nodes: two network namespaces with a cable between them, each with its own host name and
# shared memory.
. "$SOURCE/test/cli/tap.sh"

# Make the nodes, with names that only this test uses.
nodes="llamp$$a llamp$$b"
remove_nodes() {
	for node in $nodes; do
		ip netns del "$node" 2>/dev/null
	done
}
make_nodes() {
	set -- $nodes
	ip netns add "$1" && ip netns add "$2" &&
		ip -n "$1" link add name end1 type veth peer name end2 netns "$2" &&
		ip -n "$1" addr add 10.99.0.1/24 dev end1 && ip -n "$2" addr add 10.99.0.2/24 dev end2 &&
		ip -n "$1" link set lo up && ip -n "$2" link set lo up &&
		ip -n "$1" link set end1 up && ip -n "$2" link set end2 up &&
		wait_for_cable "$1" end1 && wait_for_cable "$2" end2
}
wait_for_cable() {
	for _ in {1..100}; do
		[ "$(ip netns exec "$1" cat "/sys/class/net/$2/operstate")" = up ] && return
		sleep 0.1
	done
	false
}
trap 'status=$?; remove_nodes; (exit $status); finish' EXIT

if ! reason=$(make_nodes 2>&1); then
	skip "parameters between two nodes are measured" "no network namespaces: $reason"
	exit
fi

# Start a command on a node, as ssh does.  The launchers call it with options, an address and the command.
cat >remote <<END
#!/bin/bash
while [[ \$1 == -* ]]; do shift; done
case \$1 in
10.99.0.1) node=${nodes% *} name=node1 ;;
*) node=${nodes#* } name=node2 ;;
esac
shift
exec ip netns exec "\$node" unshare --uts --ipc --mount sh -c "hostname \$name; mount -t tmpfs none /dev/shm; \$*"
END
chmod +x remote

measures() {
	case $MPI in
	openmpi) set -- --mca plm_rsh_agent "$PWD/remote" --host 10.99.0.1,10.99.0.2 --map-by node ;;
	*) set -- -launcher ssh -launcher-exec "$PWD/remote" -hosts 10.99.0.1,10.99.0.2 -ppn 1 ;;
	esac
	set -- ip netns exec "${nodes% *}" unshare --uts sh -c 'hostname node1; exec "$@"' sh \
		"$MPIEXEC" "$@" -n 2 "$(command -v llamp-measure)" params --time-limit 1s -o net.yaml
	# MPICH 4.0 over TCP by UCX sometimes does not return from MPI_Finalize, after all is written.
	for _ in 1 2 3; do
		timeout 60 "$@" >said 2>&1
		status=$?
		[ $status = 124 ] || break
	done
	[ $status = 0 ] || { cat said; return 1; }
}

check "parameters between two nodes are measured" measures
check "... by messages of 1 byte that take time" awk '/^L:/ {L = $2 + 0} /^o:/ {o = $2 + 0} END {exit !(L + 2 * o > 0)}' net.yaml
check "... and the nodes are named" grep "^# ranks  *0 on node node1, 1 on node node2" net.yaml
