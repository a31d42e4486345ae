#!/usr/bin/python3
"""Protects: Halide's own tests of its schedules for GPUs (its folder test/correctness), which generate OpenCL C as they run,
and compare what a pipeline makes with what they expect of it: copies of buffers and parts of them, several kernels in one
pipeline, local memory of fixed and of dynamic size, vectors, halves, atomics, cropped and sliced buffers.  HALIDE_TESTS
names the folder with the programs (correctness_NAME, as Halide's build calls them); HALIDE_VERSION says which version they
are.  APP_JOBS tests run at once, each for 300 s at most."""
import concurrent.futures
import os
import subprocess
import sys
import tempfile

import platforms

folder = os.environ.get("HALIDE_TESTS", "")
if not os.path.isdir(folder):
    print("skipped: HALIDE_TESTS names no folder")
    sys.exit(77)
name, number = platforms.wanted()
target = os.environ.get("HL_JIT_TARGET", "host-opencl-cl_doubles-cl_half-cl_atomics64")
settings = dict(os.environ, HL_OCL_PLATFORM_NAME=name, HL_JIT_TARGET=target, HL_TARGET=target)

LEFT_OUT = {
    "gpu_f16_intrinsics": "Halide calls min(half, float), which OpenCL C does not have (3.0, 6.15.4)",
}


def result(test):
    """True or false, none where the test skips itself; and what was printed."""
    with tempfile.TemporaryDirectory() as place:
        try:
            ran = subprocess.run([os.path.join(folder, "correctness_" + test)], stdin=subprocess.DEVNULL,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300, check=False, cwd=place,
                                 env=settings)
        except subprocess.TimeoutExpired:
            return False, "not at its end after 300 s"
    said = ran.stdout.decode(errors="replace")
    if "[SKIP]" in said:
        return None, said
    return ran.returncode == 0 and "Success!" in said, said


def main():
    tests = sorted(file.partition("_")[2] for file in os.listdir(folder)
                   if file.startswith("correctness_") and os.access(os.path.join(folder, file), os.X_OK))
    tests = [test for test in tests if test not in LEFT_OUT]
    right = asked = 0
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("APP_JOBS", "1"))) as pool:
        for test, (good, said) in zip(tests, pool.map(result, tests)):
            asked += good is not None
            right += bool(good)
            if good is False:
                print("  WRONG %s: %s" % (test, " ".join(said.split())[-600:]), flush=True)
    print("Halide's tests %s on %s: %d of %d tests right" % (os.environ.get("HALIDE_VERSION", "of-its-repository"),
                                                            platforms.first_device(number), right, asked))
    sys.exit(not asked or right < asked)


main()
