#!/usr/bin/python3
"""Protects: chipStar, a compiler and runtime for HIP and CUDA whose OpenCL backend hands modules of SPIR-V to the
platform: its samples, among them CUDA's own, its tests and those of HIP's Catch tests that were built.  They compare
what kernels compute with the processor; ctest says of each what its output has to have.  CHIPSTAR names the folder
in which chipStar was built.  Programs that were not built are not asked for, nor those that chipStar's own list says
to fail on every OpenCL, nor those that run hipcc or valgrind.  CHIPSTAR_PARTS names the folders whose tests are run
(samples:tests:catch).  APP_JOBS tests run at once, for APP_SECONDS (600) at most; after APP_LIMIT seconds none is begun."""
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree

import platforms

folder = os.environ.get("CHIPSTAR", "")
if not os.path.exists(os.path.join(folder, "libCHIP.so")):
    print("skipped: CHIPSTAR does not name a build of chipStar")
    sys.exit(77)
name, number = platforms.wanted()
foreign = os.path.join(os.path.dirname(os.path.abspath(__file__)), "foreign")
ctest = os.environ.get("CTEST", "ctest")
settings = dict(os.environ, CHIP_BE="opencl", CHIP_PLATFORM=str(number), CHIP_DEVICE="0", CHIP_LOGLEVEL="err",
                CHIP_MODULE_CACHE_DIR="")
PARTS, LIMIT = os.environ.get("CHIPSTAR_PARTS", "samples:tests:catch").split(":"), os.environ.get("APP_LIMIT")
# The first wants a draft of cl_ext_buffer_device_address, whose flag became a property; the second looks at the module
# of SPIR-V alone, before a platform has it, and depends on the translator's version.
KNOWN = {"TestBufferDevAddr", "TestPositiveHasNoIGBAs"}


def read(file, pattern):
    """What PATTERN has found in FILE, or ""."""
    with open(file) as text:
        found = re.search(pattern, text.read(), re.M | re.S)
    return found[1] if found else ""


def hopeless():
    """What chipStar's list of known failures has for every machine and runtime."""
    source = read(os.path.join(folder, "CMakeCache.txt"), r"^CMAKE_HOME_DIRECTORY:INTERNAL=(\S+)")
    everywhere = read(os.path.join(source, "tests/known_failures.yaml"), r"^ANY:\n  ALL:\n(.*?)^  \w+:")
    return set(re.findall(r"^    ([^\s:#]+):", everywhere, re.M))


def called():
    """{its number for ctest: its name} of the tests whose programs were built."""
    left_out = hopeless()
    listed = json.loads(subprocess.run([ctest, "--show-only=json-v1"], cwd=folder, env=settings, check=True,
                                       stdout=subprocess.PIPE).stdout)
    asked = {}
    for index, test in enumerate(listed["tests"]):
        program = os.path.realpath(test.get("command", ["/"])[0])
        inside = os.path.relpath(program, os.path.realpath(folder)).split(os.sep)[0]
        if inside in PARTS and os.path.exists(program) and \
                test["name"] not in left_out and not test["name"].startswith("hipcc-"):
            asked[index + 1] = test["name"]
    return asked


def results(asked):
    """{name: what ctest says of it}"""
    with tempfile.TemporaryDirectory() as kept:
        chosen, report = os.path.join(kept, "chosen"), os.path.join(kept, "report.xml")
        with open(chosen, "w") as file:
            file.write("0,0,0," + ",".join(map(str, asked)))
        stop = ["--stop-time", time.strftime("%H:%M:%S", time.localtime(time.time() + float(LIMIT)))] if LIMIT else []
        subprocess.run([foreign, ctest] + stop + ["-I", chosen, "-j", os.environ.get("APP_JOBS", "1"),
                        "--timeout", os.environ.get("APP_SECONDS", "600"), "--output-junit", report, "--quiet"],
                       cwd=folder, env=settings, stderr=subprocess.DEVNULL)
        root = xml.etree.ElementTree.parse(report).getroot()
    return {case.get("name"): (case.get("status"), case.findtext("system-out", "")) for case in root.iter("testcase")}


said = results(called())
# Some skip themselves, for want of a second device or of a feature that HIP may lack.
counted = {test for test, (status, _) in said.items() if status in ("run", "fail")}
wrong = {test for test in counted if said[test][0] != "run"}
for test in sorted(wrong):
    print("  %-60s %s" % (test, "known to fail" if test in KNOWN else "WRONG"))
    if test not in KNOWN:
        print("    " + said[test][1][-1500:].replace("\n", "\n    "))
version = ".".join(read(os.path.join(folder, "include/chipStarConfig.hh"), r"CHIPSTAR_%s_VERSION (\d+)" % part)
                   for part in ("MAJOR", "MINOR", "PATCH"))
print("chipStar %s on %s: %d of %d tests right" % (os.environ.get("CHIPSTAR_VERSION", version),
                                                    platforms.first_device(number), len(counted - wrong), len(counted)))
sys.exit(0 if counted and not wrong - KNOWN else 1)
