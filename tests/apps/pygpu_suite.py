#!/usr/bin/python3
"""Protects: libgpuarray, the arrays below Theano, unchanged from the distribution: the tests that its module for
Python, pygpu, brings, which compare with NumPy: kernels that it writes for each type and shape, reductions, copies
between layouts, and products by CLBlast, which it looks for by the name that its development package has."""
import ctypes
import os
import sys

import platforms

try:
    import pygpu
    import pytests
    import mako  # of which it makes its kernels
except ImportError as error:
    print("skipped:", error)
    sys.exit(77)
name, number = platforms.wanted()
os.environ["GPUARRAY_TEST_DEVICE"] = "opencl%d:0" % number


def has_products():
    try:
        ctypes.CDLL("libclblast.so")
        return True
    except OSError:
        print("  no libclblast.so: without products")
        return False


left_out = None if has_products() else "test_blas.py"
# Tests for several GPUs by NCCL skip themselves.
right, wrong, ended = pytests.run("--pyargs", "pygpu.tests", chosen=lambda item: item.path.name != left_out)
context = pygpu.init(os.environ["GPUARRAY_TEST_DEVICE"])
device = context.devname.decode() if isinstance(context.devname, bytes) else context.devname
print("pygpu %s on %s: %d of %d tests right" % (pygpu.__version__, device, len(right), len(right | wrong)))
sys.exit(not ended or bool(wrong) or not right)
