#!/bin/bash
# Test the causes of waits in 10,200 random programs: a third are compared with a brute force, to the last digit, others are changed.
. "$SOURCE/test/cli/tap.sh"

causes() { PROGRAMS=1700 "$BUILD/test/unit/critpath/test_causes_random" >said 2>&1 || { tail -n 40 said; return 1; }; }
check "causes of waits are those of the definition, and change with the program as they say" causes
