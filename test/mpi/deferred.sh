# Helper of tests that make graphs of random programs: program.bin is the graph of trace.

# Messages that move only in MPI calls take no less time, and T async is T without --progress.
defers() {
	for progress in calls calls:both; do
		exits 0 schedgen trace -o calls.bin --progress $progress -S 8 && exits 0 goal check calls.bin &&
			llamp analyze program.bin -S 8 --format json >async.json && llamp analyze calls.bin -S 8 --format json >calls.json &&
			/usr/bin/python3 - <<-END || return 1
				import json
				T, calls = (json.load(open(f)) for f in ("async.json", "calls.json"))
				assert T["runtime_ns"] == calls.get("runtime_async_ns", calls["runtime_ns"]) <= calls["runtime_ns"]
			END
	done
}
