#!/bin/bash
# runs: slow
# Test test/run: how it selects, runs and counts tests.
. "$SOURCE/test/cli/tap.sh"

mkdir -p tree/test/unit/room tree/test/cli tree/test/mpi build/test/unit/room build/developer/test/unit/room
cp "$SOURCE/test/run" tree/test/run
mkdir tree/launch && cp "$SOURCE/launch/mpi_implementations.def" tree/launch/

# runs NAME 'LINES OF OUTPUT' STATUS: make a unit test with this output and status, and print the
# last line of test/run for it.
runs() {
	touch "tree/test/unit/room/test_$1.c"
	for folder in build build/developer; do
		printf '#!/bin/sh\ncat <<END\n%s\nEND\nexit %s\n' "$2" "$3" >"$folder/test/unit/room/test_$1"
		chmod +x "$folder/test/unit/room/test_$1"
	done
	BUILD=$PWD/build /usr/bin/python3 tree/test/run "test_$1" >run.out 2>&1
	status=$?
	tail -n 1 run.out
	return $status
}

# gives SENTENCE STATUS LAST-LINE NAME OUTPUT TEST-STATUS
gives() {
	last=$(runs "$4" "$5" "$6")
	status=$?
	check "$1" test "$status: $last" = "$2: $3"
}

gives "passed tests are counted" 0 "2 passed, 0 failed, 0 skipped" pass "1..2
ok 1 - first
ok 2 - second" 0
gives "a failed test is counted and fails the run" 1 "1 passed, 1 failed, 0 skipped" fail "1..2
ok 1 - first
not ok 2 - second
# 0x1 != 0x2" 1
gives "a skipped test is neither passed nor failed, also as cmocka writes it" 0 \
	"1 passed, 0 failed, 2 skipped" skip "1..3
ok 1 - first
not ok 2 # SKIP second
ok 3 - third # SKIP no data" 0
check "... and its report comes again at the end of a run with others" eval \
	'runs other "ok 1 - first" 0 >said; BUILD=$PWD/build /usr/bin/python3 tree/test/run >run.out; [ "$(grep -c "# 0x1 != 0x2" run.out)" = 2 ]'
check "... and says which load the machine had" grep -q "^FAIL test/unit/room/test_fail: .* load .* on .* processors)" run.out
gives "what follows a failed check is printed, however long the output is" 1 "1 passed, 1 failed, 0 skipped" long "not ok 1 - first
# the reason
ok 2 - second
$(seq 1000)" 1
check "... the rest of it only in part" eval 'grep -q "the reason" run.out && [ "$(wc -l <run.out)" -lt 500 ]'
gives "a test that ends with an error after its last report has failed" 1 \
	"1 passed, 1 failed, 0 skipped" crash "ok 1 - first" 134
gives "a test that reports less than it planned has failed" 1 \
	"1 passed, 1 failed, 0 skipped" stop "1..2
ok 1 - first" 0
gives "a test that reports nothing has failed" 1 "0 passed, 1 failed, 0 skipped" silent "" 0

rm build/test/unit/room/test_pass
BUILD=$PWD/build /usr/bin/python3 tree/test/run test_pass >run.out 2>&1
check "a test that has not been built counts as failed" grep -q '^0 passed, 1 failed' run.out
BUILD=$PWD/build /usr/bin/python3 tree/test/run nothing >run.out 2>&1
check "a run without tests is a failure" test $? -eq 1

# ---- several at a time

# script PATH LINES...: make a test that runs the lines and reports that it has passed.
script() {
	path=$1
	shift
	printf '%s\n' '#!/bin/bash' "cd '$PWD'" "$@" 'echo ok 1 - done' >"$path"
	chmod +x "$path"
}
run_tests() { BUILD=$PWD/build timeout -s INT "$1" /usr/bin/python3 tree/test/run "${@:2}" >run.out 2>&1; }

