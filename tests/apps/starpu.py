#!/usr/bin/python3
"""Protects: StarPU, a scheduler of tasks over processors and GPUs, unchanged from the distribution: its examples whose
kernels are OpenCL's, on one device and, on the software device, on two, between which it moves the data; and SOCL, its
own OpenCL platform, which takes Culvert's devices from the loader and runs programs on them.  SOCL names
libsocl-1.3.so where it is not in /usr/lib."""
import ctypes
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

EXAMPLES, KERNELS = "/usr/lib/*/starpu/examples", "/usr/share/starpu/opencl"
examples = next(iter(glob.glob(EXAMPLES)), None)
try:
    starpu = ctypes.CDLL("libstarpu-1.3.so.9")
except OSError as error:
    print("skipped:", error)
    sys.exit(77)
if not examples or not os.path.isdir(KERNELS):
    print("skipped: no examples of StarPU")
    sys.exit(77)
numbers = [ctypes.c_int() for _ in range(3)]
starpu.starpu_get_version(*map(ctypes.byref, numbers))
version = ".".join(str(number.value) for number in numbers)
socl = os.environ.get("SOCL", "/usr/lib/libsocl-1.3.so")
vendors = os.environ.get("OCL_ICD_VENDORS", "/etc/OpenCL/vendors")


def ran(program, devices, **more):
    """(exit code, what it said)"""
    settings = dict(os.environ, STARPU_HOME=folder, STARPU_NCPU="0", STARPU_NOPENCL=devices,
                    STARPU_OPENCL_ON_CPUS="1", STARPU_WORKERS_NOBIND="1", STARPU_SILENT="1",
                    CULVERT_SOFT_DEVICES=devices, **more)
    process = subprocess.run([os.path.join(examples, program)], cwd=KERNELS, env=settings, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)
    return process.returncode, process.stdout.decode(errors="replace")


# Of each what it has to say: what StarPU's authors say that is right, and where the program does not look itself, what
# comes of its numbers: 5 increments, 100 of two elements in turn, 2 + 7.
CASES = [
    ("vector_scal", r"Computation is correct"), ("matvecmult", r"TEST PASSED"),
    ("variable", r"result is correct"), ("block", r"TEST PASSED"),
    ("incrementer", r"array -> 5\.0+, 0\.0+, 0\.0+, 5\.0+"),
    ("incrementer_cpp", r"array -> 50\.0+, 0\.0+, 0\.0+, 50\.0+"),
    ("binary", r"(array -> 50\.0+, 0\.0+, 0\.0+, 50\.0+\s+){3}"),
]
SOCL_CASES = [(program, r"Data\.\.\.\s+(9\.000000 ){1024}\s") for program in ("socl/basic", "socl/mansched")]

folder = tempfile.mkdtemp()
right = count = 0


def check(what, seen, wanted):
    global right, count
    code, said = seen
    good = code == 0 and re.search(wanted, said) is not None
    right, count = right + good, count + 1
    print("  %-34s %s" % (what, "" if good else "WRONG (%d): %s" % (code, said.strip()[-300:])), flush=True)


try:
    device = re.search(r"OpenCL 0 \((.+?)(?: [\d.]+ GiB)?\)\s*$", ran("topology", "1")[1], re.M)
    if not device:
        print("skipped: StarPU finds no OpenCL device")
        sys.exit(77)
    for devices in ("1", "2") if "softcuda" in device[1] else ("1",):
        for program, wanted in CASES:
            check(program + (" on two devices" if devices == "2" else ""), ran(program, devices), wanted)
    if os.path.exists(socl):
        for file in glob.glob(vendors + "/*.icd"):
            shutil.copy(file, folder)
        with open(folder + "/socl.icd", "w") as file:
            file.write(socl + "\n")
        for program, wanted in SOCL_CASES:
            check(program, ran(program, "1", OCL_ICD_VENDORS=folder), wanted)
finally:
    shutil.rmtree(folder, ignore_errors=True)
print("StarPU %s on %s: %d of %d examples right" % (version, device[1], right, count))
sys.exit(right != count)
