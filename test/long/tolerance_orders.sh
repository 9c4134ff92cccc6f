#!/bin/bash
# Test that T at tolerances, simulated by another program, is the bound or jumps above it on 2,000 random graphs.
. "$SOURCE/test/cli/tap.sh"

true_tolerances() { PROGRAMS=2000 "$BUILD/test/unit/llamp/test_tolerance_orders" >said 2>&1 || { cat said; return 1; }; }
check "T at a tolerance is the bound or jumps above it on 2,000 random graphs" true_tolerances