script tree/test/cli/a.sh 'sleep 0.5'
script tree/test/cli/b.sh
run_tests 100 test/cli/a.sh test/cli/b.sh
sed '/^processors/,$d; s/:.*//' run.out >order
check "reports come in the order of the list" diff order - <<END
ok   test/cli/a.sh
ok   test/cli/b.sh
2 passed, 0 failed, 0 skipped
END

if [ "$(nproc)" -gt 1 ]; then
	waits='for i in {1..300}; do [ -e here.$other ] && break; sleep 0.1; done; [ -e here.$other ] || exit 1'
	script tree/test/mpi/c.sh 'touch here.c; other=d' "$waits"
	script tree/test/mpi/d.sh 'touch here.d; other=c' "$waits"
	check "several tests run at a time" run_tests 100 test/mpi/c.sh test/mpi/d.sh
else
	skip "several tests run at a time" "there is one processor"
fi

script tree/test/mpi/e.sh 'touch busy; sleep 0.5; rm busy'
script tree/test/mpi/h.sh '# runs: alone' '[ ! -e busy ] || exit 1'
cp tree/test/mpi/e.sh tree/test/mpi/z.sh
check "a test with the word 'alone' runs alone" run_tests 100 test/mpi/e.sh test/mpi/h.sh test/mpi/z.sh
script tree/test/mpi/i.sh '# runs: every-mpi alone' 'echo "$MPI" >>mpis'
MPI=mpich OTHER_MPIS=openmpi=mpicc.openmpi=mpiexec.openmpi run_tests 100 test/mpi/e.sh test/mpi/i.sh
check "a test with the word 'every-mpi' runs with every MPI" test "$(echo $(cat mpis))" = "mpich openmpi"
check "... and one without it only with the default" test "$(grep -c test/mpi/e.sh run.out)" = 1
mkdir tree/test/long
script tree/test/long/l.sh 'echo long >>ran'
script tree/test/mpi/l1.sh '# runs: every-mpi-long' 'echo "every-mpi-long $MPI $LENGTH" >>ran'
script tree/test/mpi/l2.sh '# runs: every-mpi long' 'echo "every-mpi long $MPI $LENGTH" >>ran'
script tree/test/mpi/l3.sh '# runs: long' 'echo "long $MPI $LENGTH" >>ran'
script tree/test/mpi/l4.sh '# runs: only-long' 'echo "only-long $MPI" >>ran'
runs_with() { # ARGUMENT...: what runs of the tests above, in alphabetical order
	rm -f ran
	MPI=mpich OTHER_MPIS=${other-openmpi=mpicc.openmpi=mpiexec.openmpi} run_tests 100 "$@" && sort ran
}
check "tests of the other MPIs may be left to --long" test "$(runs_with test/mpi/l | xargs)" = \
	"every-mpi long mpich short every-mpi long openmpi short every-mpi-long mpich short long mpich short"
check "... which runs them, and tests with the word 'long' once more, longer" test "$(runs_with --long /l | xargs)" = \
	"every-mpi long mpich long every-mpi long openmpi long every-mpi-long openmpi long long long mpich long only-long mpich only-long openmpi"
check "... all with the only MPI, if there is no other" test "$(other= runs_with --long /l | xargs)" = \
	"every-mpi long mpich long every-mpi-long mpich long long long mpich long only-long mpich"
rm tree/test/mpi/l?.sh tree/test/long/l.sh
script tree/test/cli/s1.sh 'echo "$BUILD" >>ran'
script tree/test/cli/s2.sh '# runs: plain' 'echo "plain $BUILD" >>ran'
check "tests of commands run plain" test "$(runs_with test/cli/s | xargs)" = "$PWD/build plain $PWD/build"
check "... and with --long with the sanitizers, but those with the word 'plain'" \
	test "$(runs_with --long test/cli/s | xargs)" = "$PWD/build/developer"
