#!/usr/bin/python3
"""Run llamp with stderr as a terminal on a program that comes at once or when something is shown; print
both outputs.  How long the work then takes depends on the machine: of several lines the first is printed.

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
