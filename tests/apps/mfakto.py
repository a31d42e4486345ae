#!/usr/bin/python3
"""Protects: mfakto, which looks for factors of Mersenne numbers: its self-test finds known factors with the kernels that it
would use for numbers of that size, sieves on the device, integers of 32 bits in groups of three to six.  MFAKTO names the
folder of its build, MFAKTO_TESTS how many of its 34,071 cases are run (8 on the software device, 100 on others).  After
APP_LIMIT seconds none is begun.  After the last one, mfakto says how many it had a kernel for; the others are no tests."""
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import platforms

source = os.environ.get("MFAKTO", "")
if not os.access(os.path.join(source, "mfakto"), os.X_OK):
    print("skipped: MFAKTO names no build of mfakto")
    sys.exit(77)
name, number = platforms.wanted()
device = platforms.first_device(number)
ALL = 34071
most = min(int(os.environ.get("MFAKTO_TESTS", "8" if "softcuda" in device else "100")), ALL)
over = time.monotonic() + float(os.environ.get("APP_LIMIT", "inf"))
folder = tempfile.mkdtemp()
# ASKED: the tests that came to their end, or were to.
begun, asked, right, version, used, last = 0, most, 0, "unknown", "", ""
try:
    # It reads its kernels and its settings where it is started.
    for file in os.listdir(source):
        if file == "mfakto" or file.endswith((".cl", ".h", ".ini")):
            shutil.copy(os.path.join(source, file), folder)
    with open(os.path.join(folder, "mfakto.ini")) as file:
        settings = file.read()
    with open(os.path.join(folder, "mfakto.ini"), "w") as file:
        # Of an unknown GPU it thinks that it is AMD's, whose compiler has options of its own.
        file.write(re.sub(r"^GPUType=.*", "GPUType=NVIDIA", settings, flags=re.M))
    # Platforms and their devices count from 1.
    with subprocess.Popen(["./mfakto", "-d", "%d1" % (number + 1), "-st"], cwd=folder, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        for line in process.stdout:
            line = line.decode(errors="replace")
            last = line.strip() or last
            version = line.split()[1] if line.startswith("mfakto ") else version
            used = line.split("name", 1)[1].strip() if re.match(r"  name +\S", line) else used
            begins = line.startswith("######### test case ")
            if begins and (begun == most or time.monotonic() > over):
                asked = begun
                process.send_signal(signal.SIGKILL)
                break
            begun += begins
            right += bool(re.match(r"self-test for \S+ passed", line))
            counted = re.match(r"  number of tests +(\d+)", line)
            asked = int(counted[1]) if counted else asked
            if re.match("ERROR|  (expected|reported) result", line):
                print("  WRONG: " + line.strip())
finally:
    shutil.rmtree(folder, ignore_errors=True)
if begun < asked or not used.startswith(device):
    print("  WRONG: %d tests on %s, and then: %s" % (begun, used or "no device", last))
    right = min(right, asked - 1)
print("mfakto %s on %s: %d of %d tests right" % (version, device, right, asked))
sys.exit(right != asked or not asked)
