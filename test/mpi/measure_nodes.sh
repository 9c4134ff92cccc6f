#!/bin/bash
# runs: every-mpi-long
# Test llamp-measure between two hosts.
. "$SOURCE/test/mpi/hosts.sh"

if ! make_hosts; then
	skip "parameters between two nodes are measured" "$no_hosts"
	exit
fi
measures() {
	between_hosts 2 llamp-measure params --time-limit 10s -o net.yaml
	[ $status = 0 ] && return
	[ $status = 3 ] && grep -q "^unknown: L " net.yaml && return
	cat out err
	return 1
}
check "parameters between two nodes are measured" measures
check "... by messages of 1 byte that take time" awk '/^L:/ {L = $2 + 0} /^o:/ {o = $2 + 0} END {exit !(L + 2 * o > 0)}' net.yaml
check "... and the nodes are named" grep "^# ranks  *0 on node node1, 1 on node node2" net.yaml
