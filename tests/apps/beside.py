#!/usr/bin/python3
"""Protects: life beside another OpenCL in one process: PoCL brings an LLVM of its own."""
import glob
import os
import shutil
import subprocess
import sys
import tempfile

others = glob.glob("/etc/OpenCL/vendors/pocl*.icd")
if not others:
    print("skipped: PoCL is not installed")
    sys.exit(77)
folder = tempfile.mkdtemp()
PROGRAM = """
import sys
import numpy
import pyopencl
kept = []
for platform in pyopencl.get_platforms():
    context = pyopencl.Context(platform.get_devices()[:1])
    queue = pyopencl.CommandQueue(context)
    program = pyopencl.Program(context,
        "kernel void f(global float *x) { x[get_global_id(0)] = sin(x[get_global_id(0)]); }").build()
    host = numpy.linspace(0, 3, 100, dtype=numpy.float32)
    buffer = pyopencl.Buffer(context, pyopencl.mem_flags.COPY_HOST_PTR, hostbuf=host)
    program.f(queue, (100,), None, buffer)
    result = numpy.empty_like(host)
    pyopencl.enqueue_copy(queue, result, buffer)
    assert numpy.allclose(result, numpy.sin(host), atol=1e-6), platform.name
    kept.append((context, queue, program, buffer))
    print(platform.name)
"""


def platforms(icds, name):
    """The platforms whose results were right in one process, or None."""
    vendors = os.path.join(folder, name)
    os.mkdir(vendors)
    for icd in icds:
        shutil.copy(icd, vendors)
    environment = dict(os.environ, OCL_ICD_VENDORS=vendors, POCL_CACHE_DIR=folder)
    ran = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, text=True,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if ran.returncode:
        print(ran.stdout)
        return None
    return ran.stdout.split("\n")


try:
    if not platforms(others, "alone"):
        print("skipped: PoCL or PyOpenCL does not run here by itself")
        sys.exit(77)
    both = platforms(others + glob.glob(os.environ["OCL_ICD_VENDORS"] + "/*.icd"), "both")
    assert both is not None, "both platforms in one process"
    print("in one process:", ", ".join(both))
    assert "Culvert" in both and "Portable Computing Language" in both
finally:
    shutil.rmtree(folder)
