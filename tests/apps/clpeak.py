#!/usr/bin/python3
"""Protects: clpeak, unchanged from the distribution or as CLPEAK names it: every kernel of it
builds and runs, and every measurement is a number.  The software device takes hours to run them: with
CULVERT_SOFT_NULL=1 it builds and launches all, and only the transfers do what they say."""
import os
import re
import shutil
import subprocess
import sys

program = os.environ.get("CLPEAK") or shutil.which("clpeak")
if not program:
    print("skipped: clpeak is not installed")
    sys.exit(77)
soft = os.environ.get("CULVERT_CUDA") == "soft"
if soft and os.environ.get("CULVERT_SOFT_NULL") != "1":
    print("skipped: the software device takes hours for clpeak, but with CULVERT_SOFT_NULL=1")
    sys.exit(77)
version = subprocess.run([program, "--version"], stdout=subprocess.PIPE).stdout.decode().split()[-1]
ran = subprocess.run([program, "-p", "0", "-d", "0"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
said = ran.stdout.decode(errors="replace")
print(said)
device = re.search(r"^ +Device: (.*)", said, re.M)
# A group's lines are deeper than its heading; a number stands behind each colon.
rows = re.findall(r"^ {6,}(\S.*?) +: (.*)$", said, re.M)
right = [name for name, value in rows if re.match(r"[0-9.]+( us)?$", value) and float(value.split()[0]) > 0]
groups = ["Global memory bandwidth", "Single-precision compute", "Integer compute", "Transfer bandwidth",
          "Kernel launch latency"]
missing = [group for group in groups if group not in said]
for group in missing:
    print("nothing under", group)
# A call that failed, for which clpeak leaves the rest of its group out.
failed = re.findall(r"^ *(cl\w+ \(-\d+\))", said, re.M)
for call in failed:
    print("failed:", call)
print("clpeak %s on %s: %d of %d measurements%s right" %
      (version, device.group(1) if device else "no device", len(right), len(rows) + len(missing) + len(failed),
       ", the kernels launched and not executed," if soft else ""))
sys.exit(bool(ran.returncode or missing or failed or not rows or len(right) != len(rows)))
