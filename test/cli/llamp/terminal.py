#!/usr/bin/python3
"""Run llamp with stderr as a terminal on a program that comes after some seconds; print both outputs.

terminal.py FILE SECONDS
"""
import os
import pty
import subprocess
import sys
import time

master, slave = pty.openpty()
with subprocess.Popen(["llamp", "analyze", "-", "--format", "csv"], stdin=subprocess.PIPE,
                      stdout=subprocess.PIPE, stderr=slave) as process:
    os.close(slave)
    time.sleep(float(sys.argv[2]))
    with open(sys.argv[1], "rb") as file:
        output = process.communicate(file.read())[0]
shown = b""
try:
    while data := os.read(master, 4096):
        shown += data
except OSError:	# the other end is closed
    pass
print(process.returncode, repr(shown.decode()), output.decode().count("\n"))
