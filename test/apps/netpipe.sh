#!/bin/bash
# runs: alone
# NetPIPE, a ping-pong of growing messages: its results are the sizes.
. "$SOURCE/test/apps/app.sh"
needs netpipe-mpich2 NPmpich2 MPICH

results() {
	awk '{print $1}' np.out
}
app netpipe 2 NPmpich2 -u 65536 -n 20
