#!/bin/bash
# Run the tests of figures and of the published tables with more jobs than `make test` has time for.
. "$SOURCE/test/cli/tap.sh"

long() { LENGTH=long "$SOURCE/test/cli/$1.py" >said 2>&1 || { grep -A 4 "^not ok" said || tail -n 40 said; return 1; }; }
check "tables I and II have the printed numbers of jobs, of all their records" long usage_accounting
check "the figures of 5,000 jobs are what the logs say" long usage_report
