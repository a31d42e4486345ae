#!/usr/bin/python3
"""Protects: BabelStream's OpenCL build, unchanged: it looks at its arrays and its sum itself, and each
bandwidth that it prints is a number.
	BABELSTREAM    the program; without it ocl-stream is looked for in PATH
A GPU gets the program's own size, the software device a small one."""
import os
import re
import shutil
import subprocess
import sys

program = os.environ.get("BABELSTREAM") or shutil.which("ocl-stream")
if not program:
    print("skipped: BABELSTREAM names no build of BabelStream")
    sys.exit(77)
FUNCTIONS = ["Copy", "Mul", "Add", "Triad", "Dot"]
size = ["-s", "65536", "-n", "5"] if os.environ.get("CULVERT_CUDA") == "soft" else []
right = 0
version = device = "unknown"
for precision, options in (("double", []), ("float", ["--float"])):
    ran = subprocess.run([program, "--device", "0"] + size + options, stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    said = ran.stdout.decode(errors="replace")
    version = (re.search(r"^Version: (\S+)", said, re.M) or [0, version])[1]
    device = (re.search(r"^Using OpenCL device (.+)", said, re.M) or [0, device])[1]
    measured = dict(re.findall(r"^(\w+) +([0-9.]+) +[0-9.]+ +[0-9.]+ +[0-9.]+ *$", said, re.M))
    # It ends with a failure, or says so, where the arrays are not what they must be.
    good = ran.returncode == 0 and "FAILED" not in said and "Precision: " + precision in said
    for function in FUNCTIONS:
        fine = good and float(measured.get(function, 0)) > 0
        right += fine
        print("  %-7s %-6s %s MB/s%s" % (precision, function, measured.get(function, "-"), "" if fine else ": WRONG"))
    if not good:
        print(said)
print("BabelStream %s on %s: %d of %d functions right" % (version, device, right, 2 * len(FUNCTIONS)))
sys.exit(right != 2 * len(FUNCTIONS))
