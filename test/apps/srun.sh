#!/bin/bash
# runs: alone
# Test programs whose ranks srun of Slurm starts, without mpiexec.  The test makes a cluster of this
# node, whose daemons end with the test.
. "$SOURCE/test/cli/tap.sh"
unset "${!SLURM_@}" "${!PMI_@}" "${!OMPI_@}"

sentence="programs that srun starts are traced"
for command in slurmctld slurmd srun munged; do
	PATH=$PATH:/usr/sbin command -v $command >/dev/null && continue
	skip "$sentence" "there is no $command; make deps-apps installs it"
	exit 0
done
PATH=$PATH:/usr/sbin
if [ "$(id -u)" != 0 ]; then
	skip "$sentence" "only root can start the daemons of Slurm"
	exit 0
fi

# ---- the cluster

chmod 755 .
mkdir run state spool
stop() {
	kill $(jobs -p) $(cat run/*.pid 2>/dev/null) 2>/dev/null
	wait
}
trap 'status=$?; stop; (exit $status); finish' EXIT
port=$((20000 + $$ % 2500 * 4))	# below the ports that the system gives to connections
cat >slurm.conf <<END_OF_FILE
ClusterName=test
SlurmctldHost=$(hostname)(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$PWD/run/munge
CredType=cred/munge
StateSaveLocation=$PWD/state
SlurmdSpoolDir=$PWD/spool
SlurmctldPidFile=$PWD/run/slurmctld.pid
SlurmdPidFile=$PWD/run/slurmd.pid
SlurmctldLogFile=$PWD/slurmctld.log
SlurmdLogFile=$PWD/slurmd.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
ReturnToService=2
KillWait=1
JobCompType=jobcomp/filetxt
JobCompLoc=$PWD/jobs.txt
Epilog=$PWD/epilog
NodeName=$(hostname) NodeAddr=127.0.0.1 CPUs=8 State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END_OF_FILE
# With accounting, by a database of its own, where its daemons are installed.
accounting=
if command -v slurmdbd mariadbd mariadb-install-db >daemons && [ "$(wc -l <daemons)" = 3 ]; then
	accounting=yes
	cat >>slurm.conf <<-END_OF_FILE
		AccountingStorageType=accounting_storage/slurmdbd
		AccountingStorageHost=localhost
		AccountingStoragePort=$((port + 2))
		AccountingStoragePass=$PWD/run/munge
		JobAcctGatherType=jobacct_gather/none
	END_OF_FILE
	cat >slurmdbd.conf <<-END_OF_FILE
		AuthType=auth/munge
		AuthInfo=socket=$PWD/run/munge
		DbdHost=localhost
		DbdPort=$((port + 2))
		SlurmUser=root
		LogFile=$PWD/slurmdbd.log
		PidFile=$PWD/run/slurmdbd.pid
		StorageType=accounting_storage/mysql
		StorageHost=127.0.0.1
		StoragePort=$((port + 3))
		StorageUser=root
		StorageLoc=slurm_acct
	END_OF_FILE
	chmod 600 slurmdbd.conf
fi
export SLURM_CONF=$PWD/slurm.conf
# The epilog of doc/usage-site.md.
mkdir logs partial && chmod 1733 logs && chmod 1777 partial
sed -n 's,^    /opt/llamp/bin/llamp-usage\( collect .*|| :\)$,\1,p' "$SOURCE/doc/usage-site.md" >epilog.line
{
	echo '#!/bin/sh'
	echo "export LLAMP_USAGE_PARTIAL='$PWD/partial'"
	sed "s|^|'$(command -v llamp-usage)'|; s|-o /logs/usage|-o '$PWD/logs'|" epilog.line
} >epilog
chmod 755 epilog
starts_accounting() {
	mariadb-install-db --no-defaults --user=root --datadir="$PWD/db" --auth-root-authentication-method=normal --skip-test-db >mariadb.out 2>&1 &&
		mariadbd --no-defaults --user=root --datadir="$PWD/db" --socket="$PWD/run/mariadb" --bind-address=127.0.0.1 \
			--port=$((port + 3)) --pid-file="$PWD/run/mariadb.pid" --skip-grant-tables --skip-log-bin >>mariadb.out 2>&1 &
	ended=mariadb
	for _ in {1..300}; do
		[ -S run/mariadb ] && break
		sleep 0.2
	done
	[ -S run/mariadb ] || return 1
	ended=slurmdbd
	slurmdbd -D >slurmdbd.out 2>&1 &
	for _ in {1..300}; do
		sacctmgr -i add cluster test >sacctmgr.out 2>&1 && break
		kill -0 $! || return 1
		sleep 0.2
	done
	ended=
}
starts() {
	head -c 128 /dev/urandom >key && chmod 600 key
	munged --force --key-file="$PWD/key" --socket="$PWD/run/munge" --pid-file="$PWD/run/munged.pid" \
		--log-file="$PWD/munged.log" --seed-file="$PWD/seed" >munged.out 2>&1 ||
		{ ended=munged; return 1; }
	[ -z "$accounting" ] || starts_accounting || return 1
	slurmctld -D >slurmctld.out 2>&1 &
	slurmctld=$!
	slurmd -D -N "$(hostname)" >slurmd.out 2>&1 &
	slurmd=$!
	for _ in {1..500}; do
		sinfo -h 2>/dev/null | grep -q idle && return 0
		for ended in slurmctld slurmd; do
			kill -0 ${!ended} || return 1
		done
		ended=
		sleep 0.2
	done
	return 1
}
# Skip the test if a daemon ends by itself, because the machine does not allow it.
ended=
if starts >start.log 2>&1; then
	ok "a cluster of one node starts"
elif [ -n "$ended" ]; then
	skip "$sentence" "$ended cannot be started: $(tail -n 1 $ended.out)"
	exit 0
else
	not_ok "a cluster of one node starts"
	tail -n 20 start.log ./*.log ./*.out | sed 's/^/# /'
fi

# ---- programs

slurm() { timeout 300 srun -n 4 "$@"; }	# --mpi=...
traces() { # DIRECTORY PROGRAM...
	rm -rf "$1"
	exits 0 slurm --mpi=$pmi llamp-trace -o "$@" && grep -q correct out && ! grep llamp-trace: err &&
		otf2-print "$1/traces.otf2" >shown && [ "$(grep '^MPI_SEND ' shown | awk '{print $2}' | sort -u | wc -l)" = 4 ]
}
default_directory() {
	rm -rf llamp-trace-*
	exits 0 slurm --mpi=$pmi llamp-trace ./ring-$mpi --blocks 2 && ls llamp-trace-ring-$mpi-[0-9]*.0/traces.otf2
}
killed() {
	! slurm -K --mpi=$pmi llamp-trace -o dead-$mpi ./die-$mpi one >out 2>err &&
		recovers dead-$mpi && otf2-print dead-$mpi/traces.otf2 >shown &&
		[ "$(grep -c '^ENTER .*MPI_Waitall' shown)" -ge 200 ]
}
for pair in mpich:pmi2 openmpi:pmix; do
	mpi=${pair%:*} pmi=${pair#*:}
	if ! command -v mpicc.$mpi >/dev/null || [ ! -e "$BUILD/lib/libllamptrace-$mpi.so" ]; then
		skip "$mpi: $sentence" "the tracer is not built for it"
		continue
	fi
	for program in examples/ring test/mpi/trace_die; do
		mpicc.$mpi -O2 -w -o "$(basename ${program#test/mpi/trace_})-$mpi" "$SOURCE/$program.c" -lm
	done
	printf '#!/bin/sh\nexec ./ring-%s --blocks 2\n' $mpi >script-$mpi
	chmod +x script-$mpi
	check "$mpi with $pmi: four ranks are traced" traces trace-$mpi ./ring-$mpi --blocks 2
	check "$mpi with $pmi: their trace is converted to a graph" exits 0 schedgen trace-$mpi -o ring.bin
	check "$mpi with $pmi: ranks that a script starts are traced, too" traces script-trace-$mpi ./script-$mpi
	check "$mpi with $pmi: the name of the directory has the number of the job step" default_directory
	check "$mpi with $pmi: the calls of a killed run are recovered" killed
done

# ---- a site that counts all jobs: doc/usage-site.md

if [ ! -e "$BUILD/lib/libllampusage-mpich.so" ] || ! command -v mpicc.mpich >/dev/null; then
	skip "jobs of a site leave logs, however they end" "the profiler is not built for MPICH"
	exit 0
fi
mpicc.mpich -O2 -w -o usage_die "$SOURCE/test/mpi/usage_die.c"
site() { # OPTION... PROGRAM...: as users run it, with what the module file sets
	timeout 200 env LLAMP_USAGE_DIR="$PWD/logs" LLAMP_USAGE_PARTIAL="$PWD/partial" LLAMP_USAGE_QUIET=1 \
		LD_PRELOAD="$BUILD/lib/libllampusage.so" srun -n 2 --mpi=pmi2 "$@" >out 2>err
}
# leaves NAME END: the job of that name has one log, with that end and all calls of both ranks.
leaves() {
	local log=
	for _ in {1..150}; do
		for log in $(find logs -name '*.usage'); do
			llamp-usage show "$log" --rank all --format json >log.json && grep -q "\"job\": \"$1\"" log.json && break 2
		done
		log=
		sleep 0.2
	done
	[ -n "$log" ] || { find logs partial -type f; cat epilog slurmd.log; return 1; }
	llamp-usage show "$log" --rank all --format csv >log.csv
	cat log.csv
	grep "\"end\": \"" log.json
	grep -q "\"end\": \"\($2\)\"" log.json && [ "$(awk -F, '$2 == "MPI_Allreduce" {print $4}' log.csv)" = 200 ]
}
last_job() { sed -n 's/^JobId=\([0-9]*\) .*/\1/p' jobs.txt | tail -n 1; }
ends() { # STATE END COMMAND...
	local state=$1 end=$2
	shift 2
	"$@"
	for _ in {1..100}; do
		tail -n 1 jobs.txt 2>/dev/null | grep -q "JobState=$state " && break
		sleep 0.2
	done
	tail -n 1 jobs.txt
	tail -n 1 jobs.txt | grep -q "JobState=$state " && leaves "$(last_job)" "$end"
}
cancelled() {
	site --job-name=cancelled ./usage_die hang 100 &
	for _ in {1..200}; do
		grep -q hangs out 2>/dev/null && break
		sleep 0.2
	done
	scancel --name=cancelled
	wait $!
}
check "the site guide has an epilog that collects" [ -s epilog.line ]
check "a job that ends by itself leaves its log" ends COMPLETED finalize site ./usage_die finalize 100
rm -f out
check "a job that is cancelled leaves the log that the epilog collects" ends CANCELLED 'killed\|exit' cancelled
check "a job whose program aborts" ends FAILED 'killed\|exit' site ./usage_die abort 100

# Slurm's smallest limit is a minute: SIGTERM at its end, SIGKILL after KillWait.
timed_out() { site --time=1 ./usage_die hang 100; }
check "a job that its time limit ends" ends TIMEOUT 'killed\|exit' timed_out

# ---- the scheduler's records: doc/usage-index.md

if [ -z "$accounting" ]; then
	skip "jobs, logs and records of sacct belong together" "there is no slurmdbd with MariaDB; make deps-apps installs them"
	exit 0
fi
sacct_line=$(sed -n 's/^    \(sacct -aP .*\) >sacct.txt/\1/p' "$SOURCE/doc/usage-index.md")
# Steps reach the database some seconds after they end.
joined() {
	[ -n "$sacct_line" ] || return 1
	for _ in {1..100}; do
		eval "$sacct_line" >sacct.txt && rm -f usage.db && llamp-usage index logs -d usage.db --accounting sacct.txt >said &&
			[ "$(llamp-usage query -d usage.db "SELECT count(*) FROM jobs WHERE record IS NOT NULL AND core_hours IS NOT NULL" --format csv | tail -n 1)" = usage.db,4 ] &&
			return 0
		sleep 0.3
	done
	cat sacct.txt said
	return 1
}
check "jobs, logs and records of sacct belong together" joined
states() {
	llamp-usage query -d usage.db "SELECT k.state, k.normal, j.\"end\" <> 'finalize', k.coverage FROM jobs AS j
		JOIN accounting AS k ON k.id = j.record ORDER BY j.start_ns" --format csv | tail -n 4 >found
	cat found sacct.txt
	[ "$(cut -d, -f 5 found | sort -u)" = log ] && [ "$(head -n 1 found | cut -d, -f 2-4)" = COMPLETED,1,0 ] &&
		[ "$(tail -n 3 found | cut -d, -f 3-4 | sort -u)" = 0,1 ]
}
check "... with the state in which each of them ended" states
