#!/usr/bin/python3
"""Protects: life beside another OpenCL in one process: PoCL brings an LLVM of its own."""
import glob
import os
import shutil
import sys
import tempfile

others = glob.glob("/etc/OpenCL/vendors/pocl*.icd")
if not others:
    print("skipped: PoCL is not installed")
    sys.exit(77)
folder = tempfile.mkdtemp()
try:
    for icd in others + glob.glob(os.environ["OCL_ICD_VENDORS"] + "/*.icd"):
        shutil.copy(icd, folder)
    os.environ["OCL_ICD_VENDORS"] = folder
    os.environ["POCL_CACHE_DIR"] = folder
    try:
        import numpy
        import pyopencl
    except ImportError as error:
        print("skipped:", error)
        sys.exit(77)
    names = []
    kept = []
    for platform in pyopencl.get_platforms():
        context = pyopencl.Context(platform.get_devices()[:1])
        queue = pyopencl.CommandQueue(context)
        program = pyopencl.Program(context, """
            kernel void f(global float *x) { x[get_global_id(0)] = sin(x[get_global_id(0)]); }
            """).build()
        host = numpy.linspace(0, 3, 100, dtype=numpy.float32)
        buffer = pyopencl.Buffer(context, pyopencl.mem_flags.COPY_HOST_PTR, hostbuf=host)
        program.f(queue, (100,), None, buffer)
        result = numpy.empty_like(host)
        pyopencl.enqueue_copy(queue, result, buffer)
        assert numpy.allclose(result, numpy.sin(host), atol=1e-6), platform.name
        names.append(platform.name)
        kept.append((context, queue, program, buffer))
    print("in one process:", ", ".join(names))
    assert len(names) >= 2 and "Culvert" in names, "both platforms are seen"
finally:
    shutil.rmtree(folder)
