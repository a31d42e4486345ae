#!/usr/bin/python3
"""Protects: the code that is generated for CLsmith's random kernels.  Each is made by CLsmith, and has to give the
same results on Culvert, as several architectures and with and without optimisation, as on PoCL's CPU device.
	APP_CLSMITH=DIR       a build of CLsmith: the program and the headers for kernels; without it this is skipped
	CLSMITH_FROM=N        the first seed (1)
	CLSMITH_RUNS=N        how many seeds for each mode (2)
	CLSMITH_SECONDS=N     for how long one build and run of a kernel may take (120)
	CLSMITH_KEEP=DIR      where kernels that differ are kept
Arguments are names of modes; without them all run.  Kernels run in two work-groups or fewer of the size that CLsmith
chose.  A kernel is left out where PoCL's results change with -cl-opt-disable, or where it does not build or end there.
CLsmith's message passing is not among the modes: it waits for other work-items without a barrier, which OpenCL does
not promise to end."""
import ctypes
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

from device import Device

MODES = {
    "basic": [],
    "vectors": ["--vectors"],
    # CLsmith's barriers and reductions name the input of its dead code.
    "barriers": ["--barriers", "--emi"],
    "communication": ["--barriers", "--inter_thread_comm", "--emi"],
    "atomics": ["--atomics"],
    "reductions": ["--atomic_reductions", "--barriers", "--emi"],
    "group_divergence": ["--group_divergence"],
    "fake_divergence": ["--fake_divergence"],
    "dead_code": ["--emi"],
    "all": ["--vectors", "--barriers", "--inter_thread_comm", "--atomics", "--atomic_reductions", "--emi",
            "--fake_divergence", "--group_divergence"],
}
# Architectures, and build options.
OURS = [("75", ""), ("90", ""), ("90", "-cl-opt-disable"), ("100", ""), ("120", ""), ("120", "-cl-opt-disable")]
READ_WRITE, COPY_HOST_PTR = 1, 32
SKIPPED = 77
SECONDS = int(os.environ.get("CLSMITH_SECONDS", "120"))


# --- one kernel on one platform, in a process of its own ----------


