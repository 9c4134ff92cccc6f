#!/usr/bin/python3
"""Run llamp with a terminal as stderr and a pipe as input, and print both outputs.  The graph comes at once, or
after llamp has printed something.  Only the first of several lines of progress is printed, because their number
depends on the machine.

terminal.py FILE at-once|when-shown
"""
import os
import pty
import re
import select
import subprocess
import sys

master, slave = pty.openpty()
with subprocess.Popen(["llamp", "analyze", "-", "--format", "csv"], stdin=subprocess.PIPE,
                      stdout=subprocess.PIPE, stderr=slave) as process:
    os.close(slave)
    if sys.argv[2] == "when-shown":
        select.select([master], [], [], 60)
    with open(sys.argv[1], "rb") as file:
        output = process.communicate(file.read())[0]
shown = b""
try:
    while data := os.read(master, 4096):
        shown += data
except OSError:	# the other end is closed
    pass
shown = re.sub(rb"(?<=[0-9] s)(\rllamp: [^\r]*)+", b"", shown)
print(process.returncode, repr(shown.decode()), output.decode().count("\n") > 2)
