#!/usr/bin/python3
"""Protects: AdaptiveCpp, a compiler and runtime for SYCL whose OpenCL backend hands modules of SPIR-V to the platform
as the program runs, and moves data in unified shared memory: its own tests (tests/sycl), which compare what kernels
compute with the processor, and where they were built those of C++'s parallel algorithms (tests/pstl).  ADAPTIVECPP
names the folder where it is installed, ADAPTIVECPP_TESTS the programs of its tests, ":" between, built with
--acpp-targets=generic, those of tests/pstl with --acpp-stdpar --acpp-stdpar-unconditional-offload as well."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

import platforms

# LLVM makes an integer of 48 bits of three shorts, which the translator to SPIR-V refuses, as it does one of the atomic
# operations: nothing reaches a platform.
KNOWN = {"marray_tests/marray_ops<short>", "atomic_tests/fetch_op"}
SPIRV_MAGIC = b"\x03\x02\x23\x07"

installed, tests = os.environ.get("ADAPTIVECPP", ""), os.environ.get("ADAPTIVECPP_TESTS", "").split(":")
driver = os.path.join(installed, "bin/acpp")
if not installed or not os.path.exists(driver) or not all(map(os.path.exists, tests)):
    print("skipped: ADAPTIVECPP and ADAPTIVECPP_TESTS do not name AdaptiveCpp and its tests")
    sys.exit(77)
name, number = platforms.wanted()
if number != 0:
    print("skipped: AdaptiveCpp takes the first platform's GPU, and that is not", name)
    sys.exit(77)
said = subprocess.run([driver, "--acpp-version"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout.decode()
version = re.search(r"AdaptiveCpp version: (\S+)", said)

foreign = os.path.join(os.path.dirname(os.path.abspath(__file__)), "foreign")


def run(program):
    """([(test, whether it passed)], what went wrong, modules of SPIR-V that were made)"""
    folder = tempfile.mkdtemp()
    try:
        report = os.path.join(folder, "report.xml")
        settings = dict(os.environ, ACPP_VISIBILITY_MASK="ocl;omp", ACPP_APPDB_DIR=folder, ACPP_DEBUG_LEVEL="1")
        ran = subprocess.run([foreign, program, "--report_level=detailed", "--report_format=XML",
                              "--report_sink=" + report, "--log_level=error", "--color_output=no"], env=settings,
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        complaints = ran.stdout.decode(errors="replace")
        try:
            root = xml.etree.ElementTree.parse(report).getroot()
        except (OSError, xml.etree.ElementTree.ParseError):
            print(complaints[-3000:], "\nAdaptiveCpp's tests ended early")
            sys.exit(1)
        modules = 0
        for place, _, files in os.walk(folder):
            for file in files:
                with open(os.path.join(place, file), "rb") as content:
                    modules += content.read(4) == SPIRV_MAGIC
    finally:
        shutil.rmtree(folder)
    return [(suite.get("name") + "/" + case.get("name"), case.get("result") == "passed")
            for suite in root.iter("TestSuite") for case in suite.findall("TestCase")], complaints, modules


cases, complaints = [], ""
for program in tests:
    its_cases, its_complaints, modules = run(program)
    print("  %s: %d tests, %d modules of SPIR-V" % (os.path.basename(program), len(its_cases), modules))
    # Without a device that it likes AdaptiveCpp would run them all on the processor.
    if modules < len(its_cases) // 2:
        print("AdaptiveCpp did not use the platform")
        sys.exit(1)
    cases += its_cases
    complaints += its_complaints
wrong = [what for what, good in cases if not good]
for what in wrong:
    print("  %-60s %s" % (what, "known to fail" if what in KNOWN else "WRONG"))
if set(wrong) - KNOWN:
    print(complaints[-3000:])
print("AdaptiveCpp %s on %s: %d of %d tests right" % (version[1] if version else "?",
                                                      platforms.first_device(number), len(cases) - len(wrong),
                                                      len(cases)))
sys.exit(0 if cases and not set(wrong) - KNOWN else 1)