def sizes_of(words):
    """Global and local size: what CLsmith wrote, with at most two work-groups in x and one in y and z."""
    whole = [int(n) for n in words[words.index("-g") + 1].split(",")]
    local = [int(n) for n in words[words.index("-l") + 1].split(",")]
    return [local[0] * min(whole[0] // local[0], 2)] + local[1:], local


def arguments(words, items, groups, widest):
    """The arrays that the kernel's parameters point to, as CLsmith's own launcher fills them."""
    arrays = [(ctypes.c_uint64 * items)()]
    if "--atomics" in words:
        counters = int(words[words.index("--atomics") + 1]) * groups
        arrays += [(ctypes.c_uint32 * counters)(), (ctypes.c_uint32 * counters)()]
    if "---atomic_reductions" in words:
        arrays.append((ctypes.c_int32 * groups)())
    if "---emi" in words:
        arrays.append((ctypes.c_int32 * 1024)(*range(1024, 0, -1)))
    if "---fake_divergence" in words:
        arrays.append((ctypes.c_int32 * widest)(*range(10, 10 + widest)))
    if "---inter_thread_comm" in words:
        arrays.append((ctypes.c_int64 * items)(*[1] * items))
    return arrays


def run_kernel(path, platform, options):
    with open(path, "rb") as file:
        source = file.read()
    words = source.split(b"\n", 1)[0].decode().split()
    whole, local = sizes_of(words)
    items, groups = whole[0] * whole[1] * whole[2], whole[0] // local[0]
    device = Device(platform)
    cl = device.cl
    kernel = device.kernel(source, options, "entry")
    arrays = arguments(words, items, groups, max(whole))
    buffers = [device.buffer(READ_WRITE | COPY_HOST_PTR, ctypes.sizeof(array), array) for array in arrays]
    for index, buffer in enumerate(buffers):
        code = cl.clSetKernelArg(kernel, index, ctypes.c_size_t(8), ctypes.byref(buffer))
        if code:
            sys.exit("clSetKernelArg %d: %d" % (index, code))
    sizes = [(ctypes.c_size_t * 3)(*size) for size in (whole, local)]
    code = cl.clEnqueueNDRangeKernel(device.queue, kernel, 3, None, *sizes, 0, None, None)
    code = code or cl.clEnqueueReadBuffer(device.queue, buffers[0], 1, ctypes.c_size_t(0),
                                          ctypes.c_size_t(items * 8), arrays[0], 0, None, None)
    if code:
        sys.exit("the launch failed: %d" % code)
    print(" ".join("%x" % value for value in arrays[0]))


# --- all of them ----------


def headers(folder):
    """The folders that have the headers of kernels: that of the build, and the source's that CMake noted."""
    folders = [folder]
    cache = os.path.join(folder, "CMakeCache.txt")
    if os.path.exists(cache):
        with open(cache) as file:
            home = re.search(r"^CMAKE_HOME_DIRECTORY:\w+=(.*)$", file.read(), re.M)
        folders.append(os.path.join(home.group(1), "runtime"))
    return "-w " + " ".join("-I" + each for each in folders)


def result(path, platform, options, **environment):
    """("ok", results), or ("no", why)."""
    command = [sys.executable, os.path.abspath(__file__), "--kernel", path, platform, options]
    try:
        done = subprocess.run(command, env=dict(os.environ, **environment), stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, errors="replace", timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return "late", ""
    if done.returncode == SKIPPED:
        print(done.stdout, end="")
        sys.exit(SKIPPED)
    if done.returncode:
        return "no", "exit code %d: %s" % (done.returncode, done.stderr.strip()[:1000])
    return "ok", done.stdout


def reference(path, options, vendors, cache):
    """PoCL's results, or None and the reason."""
    pocl = [result(path, "Portable", options + more, OCL_ICD_VENDORS=vendors, POCL_CACHE_DIR=cache)
            for more in ("", " -cl-opt-disable")]
    for state, why in pocl:
        if state != "ok":
            return None, "PoCL does not build or end it" if state == "late" else "PoCL fails"
    if pocl[0] != pocl[1]:
        return None, "PoCL differs from itself"
    return pocl[0][1], ""


def differences(path, options, right, platform):
    """A line for each architecture and option with other results, and how many runs were compared."""
    lines, compared = [], 0
    for sm, more in OURS:
        name = ("sm_%s %s" % (sm, more)).strip()
        state, text = result(path, platform, options + " " + more, CULVERT_SOFT_SM=sm)
        if state == "late":
            print("  left out: %s as %s did not end in %d s" % (os.path.basename(path), name, SECONDS), flush=True)
            continue
        compared += 1
        if state == "no":
            lines.append("%s: %s" % (name, text))
        elif text != right:
            wrong = sum(a != b for a, b in zip(text.split(), right.split()))
            lines.append("%s: %d of %d work-items differ" % (name, wrong, len(right.split())))
    return lines, compared


def run_all(folder, modes, platform, work):
    options = headers(folder)
    first, runs = int(os.environ.get("CLSMITH_FROM", "1")), int(os.environ.get("CLSMITH_RUNS", "2"))
    vendors = os.path.join(work, "vendors")
    os.mkdir(vendors)
    for icd in glob.glob("/etc/OpenCL/vendors/pocl*.icd"):
        shutil.copy(icd, vendors)
    wrong = kernels = compared = 0
    for mode in modes:
        here, left = 0, {}
        for seed in range(first, first + runs):
            path = os.path.join(work, "%s-%d.cl" % (mode, seed))
            made = subprocess.run([os.path.join(folder, "CLSmith"), "--seed", str(seed), "-o", path] + MODES[mode],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            right, why = None, "CLsmith fails"
            if not made.returncode:
                right, why = reference(path, options, vendors, os.path.join(work, "pocl"))
            if right is None:
                left[why] = left.get(why, 0) + 1
                continue
            lines, count = differences(path, options, right, platform)
            here, compared = here + (count > 0), compared + count
            if lines:
                wrong += 1
                print("WRONG %s:\n  %s" % (os.path.basename(path), "\n  ".join(lines)), flush=True)
                if os.environ.get("CLSMITH_KEEP"):
                    shutil.copy(path, os.environ["CLSMITH_KEEP"])
            os.unlink(path)
        kernels += here
        print("%s: %d kernels compared%s" % (mode, here, "".join("; %d left out: %s" % (count, why)
                                                                 for why, count in left.items())), flush=True)
    print("CLsmith, seeds %d to %d: %d kernels in %d runs, %d differ" % (first, first + runs - 1, kernels, compared,
                                                                         wrong))
    return int(wrong or not kernels)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--kernel"]:
        run_kernel(*sys.argv[2:5])
        sys.exit(0)
    clsmith = os.environ.get("APP_CLSMITH")
    if not clsmith or not os.access(os.path.join(clsmith, "CLSmith"), os.X_OK):
        print("skipped: APP_CLSMITH does not name a build of CLsmith")
        sys.exit(SKIPPED)
    if not glob.glob("/etc/OpenCL/vendors/pocl*.icd"):
        print("skipped: PoCL is not installed")
        sys.exit(SKIPPED)
    unknown = [mode for mode in sys.argv[1:] if mode not in MODES]
    if unknown:
        sys.exit("no such mode: %s; the modes are %s" % (unknown[0], ", ".join(MODES)))
    folder = tempfile.mkdtemp()
    try:
        sys.exit(run_all(clsmith, sys.argv[1:] or list(MODES), os.environ.get("APP_PLATFORM", "Culvert"), folder))
    finally:
        shutil.rmtree(folder)
