#!/usr/bin/python3
"""The lines of files of llamp-measure overlap follow doc/overlap.schema.json: lines.py FILE..."""
import json
import os
import sys

import jsonschema

with open(os.environ["SOURCE"] + "/doc/overlap.schema.json", encoding="utf-8") as file:
    SCHEMA = json.load(file)
VALIDATOR = jsonschema.validators.validator_for(SCHEMA)(SCHEMA)

for wrong in ({}, {"bench": "sender"}, {"begin": True}, {"end": 1}):
    assert not VALIDATOR.is_valid(wrong), wrong
for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as file:
        for line in file:
            VALIDATOR.validate(json.loads(line))
