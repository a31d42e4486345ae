#!/usr/bin/python3
"""Protects: HIP's Catch tests by chipStar, whose OpenCL backend hands modules of SPIR-V to the platform.  CHIPSTAR
names the folder in which chipStar was built with those tests (CHIPSTAR_VERSION its version).  Each test of each program
that was built is run by itself; a test whose name is in chipStar's own list of known failures is not asked for, one
that asserts nothing or skips itself is not counted.  HIP's programs for tests end at their start for HIP_PLATFORM
"spirv" unless hipTestMain/hip_test_context.cc takes HT_SPIRV for AMD's.  APP_JOBS tests run at once, for APP_SECONDS
(60) at most; after APP_LIMIT seconds none is begun."""
import concurrent.futures
import os
import re
import subprocess
import sys
import time

import platforms

folder = os.environ.get("CHIPSTAR", "")
units = os.path.join(folder, "catch", "catch_tests", "unit")


def has_tests(path):
    """Whether it is one of Catch's programs.  Some others are there that tests start."""
    with open(path, "rb") as program:
        return b"list-test-names-only" in program.read()


programs = sorted(path for where, _, files in os.walk(units) for path in (os.path.join(where, file) for file in files
                  if "." not in file and file != "Makefile") if os.access(path, os.X_OK) and has_tests(path))
if not programs:
    print("skipped: CHIPSTAR does not name a build of chipStar with HIP's Catch tests")
    sys.exit(77)
name, number = platforms.wanted()
SECONDS, LIMIT = float(os.environ.get("APP_SECONDS", "60")), float(os.environ.get("APP_LIMIT", "inf"))
settings = dict(os.environ, CHIP_BE="opencl", CHIP_PLATFORM=str(number), CHIP_DEVICE="0", CHIP_LOGLEVEL="err",
                CHIP_MODULE_CACHE_DIR="",
                HIP_CATCH_EXCLUDE_FILE=os.path.join(units, "../hipTestMain/config/config_amd_linux_common.json"))
# chipStar's.  Most read textures: the module still calls _chip_tex2df and the like, which chipStar's pass
# HipTextureLowering, with LLVM 19, did not replace, and its runtime finds no definition.  For the last, chipStar sets 5
# bytes for a class of an int and a char, whose size in the module is 8, and does not look at the error
# (CL_INVALID_ARG_SIZE).
KNOWN = re.compile(r"Unit_(hipTextureFetch_vector|hipTextureObj\w+|hipTexObjPitch_texture2D|"
                   r"hipCreateTextureObject_tex1D\w+|tex1Dfetch_CheckModes|hipClassKernel_Value)\b")
# 100000 work-items take 100000 steps each, which takes a GPU.
LONG = {"Unit_hipMemFaultStackAllocation_Check"}


def known():
    """What chipStar's list has for every machine, with any runtime or with OpenCL on GPUs."""
    with open(os.path.join(folder, "CMakeCache.txt")) as cache:
        source = re.search(r"^CMAKE_HOME_DIRECTORY:INTERNAL=(\S+)", cache.read(), re.M)[1]
    with open(os.path.join(source, "tests", "known_failures.yaml")) as file:
        everywhere = re.search(r"^ANY:\n(.*?)^\w+:", file.read(), re.M | re.S)[1]
    runtimes = dict(re.findall(r"^  (\w+):\n(.*?)(?=^  \w|\Z)", everywhere, re.M | re.S))
    return {test for runtime in ("ALL", "OPENCL_GPU")
            for test in re.findall(r"^    ([^:#]+):", runtimes[runtime], re.M)}


def ran(program, *arguments):
    """What it said, and how it ended: None where it took too long."""
    try:
        done = subprocess.run([program, *arguments], cwd=os.path.dirname(program), env=settings, timeout=SECONDS,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.stdout.decode(errors="replace"), done.returncode
    except subprocess.TimeoutExpired as late:
        return (late.stdout or b"").decode(errors="replace"), None


def result(test):
    """Whether it is right, and what it said; None: it does not count."""
    program, case = test
    if time.monotonic() - started > LIMIT:
        return None, ""
    said, ended = ran(program, case.replace(",", "\\,"))
    if ended == 0 and "All tests passed" in said:
        return True, said
    if ended is not None and ("assertions: - none -" in said or "HIP_SKIP_THIS_TEST" in said):
        return None, said
    return False, said


left_out, started, tests, right, counted, wrong = known(), time.monotonic(), [], 0, 0, 0
if "softcuda" in platforms.first_device(number):
    left_out |= LONG
for program in programs:
    listed, _ = ran(program, "--list-test-names-only")
    cases = [case for case in map(str.strip, listed.splitlines()) if case.startswith("Unit_")]
    tests += [(program, case) for case in cases if case not in left_out]
    if not cases:
        wrong += 1
        print("  %s does not tell its tests: %s" % (program, listed[-800:]))
with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("APP_JOBS", "1"))) as pool:
    for (program, case), (good, said) in zip(tests, pool.map(result, tests)):
        counted += good is not None
        right += bool(good)
        if good is False:
            foreign = KNOWN.match(case)
            wrong += not foreign
            print("  %-20s %-60s %s" %
                  (os.path.basename(program), case, "chipStar's" if foreign else "WRONG"), flush=True)
            if not foreign:
                print("    " + said[-800:].replace("\n", "\n    "))
print("HIP's Catch tests by chipStar %s on %s: %d of %d tests right" %
      (os.environ.get("CHIPSTAR_VERSION", "of-its-repository"), platforms.first_device(number), right, counted))
sys.exit(1 if wrong or not right else 0)
