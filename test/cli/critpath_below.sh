#!/bin/bash
# Test critpath below, of traces without anything below MPI; test/mpi/below_mpi.sh has others.
. "$SOURCE/test/cli/tap.sh"
shared=$SOURCE/test/cli/critpath

"$shared/archive.py" late <"$shared/late.calls" || exit 1
golden_folder=$SOURCE/doc golden critpath-below.schema.json "the schema is the one in doc/" critpath below late --format schema
check "a trace with nothing below MPI is refused, and the option is named" \
	complains 1 "late: nothing below MPI is recorded; llamp-trace --below-mpi does" critpath below late
same_page() { critpath view late -o late.html 2>err && ! grep -q 'id="below"\|readBelow' late.html; }
check "the page of such a run has nothing of it" same_page
