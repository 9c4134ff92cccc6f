#!/bin/bash
# runs: every-mpi-long apart
# Test examples/validate.py with a substitute for llamp-inject that adds no latency.
. "$SOURCE/test/cli/tap.sh"

mkdir substitute refuses silent
cat >substitute/llamp-inject <<'END'
#!/bin/sh
[ "$1" = --latency ] || exit 2
[ "${PMI_RANK:-$OMPI_COMM_WORLD_RANK}" != 0 ] || {
	echo "$2 ${3##*/}" >>"$LOG"
	echo "llamp-inject: latency; one way, measured: 8 bytes 1.5 us" >&2
}
shift 2
exec "$@"
END
cat >refuses/llamp-inject <<'END'
#!/bin/sh
echo "llamp-inject: this MPI sends without UCX" >&2
exit 3
END
cat >silent/llamp-inject <<'END'
#!/bin/sh
shift 2
exec "$@"
END
chmod +x */llamp-inject
printf 'L: 9.9us\no: 200ns\nG: 0.1ns\n' >params.yaml
export LOG=$PWD/log

# validates FOLDER ARGUMENT...: run validate.py with the llamp-inject of a folder.
validates() {
	folder=$1
	shift
	PATH=$PWD/$folder:$PATH "$SOURCE/examples/validate.py" --params params.yaml "$@"
}

stencil=$BUILD/examples/stencil2d
check "a program is traced, predicted, run and compared" exits 0 validates substitute -n 2 \
	--latencies 10us,2us --repeats 1 -o result "$stencil" --size 20 --iterations 20 --sleep 1000
check "three runs at the lowest latency are traced, then all latencies are run" \
	test "$(tr '\n' ' ' <log)" = "2000ns stencil2d 2000ns stencil2d 2000ns stencil2d 2000ns stencil2d 10000ns stencil2d "
check "the table has the spread of the traces" grep -qE '^trace       T .*, the least of 3; spread [0-9.]+%$' out
check "the table has a row for each latency, and both errors" \
	test "$(grep -c '^ *[0-9.]* us .* ms .*%$' out)$(grep -c '^RMSE .*RRMSE .*%$' out)" = 21
check "the folder has the trace, the graph, the table and the picture" \
	test "$(cd result && echo *)" = "picture.svg program.bin program.bin.calls table.csv trace"

cat >compare.py <<'END'
import csv, json, subprocess, sys, xml.dom.minidom
xml.dom.minidom.parse("result/picture.svg")
rows = list(csv.DictReader(open("result/table.csv")))
assert [row["L_ns"] for row in rows] == ["2000.0", "10000.0"], rows
for row in rows:
    llamp = json.loads(subprocess.check_output(["llamp", "analyze", "result/program.bin", "--params", "params.yaml",
                                                "-L", row["L_ns"], "--format", "json"]))
    assert abs(llamp["runtime_ns"] - float(row["predicted_ns"])) < 0.01, (llamp, row)
    assert llamp["lambda_L"]["right"] == float(row["lambda_L"])
    # It sleeps 20 times for 1 ms, and the measured time is not that of the whole process.
    assert float(row["measured_ns"]) > 20e6 and float(row["predicted_ns"]) > 20e6, row
    error = float(row["predicted_ns"]) / float(row["measured_ns"]) - 1
    assert abs(float(row["error"]) - error) < 1e-9
END
check "predictions are those of llamp analyze at these latencies, times those of the program" \
	exits 0 /usr/bin/python3 compare.py

cat >formulas.py <<'END'
import os, sys
sys.dont_write_bytecode = True
sys.path.insert(0, os.environ["SOURCE"] + "/examples")
import validate
assert validate.rmse([(100, 110), (300, 290)]) == (10, 0.05)
assert [validate.nanoseconds(text) for text in ("3", "1.5us", "2ms", "1e-3s")] == [3, 1500, 2e6, 1e6]
assert validate.ticks(950) == [i * 100 for i in range(10)] and validate.ticks(2000) == [i * 200 for i in range(11)]
result = validate.Result()
result.measured = {10: [5, 100, 110], 20: [320, 290, 300]}
result.one_way = {10: [11, 12, 17], 20: [22, 21, 23]}
answer = {"parameters": {"L": 10, "o": 2, "G": 1}, "lambda_L": {"left": 1, "right": 2}, "lambda_o": 3, "lambda_G": 4}
result.predicted = {"": {20: dict(answer, runtime_ns=290), 10: dict(answer, runtime_ns=110)}}
first, second = result.rows("")
assert (first["one_way_ns"], second["one_way_ns"]) == (12, 22), first
assert (first["measured_ns"], first["lowest_ns"], first["highest_ns"], first["slope"]) == (100, 5, 110, None), first
assert (second["measured_ns"], second["slope"]) == (300, 20), second
assert [round(first[share] * 110) for share in ("latency_share", "overhead_share", "bandwidth_share")] == [20, 6, 4]
assert result.rmse("") == (10, 0.05)
result.traces_ns = [100, 110, 125]
assert result.trace_spread() == 0.25

