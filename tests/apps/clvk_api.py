#!/usr/bin/python3
"""Protects: clvk's tests of the API, unchanged: errors of arguments, dependences of commands, images of buffers,
compiled and linked programs and their binaries, profiling.  CLVK_TESTS names the program of its folder tests/api, linked to
an ICD loader; CLVK_VERSION says which version it is.  Each test runs in a process of its own."""
import os
import re
import subprocess
import sys

import platforms

program = os.environ.get("CLVK_TESTS")
if not program or not os.access(program, os.X_OK):
    print("skipped: CLVK_TESTS names no program")
    sys.exit(77)
platform, number = platforms.wanted()

# The mistake is the test's, or it asks for a choice or a limit of clvk's own.
LEFT_OUT = {
    "CreateImageLegacy": "a row pitch without host memory (OpenCL 3.0, 5.3.1.2: it must be 0)",
    "ProgramBinaryCompile": "builds an object (5.8.4: the binary must be an executable)",
    "ProgramBinaryLinkLibrary": "builds a library (5.8.4: the binary must be an executable)",
    "InOrderQueueStopsExecutionAfterFailedCommand": "wants commands to fail after one that failed, on which they do not depend",
    "PodUBO": "an option of its own compiler",
    "PodPushConstant": "an option of its own compiler",
    "OffsetPushConstant": "an option of its own compiler",
    "SimpleUBO": "an option of its own compiler",
    "1DBufferImageUnmapAfterRelease": "maps an image without a place for its row pitch (CL_INVALID_VALUE)",
    "1DBufferImageReleaseAfterUnmap": "maps an image without a place for its row pitch (CL_INVALID_VALUE)",
    "LocalMemorySize": "wants local memory to need no bytes for alignment",
    "InvalidContext": "wants CL_CONTEXT_INTEROP_USER_SYNC to be refused, which has no condition",
    "QueueProfilingVsDeviceTimer": "wants a command that waits for a user event to be submitted by clFlush",
}


def listed():
    said = subprocess.run([program, "--gtest_list_tests"], capture_output=True, text=True, check=True).stdout
    suite = ""
    for line in said.splitlines():
        if re.match(r"\S+\.$", line):
            suite = line
        elif suite and line.startswith("  "):
            yield suite + line.split()[0]


def result(test):
    """True or false, none where the test skips itself; and what was printed."""
    try:
        ran = subprocess.run([program, "--gtest_also_run_disabled_tests=0", "--gtest_filter=" + test],
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120,
                             check=False)
    except subprocess.TimeoutExpired:
        return False, "not at its end after 120 s"
    said = ran.stdout.decode(errors="replace")
    if "[  SKIPPED ]" in said:
        return None, said
    return ran.returncode == 0 and "[  PASSED  ] 1 test." in said, said


right = asked = 0
for test in listed():
    if test.split(".")[1] in LEFT_OUT or "DISABLED_" in test:
        continue
    good, said = result(test)
    asked += good is not None
    right += bool(good)
    if good is False:
        print("  WRONG %s: %s" % (test, " ".join(said.split())[-600:]), flush=True)
print("clvk's tests %s on %s: %d of %d tests right" % (os.environ.get("CLVK_VERSION", "of-its-repository"),
                                                      platforms.first_device(number), right, asked))
sys.exit(not asked or right < asked)
