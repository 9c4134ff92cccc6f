#!/bin/bash
# Test that walk, searches and groups agree on 5,000 random programs.
. "$SOURCE/test/cli/tap.sh"

agree() { PROGRAMS=5000 "$BUILD/test/unit/critpath/test_walk_random" >said 2>&1 || { cat said; return 1; }; }
check "walk, searches, splits and groups agree on 5,000 random programs" agree
