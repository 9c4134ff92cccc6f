#!/bin/bash
# Run unit tests that make programs at random with more of them than `make check` has time for.
. "$SOURCE/test/cli/tap.sh"

many() { PROGRAMS=$2 "$BUILD/test/unit/$1" >said 2>&1 || { tail -n 40 said; return 1; }; }
check "both engines and the enumeration agree on 2,500 random graphs" many llamp/test_engines 2500
check "both engines agree with the simulation of 2,000 random graphs with limited resources" many llamp/test_resources_random 2000
check "an operation that is late by its slack changes no T, and more does, on 1,500 random graphs" many llamp/test_slack 1500
check "the groups of any number of processes are those of one in 20,000 random runs" many critpath/test_group_parts 20000
check "80,000 damaged logs of jobs are refused, or read, without harm" many usage/test_job_log 40000
check "so are 40,000 damaged node files" many usage/test_node_file 40000
check "on 500 random graphs, changes that are chosen one after the other gain 95 % of what the best subset does on average" many llamp/test_advice_steps 500
