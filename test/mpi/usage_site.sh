#!/bin/bash
# Test what doc/usage-site.md says, with its own command lines: installing, the directory of logs, the module file, switching off,
# the index, privacy.  Paths of the guide are below this test's folder.
. "$SOURCE/test/cli/tap.sh"
unset MAKEFLAGS MFLAGS MAKELEVEL GNUMAKEFLAGS MAKEOVERRIDES PREFIX BINDIR LIBDIR DATADIR MANDIR DOCDIR DESTDIR
unset "${!LLAMP_USAGE_@}"
chmod 755 .

# Lines of the guide that match, with paths of this test.
guide() {
	sed -n 's/^    //p' "$SOURCE/doc/usage-site.md" | grep "^$1" >line || return 1
	sed "s,/opt/llamp,$PWD/opt/llamp,g; s,/logs/usage,$PWD/logs/usage,g; s,/var/lib,$PWD/lib,g; s,^[*/0-9 ]* root ,," line
}
program=$BUILD/test/mpi/usage_known
behind=${LD_PRELOAD:+:$LD_PRELOAD}
logs() { find logs -name '*.usage'; }
fresh() { chmod -R u+w logs partial 2>/dev/null; rm -rf logs partial; mkdir -p logs lib partial && chmod 1777 partial && eval "$(guide 'install -d -m 1733 /logs/usage$')"; }
# job VARIABLE=VALUE...: two ranks with the environment as it is
job() { exits 0 timeout 300 "$MPIEXEC" -n 2 env LLAMP_USAGE_PARTIAL="$PWD/partial" "$@" "$program" sizes; }
leaves() { # NUMBER-OF-LOGS VARIABLE=VALUE...
	local count=$1
	shift
	fresh && (eval "$(guide 'export LLAMP_USAGE_DIR')" && eval "$(guide 'export LD_PRELOAD')" && LD_PRELOAD=$LD_PRELOAD$behind job "$@") &&
		[ "$(logs | wc -l)" = "$count" ] || { cat err; logs; return 1; }
}
shown() { llamp-usage show "$(logs)" --format json; }

installs() { eval "$(guide 'make install' | sed "s,make ,make -s -C \"\$SOURCE\" BUILD=\"\$BUILD\" MPICC=\"\$MPICC\" MPIEXEC=\"\$MPIEXEC\" ,")"; }
check "the guide's line installs" installs
needs_libc_alone() { [ "$(readelf -d opt/llamp/lib/libllampusage.so | grep -c NEEDED)" = 1 ] && readelf -d opt/llamp/lib/libllampusage.so | grep 'NEEDED.*libc\.so' && ls opt/llamp/lib/libllampusage-*.so; }
check "the library for everybody needs libc alone, and those of the MPIs lie beside it" needs_libc_alone
days() {
	fresh && [ "$(stat -c %a logs/usage)" = 1733 ] && eval "$(guide 'install -d -m 1733 /logs/usage/')" &&
		[ "$(find logs/usage -mindepth 1 -type d -printf '%m\n' | uniq)" = 1733 ] && [ -d "logs/usage/$(date -u +%Y/%m/%d)" ]
}
check "the directory of logs, and its folders for days, are as the guide makes them" days
check "with the variables of the guide a job leaves a log" leaves 1
mode_is() { [ "$(stat -c %a "$(logs)")" = 400 ] && [ "$(find logs/usage -mindepth 1 -type d -printf '%m\n' | uniq)" = 1733 ]; }
check "... of mode 0400, in folders with the mode of the directory" mode_is
index() { eval "$(guide '.*llamp-usage index /logs/usage -d')" >said && llamp-usage query -d lib/usage.db 'SELECT count(*) FROM jobs' | grep -qw 1; }
check "the guide's line makes the index" index

# ---- the module file