script tree/test/cli/s3.sh '# runs: slow' 'echo slow >>ran'
printf '/* runs: slow */\n' >tree/test/unit/room/test_slow.c
check "slow tests are left out with --quick, and those with MPI" eval \
	'test "$(runs_with --quick test/cli/s test/unit/room/test_slow test/mpi/e | xargs)" = "$PWD/build plain $PWD/build" &&
		grep -q "^2 passed, 0 failed" run.out'
rm tree/test/cli/s?.sh tree/test/unit/room/test_slow.c
script tree/test/mpi/j.sh '# runs: alnoe'
check "an unknown word is an error" eval \
	'! run_tests 100 test/mpi/j.sh && grep -q "unknown word after .# runs:.: alnoe" run.out'
rm tree/test/mpi/j.sh
script tree/test/mpi/p1.sh '# runs: apart' 'echo "apart ${MPIR_CVAR_NOLOCAL-none}" >>ran'
script tree/test/mpi/p2.sh 'echo "plain ${MPIR_CVAR_NOLOCAL-none}" >>ran'
check "ranks of a test with the word 'apart' are on nodes of their own" eval \
	'unset MPIR_CVAR_NOLOCAL; test "$(runs_with test/mpi/p | xargs)" = "apart 1 plain none"'
script tree/test/cli/k.sh && chmod -x tree/test/cli/k.sh
check "a test that is not executable is an error" eval \
	'! run_tests 100 test/cli/b.sh && grep -q "k.sh: not executable" run.out'
rm tree/test/cli/k.sh

for name in busy-{01..12}; do script tree/test/cli/$name.sh; done
script tree/test/cli/busy-05.sh 'for i in {1..100000}; do :; done'
run_tests 100 test/cli/busy
check "the tests that took most of the processors are listed at the end, longest first" eval \
	'sed -n "/^processors .* of which/,\$p" run.out | sed -n 2p | grep -q " s in .* s  test/cli/busy-05.sh$"'
check "... only some of them" test "$(sed -n '/^processors/,$p' run.out | grep -c ' s in ')" = 10
script tree/test/cli/busy-13.sh 'echo ok 2 - quick' 'sleep 3' 'echo ok 3 - late'
run_tests 100 --times test/cli/busy-13
check "the checks that took longest are listed with --times, longest first" eval \
	'sed -n "/^ok .*busy-13/,\$p" run.out | sed -n 2p | grep -q "^ *[0-9.]* s in  *[0-9.]* s  ok 3 - late$"'
check "... all of a short test" test "$(grep -c "^ .* s in .* s  ok " run.out)" = 3
rm tree/test/cli/busy-*

script tree/test/mpi/f.sh 'mkdir "$TMPDIR"/left; echo "$TMPDIR" >place; stat -c %a "$TMPDIR" >access'
run_tests 100 test/mpi/f.sh
check "files that a test leaves in its folder for temporary files are removed" test ! -e "$(cat place)"
check "... which other users may enter" grep -qx 755 access

script tree/test/mpi/g.sh 'echo $$ >pid; exec sleep 600'
check "a run that is interrupted is a failure" exits 124 run_tests 2 test/mpi/g.sh
ended() {
	for _ in {1..100}; do
		kill -0 "$(cat pid)" || return 0
		sleep 0.1
	done
	return 1
}
check "... and ends its tests" ended

rm tree/test/mpi/*.sh tree/test/unit/room/*.c
runs brief "1..1
ok 1 - brief" 0 >last
runs random "1..1
ok 1 - random" 0 >last
printf '/* runs: only-long */\n' >tree/test/unit/room/test_random.c
run_tests 100
check "a test of a library may be left to --long" eval 'grep -q test_brief run.out && ! grep test_random run.out'
check "... which runs it with the sanitizers and without them" eval \
	'run_tests 100 --long; grep -q "^ok .*test_random (sanitizers):" run.out && grep -q "^ok .*test_random:" run.out && ! grep -q "^ok .*test_brief:" run.out'
check "... and so does a part of its name, but not with --quick" eval \
	'run_tests 100 test_random && grep -q "^ok .*test_random" run.out && { run_tests 100 --quick test_random; ! grep test_random run.out; }'
