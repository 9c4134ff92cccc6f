#!/bin/bash
# test/run itself: what it makes of the reports of tests.
. "$SOURCE/test/cli/tap.sh"

mkdir -p tree/test/unit tree/test/cli tree/test/mpi build/test/unit build/developer/test/unit
cp "$SOURCE/test/run" tree/test/run

# runs NAME 'LINES OF OUTPUT' STATUS: make a unit test that behaves so, and the
# last line that test/run prints for it (once plain, once with sanitizers).
runs() {
	touch "tree/test/unit/test_$1.c"
	for folder in build build/developer; do
		printf '#!/bin/sh\ncat <<END\n%s\nEND\nexit %s\n' "$2" "$3" >"$folder/test/unit/test_$1"
		chmod +x "$folder/test/unit/test_$1"
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

gives "passed tests are counted" 0 "4 passed, 0 failed, 0 skipped" pass "1..2
ok 1 - first
ok 2 - second" 0
gives "a failed test is counted and fails the run" 1 "2 passed, 2 failed, 0 skipped" fail "1..2
ok 1 - first
not ok 2 - second
# 0x1 != 0x2" 1
gives "a skipped test is neither passed nor failed, also as cmocka writes it" 0 \
	"2 passed, 0 failed, 4 skipped" skip "1..3
ok 1 - first
not ok 2 # SKIP second
ok 3 - third # SKIP no data" 0
gives "a test that ends with an error after its last report has failed" 1 \
	"2 passed, 2 failed, 0 skipped" crash "ok 1 - first" 134
gives "a test that reports less than it planned has failed" 1 \
	"2 passed, 2 failed, 0 skipped" stop "1..2
ok 1 - first" 0
gives "a test that reports nothing has failed" 1 "0 passed, 2 failed, 0 skipped" silent "" 0

rm build/test/unit/test_pass
BUILD=$PWD/build /usr/bin/python3 tree/test/run test_pass >run.out 2>&1
check "a test that has not been built has failed" grep -q '^2 passed, 1 failed' run.out
BUILD=$PWD/build /usr/bin/python3 tree/test/run nothing >run.out 2>&1
check "a run without tests is a failure" test $? -eq 1