module_command=$(ls /usr/lib/*/modulecmd.tcl /usr/share/modules/libexec/modulecmd.tcl 2>/dev/null | head -n 1)
if [ -n "$module_command" ] && command -v tclsh >tclsh.path; then
	module() { eval "$("$module_command" bash "$@" 2>module.err)"; }
	module_loads() {
		eval "$(guide 'module use')" && export LLAMP_USAGE_DIR="$PWD/logs/usage" && eval "$(guide 'module load')" &&
			fresh && job A=1 && [ "$(logs | wc -l)" = 1 ] && command -v llamp-usage | grep "^$PWD/opt/llamp/bin/" &&
			[ "$LLAMP_USAGE_QUIET" = 1 ] || { cat module.err; env | grep -e LLAMP -e LD_PRELOAD; return 1; }
	}
	module_unloads() {
		eval "$(guide 'module use')" && export LLAMP_USAGE_DIR="$PWD/logs/usage" && eval "$(guide 'module load')" &&
			eval "$(sed -n 's/^| a user | `\(.*\)` |$/\1/p' "$SOURCE/doc/usage-site.md")" &&
			! echo "$LD_PRELOAD" | grep llampusage && fresh && job A=1 && [ -z "$(logs)" ]
	}
	check "module load counts the jobs of a shell" eval '(module_loads)'
	check "... and module unload does not any more" eval '(module_unloads)'
	knows_directory() {
		eval "$(guide 'module use')" && eval "$(guide 'module load')" && [ "$LLAMP_USAGE_DIR" = /logs/usage ] &&
			"$module_command" bash help llamp-usage 2>&1 | grep -q "Counts the MPI calls"
	}
	check "... the directory of logs is the one in its line, and it has a help" eval '(knows_directory)'
else
	skip "module load counts the jobs of a shell" "there is no modulecmd.tcl; make deps-apps installs environment-modules"
fi

# ---- the table "Switch it off", and privacy

switch() { sed -n "s/^| $1 | \`\([A-Z_]*=[^\` ]*\)\`.*/\1/p" "$SOURCE/doc/usage-site.md"; }
check "one program is switched off" eval '[ -n "$(switch "one program")" ] && leaves 0 "$(switch "one program")"'
check "programs are by name" eval 'leaves 1 "$(switch "programs by name, for all")" && leaves 0 "$(switch "programs by name, for all"),usage_known"'
check "so are the processor counters" eval 'leaves 1 "$(switch "processor counters")" && shown | grep -q "\"instructions\": null"'
check "... the time-stamp counter" eval 'leaves 1 "$(switch "the time-stamp counter as clock")" && shown | grep -q "\"clock\": \"monotonic\""'
no_node_file() {
	fresh && (export LLAMP_USAGE_DIR=$PWD/logs/usage && LD_PRELOAD=$PWD/opt/llamp/lib/libllampusage.so$behind; export LD_PRELOAD
		! timeout 100 "$MPIEXEC" -n 2 env "$(switch "the node file")" "$BUILD/test/mpi/usage_die" kill-all 20 >out 2>err)
	! ls /dev/shm/llamp-usage-[0-9]* 2>/dev/null | grep "$PWD" && [ -z "$(find partial -type f)" ] && [ -z "$(logs)" ]
}
check "without the node file killed jobs leave nothing" no_node_file
private() {
	leaves 1 LLAMP_USAGE_USER_INFO=off && shown | grep -q '"user": null' && leaves 1 A=1 && ! shown | grep -q '"user": null' &&
		! zstd -dqc "$(logs)" | grep -w sizes
}
check "the user is left out on demand, and arguments are never kept" private
# The epilog's line has status 0, whatever lies there.
epilog() {
	fresh && head -c 3000 /dev/urandom >partial/llamp-usage-.1-1.node && (export LLAMP_USAGE_PARTIAL=$PWD/partial
		! llamp-usage collect -o logs/usage >said 2>&1; eval "$(guide '/opt/llamp/bin/llamp-usage collect')")
}
check "the epilog's line has status 0, also where collect fails" epilog
