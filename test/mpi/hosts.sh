# Two hosts on one machine, for tests of both MPIs.
#
#	. "$SOURCE/test/mpi/hosts.sh"
#	make_hosts || { skip "SENTENCE" "$no_hosts"; exit; }
#	between_hosts 4 llamp-trace -o trace PROGRAM
#
# Each host is a set of namespaces with its own name (node1, node2), network, shared memory, mounts and boot
# id, and a clock of its own if the kernel can.  A cable joins them.  Folders are the same on both, as on a file system
# that hosts share, until one mounts something (`on_host`).
. "$SOURCE/test/cli/tap.sh"

# Seconds that the clock of each host is ahead of that of the machine.
host_clocks=(1000 5000)

# Processes of a host.
processes_of() { # NUMBER
	host=$(readlink "/proc/$(cat node$1.pid)/ns/uts")
	for process in /proc/[0-9]*; do
		[ "$(readlink "$process/ns/uts")" = "$host" ] && echo "${process#/proc/}"
	done
} 2>/dev/null
remove_hosts() {
	for number in 1 2; do
		[ -e node$number.pid ] && kill -9 $(processes_of $number)
	done
} 2>/dev/null
trap 'status=$?; remove_hosts; (exit $status); finish' EXIT

# The first process of a host.
cat >host <<'END'
#!/bin/bash
hostname "$1" && mount -t sysfs none /sys && mount -t tmpfs none /dev/shm && ip link set lo up || exit
cat /proc/sys/kernel/random/uuid >"$1.boot" && mount --bind "$1.boot" /proc/sys/kernel/random/boot_id || exit
echo $$ >"$1.new" && mv "$1.new" "$1.pid"
exec sleep infinity
END

# Start a command on a host by its address, as ssh does.  The launchers call it with options before the address.
cat >remote <<END
#!/bin/bash
while [[ \$1 == -* ]]; do shift; done
pid=\$(cat "$PWD/node\${1##*.}.pid")
shift
exec nsenter --target "\$pid" --mount --uts --ipc --net \$(cat "$PWD/clocks") sh -c "cd '$PWD' && \$*"
END
chmod +x host remote

start_host() { # NUMBER
	own_clock=
	[ -s clocks ] && own_clock="--time --monotonic ${host_clocks[$1 - 1]}"
	unshare --mount --uts --ipc --net --fork --kill-child $own_clock ./host node$1 2>node$1.err &
	disown
	for _ in {1..100}; do
		[ -e node$1.pid ] && return
		kill -0 $! 2>/dev/null || break
		sleep 0.1
	done
	no_hosts="no namespaces: $(cat node$1.err)"
	return 1
}

plug() { on_host $1 "ip addr add 10.99.0.$1/24 dev end$1 && ip link set end$1 up"; } # NUMBER
wait_for_cable() { # NUMBER
	for _ in {1..100}; do
		[ "$(on_host $1 "cat /sys/class/net/end$1/operstate")" = up ] && return
		sleep 0.1
	done
	echo "it does not come up"
	return 1
}
lay_cable() {
	ip link add name end1 netns "$(cat node1.pid)" type veth peer name end2 netns "$(cat node2.pid)" &&
		plug 1 && plug 2 && wait_for_cable 1 && wait_for_cable 2
}

# Let MPI_Finalize of MPICH return.
finish=
if [ "$MPI" = mpich ]; then
	finish=$PWD/finish.so
	"$MPICC" -shared -fPIC -O2 -o finish.so "$SOURCE/test/mpi/hosts/finish.c" || exit 1
fi

# Make the hosts.  If it fails, no_hosts says why.
make_hosts() {
	unshare --time true 2>/dev/null && echo --time >clocks || : >clocks
	start_host 1 && start_host 2 || return
	no_hosts="no network between namespaces: $(lay_cable 2>&1)" || return
}

# on_host NUMBER COMMAND-LINE
on_host() { ./remote "10.99.0.$1" "$2"; }

# between_hosts RANKS COMMAND...: run with half of the ranks on each host; the status in $status, output in out and err.
between_hosts() {
	ranks=$1 half=$(($1 / 2))
	shift
	case $MPI in
	openmpi) set -- --mca plm_rsh_agent "$PWD/remote" --host "10.99.0.1:$half,10.99.0.2:$half" -n "$ranks" "$@" ;;
	*) set -- -launcher ssh -launcher-exec "$PWD/remote" -hosts 10.99.0.1,10.99.0.2 -ppn "$half" -n "$ranks" "$@" ;;
	esac
	status=0
	LD_PRELOAD=$finish:${LD_PRELOAD:-} timeout 120 ./remote 10.99.0.1 "$(printf '%q ' "$MPIEXEC" "$@")" >out 2>err || status=$?
}
