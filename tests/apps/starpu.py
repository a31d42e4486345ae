#!/usr/bin/python3
"""Protects: StarPU, a scheduler of tasks over processors and GPUs, unchanged from the distribution: its examples whose
kernels are OpenCL's, on one device and, on the software device, on two, between which it moves the data; SOCL, its
own OpenCL platform, which takes Culvert's devices from the loader and runs programs on them; and its MPI layer, by a
program of ours (starpu_mpi.c), where that and OpenMPI are installed.  SOCL names libsocl-1.3.so where it is not below
/usr/lib."""
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
socl = os.environ.get("SOCL") or next(iter(glob.glob("/usr/lib/libsocl-1.3.so") +
                                            glob.glob("/usr/lib/*/libsocl-1.3.so.0")), "")
vendors = os.environ.get("OCL_ICD_VENDORS", "/etc/OpenCL/vendors")


def settings_of(devices, **more):
    return dict(os.environ, STARPU_HOME=folder, STARPU_NCPU="0", STARPU_NOPENCL=devices, STARPU_OPENCL_ON_CPUS="1",
                STARPU_WORKERS_NOBIND="1", STARPU_SILENT="1", CULVERT_SOFT_DEVICES=devices, **more)


def ran(program, devices, **more):
    """(exit code, what it said)"""
    command = [os.path.join(examples, program)] if isinstance(program, str) else program
    process = subprocess.run(command, cwd=KERNELS, env=settings_of(devices, **more), stdin=subprocess.DEVNULL,
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

PROCESSES = 3
folder = tempfile.mkdtemp()
right = count = 0


def mpi_program():
    """starpu_mpi.c, built; None: its libraries are not here."""
    package = subprocess.run(["pkg-config", "--cflags", "--libs", "starpumpi-1.3", "ompi"], stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL) if shutil.which("pkg-config") else None
    if package is None or package.returncode or not shutil.which("mpirun.openmpi") or not shutil.which("cc"):
        return None
    program = os.path.join(folder, "starpu_mpi")
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "starpu_mpi.c")
    subprocess.run(["cc", "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-DSTARPU_USE_OPENCL", source, "-o", program] +
                   package.stdout.decode().split() + ["-lOpenCL"], check=True)
    return program


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
    program = mpi_program()
    if program:
        # StarPU writes what it measures of the bus below its home, and fails where another process writes that while it
        # reads; so each process has its own.
        apart = 'STARPU_HOME="$STARPU_HOME/$OMPI_COMM_WORLD_RANK" exec "$0"'
        for rank in range(PROCESSES):
            os.makedirs(os.path.join(folder, str(rank)), exist_ok=True)
        check("over MPI, %d processes" % PROCESSES,
              ran(["mpirun.openmpi", "--oversubscribe", "-n", str(PROCESSES), "sh", "-c", apart, program], "1",
                  OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1"),
              r"processes, 33 kernels, 0 wrong values")
    else:
        print("  not asked for over MPI: no StarPU for MPI, or no OpenMPI")
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
