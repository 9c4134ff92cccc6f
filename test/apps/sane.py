"""Check results of `llamp analyze --format json`: sane.py FILE...

A program that communicates tolerates some more latency, but not any.  All engines agree.
"""
import json
import math
import sys

results = [json.load(open(path)) for path in sys.argv[1:]]
for result in results:
    tolerance = [entry["L_ns"] for entry in result["tolerance"]]
    assert result["runtime_ns"] > 0, result
    assert 0 < result["rho_L"] < 1, result
    assert None not in tolerance, result
    assert result["parameters"]["L"] < tolerance[0] < tolerance[1] < tolerance[2], result
    for key in "runtime_ns", "rho_L":
        assert math.isclose(result[key], results[0][key], rel_tol=1e-6), (key, result, results[0])
    assert result["lambda_L"] == results[0]["lambda_L"], (result, results[0])
    for mine, other in zip(result["tolerance"], results[0]["tolerance"]):
        assert math.isclose(mine["L_ns"], other["L_ns"], rel_tol=1e-6), (result, results[0])