# The run with the least T is converted.
class Runs(validate.Experiment):
    times = iter([(50, 0), (30, 0), (40, 0)])

    def trace(self, latency_ns, name):
        time = next(self.times)
        os.mkdir(name)
        open(name + "/T", "w").write(str(time[0]))
        return time + (name, 0)


validate.output_of = lambda command: ""
assert Runs([], ".", preset="mpich").make_graph(0) == [30, 40, 50]
assert open("trace/T").read() == "30" and not os.path.exists("trace-0") and not os.path.exists("trace-2")
END
check "RMSE, medians, slopes, shares and the choice of the trace are as defined" exits 0 /usr/bin/python3 formulas.py

refused() {
	exits 1 validates refuses --latencies 2us --repeats 1 -o refused "$stencil" &&
		grep -q "sends without UCX" err
}
check "the message of llamp-inject is passed on when it refuses" refused
silent() {
	exits 1 validates silent --latencies 2us --repeats 1 -o silent.d "$stencil" &&
		grep -q "does not report delayed messages" err
}
check "a run in which llamp-inject prints nothing is an error" silent
missing() {
	PATH=$PWD exits 3 /usr/bin/python3 "$SOURCE/examples/validate.py" -o missing "$stencil" &&
		grep -q "llamp-inject: not found" err
}
check "a missing llamp-inject is named" missing

# Each round takes a latency, because rounds follow each other.  The first may begin before the last rank does.
cat >at_least.py <<'END'
import csv
for row in csv.DictReader(open("delayed/table.csv")):
    for time in float(row["lowest_ns"]), float(row["predicted_ns"]):
        assert time > 9 * float(row["L_ns"]), row
    assert float(row["one_way_ns"]) >= float(row["L_ns"]) and int(row["lambda_L"]) >= 10, row
END
delays() {
	exits 0 "$SOURCE/examples/validate.py" --params params.yaml -n 2 --latencies 500us,2ms --repeats 1 -o delayed \
		"$BUILD/examples/bursts" --rounds 10 --messages 2 --bytes 8 && exits 0 /usr/bin/python3 at_least.py
}
sentence="messages that llamp-inject has delayed take at least that long, as predicted"
if ! command -v llamp-inject >/dev/null; then
	skip "$sentence" "llamp-inject is not built: no UCX headers"
elif exits 3 "$MPIEXEC" -n 2 llamp-inject --latency 1us "$BUILD/examples/ring" >/dev/null; then
	skip "$sentence" "$(head -n 1 err)"
else
	check "$sentence" delays
fi

# Test make validation with given parameters and without delays.
cat >substitute/llamp-measure <<'END'
#!/bin/sh
[ "${PMI_RANK:-$OMPI_COMM_WORLD_RANK}" != 0 ] || cp params.yaml "$3"
END
chmod +x substitute/llamp-measure
mkdir build && ln -s "$BUILD/examples" "$BUILD/test" build
tables() {
	PATH=$PWD/substitute:$PATH BUILD=$PWD/build OTHER_MPIS= LATENCIES=1us,2us REPEATS=1 \
		exits 0 "$SOURCE/bench/validation" stencil-sleep && [ "$(grep -c '^| .stencil-sleep.*%' out)" = 3 ]
}
check "make validation prints the errors and the times of its programs" tables
busy() {
	sed -i 's/^L.*/L: 4ms/' params.yaml
	PATH=$PWD/substitute:$PATH exits 1 "$SOURCE/examples/validate.py" --latencies 2us --repeats 1 -o busy \
		"$stencil" --iterations 1 && grep -q "L is 4 ms where 10 us is injected" err
}
check "parameters that are not those of the injected latency are refused" busy
check "a folder of earlier results is kept" exits 1 validates substitute -o result "$stencil"
check "a command line with a wrong latency is refused" exits 2 validates substitute --latencies 1parsec "$stencil"
check "a command line without a program is refused" exits 2 validates substitute -n 2
