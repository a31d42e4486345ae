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
    import pytest
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


class Count:
    """What comes of each test; those that pytest skips, for several GPUs by NCCL, are not counted."""

    def __init__(self):
        self.right, self.wrong = set(), set()
        self.left_out = None if has_products() else "test_blas.py"

    def pytest_collection_modifyitems(self, items):
        items[:] = [item for item in items if item.path.name != self.left_out]

    def pytest_runtest_logreport(self, report):
        if report.failed:
            self.wrong.add(report.nodeid)
        elif report.when == "call" and report.passed:
            self.right.add(report.nodeid)


count = Count()
ended = pytest.main(["-q", "--no-header", "--tb=short", "-p", "no:cacheprovider", "-W", "ignore", "--pyargs",
                     "pygpu.tests"], plugins=[count])
right = len(count.right - count.wrong)
context = pygpu.init(os.environ["GPUARRAY_TEST_DEVICE"])
device = context.devname.decode() if isinstance(context.devname, bytes) else context.devname
print("pygpu %s on %s: %d of %d tests right" % (pygpu.__version__, device, right, len(count.right | count.wrong)))
# pytest's own: all well, and not that it could not collect them.
sys.exit(ended != 0 or right == 0)
