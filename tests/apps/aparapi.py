#!/usr/bin/python3
"""Protects: Aparapi, which makes OpenCL C of the bytecode of a Java method as the program runs, by its own tests that
compute on a device: arrays of several dimensions, local memory, barriers, atomics, kernels that are only compiled, loaded
OpenCL C.  APARAPI names a folder with its classes (classes) and those of its tests with their resources (tests), libaparapi.so,
and the JAR files of BCEL and JUnit 4 (docs/applications.md shows how to make it); APARAPI_VERSION says which version it is.
The platform has to be the only one, for Aparapi takes the best device of all.  Each class of tests runs in a process of its
own, APP_JOBS at once."""
import concurrent.futures
import glob
import os
import re
import shutil
import subprocess
import sys

import platforms

folder = os.path.abspath(os.environ.get("APARAPI", ""))
classes = sorted(os.path.basename(path)[:-len(".class")]
                 for path in glob.glob(os.path.join(folder, "tests/com/aparapi/runtime/*Test.class")))
java = shutil.which("java")
if not os.environ.get("APARAPI") or not classes or not java:
    print("skipped: APARAPI names no folder with Aparapi and its tests, or there is no Java")
    sys.exit(77)
name, number = platforms.wanted()
if not platforms.alone():
    print("skipped:", name, "is not the only platform")
    sys.exit(77)
path = ":".join([os.path.join(folder, part) for part in ("classes", "tests")] + glob.glob(os.path.join(folder, "*.jar")))


def ran(test):
    """(how many of how many tests of the class were right, what it said)."""
    command = [java, "-XX:TieredStopAtLevel=1", "-Djava.library.path=" + folder, "-cp", path, "org.junit.runner.JUnitCore",
               "com.aparapi.runtime." + test]
    try:
        said = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              cwd=folder, timeout=300).stdout.decode(errors="replace")
    except subprocess.TimeoutExpired:
        return 0, 1, "not at its end after 300 s"
    good = re.search(r"^OK \((\d+) test", said, re.M)
    some = re.search(r"^Tests run: (\d+),\s+Failures: (\d+)", said, re.M)
    asked = int(good[1]) if good else int(some[1]) if some else 1
    failed = 0 if good else int(some[2]) if some else 1
    # It goes on with Java's threads then.
    if "Device failed for" in said:
        failed = asked
    return asked - failed, asked, said


right = asked = 0
with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("APP_JOBS", "1"))) as pool:
    for test, (good, counted, said) in zip(classes, pool.map(ran, classes)):
        right, asked = right + good, asked + counted
        if good < counted:
            print("  %s: %d of %d WRONG: %s" % (test, counted - good, counted, said[-1500:]), flush=True)
print("Aparapi %s on %s: %d of %d tests right" % (os.environ.get("APARAPI_VERSION", "of-its-repository"),
                                                 platforms.first_device(number), right, asked))
sys.exit(not asked or right < asked)
