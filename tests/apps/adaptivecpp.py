#!/usr/bin/python3
"""Protects: AdaptiveCpp, a compiler and runtime for SYCL whose OpenCL backend hands modules of SPIR-V to the platform
as the program runs, and moves data in unified shared memory: its own tests (tests/sycl), which compare what kernels
compute with the processor.  ADAPTIVECPP names the folder where it is installed, ADAPTIVECPP_TESTS the program of its
tests, built with --acpp-targets=generic."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

import platforms

# LLVM makes an integer of 48 bits of three shorts, which the translator to SPIR-V refuses: nothing reaches a platform.
KNOWN = {"marray_tests/marray_ops<short>"}
SPIRV_MAGIC = b"\x03\x02\x23\x07"

installed, tests = os.environ.get("ADAPTIVECPP", ""), os.environ.get("ADAPTIVECPP_TESTS", "")
driver = os.path.join(installed, "bin/acpp")
if not installed or not os.path.exists(driver) or not os.path.exists(tests):
    print("skipped: ADAPTIVECPP and ADAPTIVECPP_TESTS do not name AdaptiveCpp and its tests")
    sys.exit(77)
name, number = platforms.wanted()
if number != 0:
    print("skipped: AdaptiveCpp takes the first platform's GPU, and that is not", name)
    sys.exit(77)
said = subprocess.run([driver, "--acpp-version"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout.decode()
version = re.search(r"AdaptiveCpp version: (\S+)", said)

folder = tempfile.mkdtemp()
foreign = os.path.join(os.path.dirname(os.path.abspath(__file__)), "foreign")
try:
    report = os.path.join(folder, "report.xml")
    settings = dict(os.environ, ACPP_VISIBILITY_MASK="ocl;omp", ACPP_APPDB_DIR=folder, ACPP_DEBUG_LEVEL="1")
    with open(os.path.join(folder, "log"), "wb") as log:
        subprocess.run([foreign, tests, "--report_level=detailed", "--report_format=XML", "--report_sink=" + report,
                        "--log_level=error", "--color_output=no"], env=settings, stdin=subprocess.DEVNULL,
                       stdout=log, stderr=subprocess.STDOUT)
    with open(os.path.join(folder, "log"), "rb") as log:
        complaints = log.read().decode(errors="replace")
    try:
        root = xml.etree.ElementTree.parse(report).getroot()
    except (OSError, xml.etree.ElementTree.ParseError):
        print(complaints[-3000:], "\nAdaptiveCpp's tests ended early")
        sys.exit(1)
    # Without a device that it likes AdaptiveCpp would run them all on the processor.
    modules = 0
    for place, _, files in os.walk(folder):
        for file in files:
            with open(os.path.join(place, file), "rb") as content:
                modules += content.read(4) == SPIRV_MAGIC
finally:
    shutil.rmtree(folder)

cases = [(suite.get("name") + "/" + case.get("name"), case.get("result") == "passed")
         for suite in root.iter("TestSuite") for case in suite.findall("TestCase")]
wrong = [what for what, good in cases if not good]
for what in wrong:
    print("  %-60s %s" % (what, "known to fail" if what in KNOWN else "WRONG"))
if set(wrong) - KNOWN:
    print(complaints[-3000:])
print("  %d modules of SPIR-V" % modules)
if modules < len(cases) // 2:
    print("AdaptiveCpp did not use the platform")
    sys.exit(1)
print("AdaptiveCpp %s on %s: %d of %d tests right" % (version[1] if version else "?",
                                                      platforms.first_device(number), len(cases) - len(wrong),
                                                      len(cases)))
sys.exit(0 if cases and not set(wrong) - KNOWN else 1)
