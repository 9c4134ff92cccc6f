#!/bin/sh
# Test llamp-usage show and from-trace: the logs of jobs.
. "$SOURCE/test/cli/tap.sh"

sums=$SOURCE/test/cli/usage_log/sums.py
"$SOURCE/test/cli/critpath/archive.py" late <"$SOURCE/test/cli/critpath/late.calls" || exit 1

check "help lists the commands" eval 'exits 0 llamp-usage --help && grep -q "^  show " out && grep -q "^  from-trace " out'
check "from-trace writes a log and prints nothing" eval 'exits 0 llamp-usage from-trace late -o late.usage && ! [ -s out ] && [ -s late.usage ]'
golden show "show prints functions, sizes and ranks" llamp-usage show late.usage
golden show-all "... sums of all ranks" llamp-usage show late.usage --rank all
golden show.json "... as JSON" llamp-usage show late.usage --format json
golden show.csv "... as a table" llamp-usage show late.usage --format csv
golden autoperf "... as the text of Autoperf" llamp-usage show late.usage --format autoperf
golden_folder=$SOURCE/doc golden usage-show.schema.json "the schema of llamp-usage show is the one in doc/" \
	llamp-usage show late.usage --format schema
roles() { # ROLE RANK
	llamp-usage show late.usage --rank "$1" >shown && grep -q "^calls of rank $2 ($1)" shown
}
check "--rank chooses a rank by its role: the ranks spend 11, 2.1 and 15.2 us in MPI" eval 'roles first 0 && roles most 2 && roles least 1 && roles average 0'

# ---------------------------------------------------------------------- formats

check "a log as plain JSON is shown like the compressed one" eval 'llamp-usage from-trace late -o late.json &&
	head -c 1 late.json | grep -q "{" && llamp-usage show late.json | diff "$golden_folder/show" -'
check "the uncompressed log is what zstd unpacks" eval 'zstd -dqc late.usage | cmp - late.json'
check "the schema of logs in doc/ accepts it, and no other log" /usr/bin/python3 - "$SOURCE/doc/usage-log.schema.json" late.json <<'END'
import json, jsonschema, sys
schema, log = (json.load(open(path)) for path in sys.argv[1:])
validator = jsonschema.validators.validator_for(schema)(schema)
assert validator.is_valid(log), next(validator.iter_errors(log))
for change in ({"ranks": -1}, {"schema": "llamp-usage-log-2"}, {"end": "x"}, {"mean_ns": None}, {"cells": []}):
    assert not validator.is_valid({**log, **change}), change
for key in log:
    assert not validator.is_valid({k: v for k, v in log.items() if k != key}), key
END
check "an event flow file gives the log of its archive, but for its name and the times" eval 'eventflow build late -o late.efg && llamp-usage from-trace late.efg -o e.json &&
	llamp-usage show e.json --rank all --format csv | cut -d , -f 2-4,7- >e.csv && llamp-usage show late.json --rank all --format csv | cut -d , -f 2-4,7- | diff - e.csv'

# ------------------------------------------------------------------------- sums

same_sums() { # ARCHIVE
	llamp-usage from-trace "$1" --all-ranks -o all.json && "$sums" "$1/traces.otf2" all.json
}
check "calls, bytes and times are those of the archive's records" same_sums late
# 5 tests in a run, of which 4 are one record: 2000 ns from the first to the last, 700 ns of it between them.
"$SOURCE/test/cli/critpath/archive.py" polls <<'END'
0 10000 11000 MPI_Init
0 12000 12100 MPI_Irecv post:1
0 13000 15000 MPI_Test test:1 polls:4:700:100
0 16000 16500 MPI_Test irecv:1:5:1
0 20000 21000 MPI_Finalize
1 10000 11000 MPI_Init
1 12000 12100 MPI_Send send:0:5
1 20000 21000 MPI_Finalize
END
check "a run of polls is as many calls without the gaps, and their own times are not in bins" eval 'same_sums polls &&
	llamp-usage show all.json --rank all --format csv | grep -q "MPI_Test,completion,5,1800," &&
	llamp-usage show all.json --format json | tr -d " " | grep -q "\"MPI_Test\".*\"calls\":5,.*\"ns\":1800,\"mean_ns\":360,\"least_ns\":500,\"most_ns\":500,.*\"below_2us\":1,\"below_8us\":0,"'
check "MPI_Irecv has the bytes that came" eval 'llamp-usage show all.json --rank first --format csv | grep -q "MPI_Irecv,p2p,1,100,[^,]*,8,8,8"'
foreign=${DATA:-$SOURCE/../shared/data}/otf2/scorep-ping-pong
if [ -d "$foreign" ]; then
	check "an archive of Score-P has the sums of its records" same_sums "$foreign"
else
	skip "an archive of Score-P has the sums of its records" "there is none"
fi

# -------------------------------------------------------------------- exposure

# Ten reductions on P ranks, one after the other: the model's lambda_L of the trace is the exposure of the log.
reductions() { # RANKS
	for rank in $(seq 0 $(($1 - 1))); do
		echo "$rank 1000 1100 MPI_Init"
		for step in $(seq 10); do
			echo "$rank $((step * 10000)) $((step * 10000 + 1000)) MPI_Allreduce coll:ALLREDUCE"
		done
		echo "$rank 200000 200100 MPI_Finalize"
	done | "$SOURCE/test/cli/critpath/archive.py" "reductions-$1"
}
lambda_is_exposure() { # RANKS EXPOSURE
	reductions "$1" && llamp-usage from-trace "reductions-$1" -o r.usage &&
		llamp-usage show r.usage --format json | grep -q "\"exposure\": $2,\$" &&
		schedgen "reductions-$1" --coll allreduce=recursive-doubling -o r.goal 2>/dev/null &&
		llamp analyze r.goal -L 1us --overhead 0 -G 0 --format json | tr -d " \n" | grep -q "\"lambda_L\":{\"left\":$2,\"right\":$2}"
}
check "ten reductions on 2, 4, 6 and 8 ranks: the exposure is lambda_L of the trace" eval '
	lambda_is_exposure 2 10 && lambda_is_exposure 4 20 && lambda_is_exposure 6 30 && lambda_is_exposure 8 30'

# ----------------------------------------------------------------------- errors

head -c 100 late.usage >cut.usage
check "a cut log is refused" complains 1 "cut.usage: damaged" llamp-usage show cut.usage
(cat late.usage && echo x) >long.usage
check "... and one with more behind it" complains 1 "bytes behind the log" llamp-usage show long.usage
sed 's/llamp-usage-log-1/llamp-usage-log-7/' late.json >new.json
check "... one of a newer version" complains 1 "'llamp-usage-log-7' is of another version" llamp-usage show new.json
check "... and another file" complains 1 "no log of a job" llamp-usage show "$SOURCE/README.md"
check "no log is left of a trace that is damaged" eval 'mkdir broken && echo x >broken/traces.otf2 && exits 1 llamp-usage from-trace broken -o b.usage && ! [ -e b.usage ]'
check "--rank has no effect on autoperf, and is refused" complains 2 "all ranks of the log" llamp-usage show late.usage --rank most --format autoperf
