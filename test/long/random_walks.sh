#!/bin/bash
# Test on 10,000 random programs that walk, searches and groups agree, and that causes are those of the definition.
. "$SOURCE/test/cli/tap.sh"

agree() { PROGRAMS=10000 "$BUILD/test/unit/critpath/test_walk_random" >said 2>&1 || { cat said; return 1; }; }
check "walk, searches, splits and groups agree on 10,000 random programs" agree
causes() { PROGRAMS=10000 "$BUILD/test/unit/critpath/test_causes_random" >said 2>&1 || { tail -n 40 said; return 1; }; }
check "causes of waits are those of the definition, and change as they say, in 10,000 random programs" causes
