#!/usr/bin/python3
"""Protects: dpctl, Intel's module for SYCL's devices, queues and memory: the tests that its wheel brings, on the
OpenCL platform alone, through DPC++'s runtime and its Unified Runtime adapter for OpenCL: kernels of SPIR-V and OpenCL C
by name, every kind of argument, unified shared memory, copies, events and timers.  APP_PYTHON is a Python that has dpctl
and pytest."""
import sys

import sycl

dpctl = sycl.started("dpctl", "pytest")
import pytests

device = sycl.device()
# One builds an extension in Cython, for which Intel's compiler has to be there.
right, wrong, ended = pytests.run("--pyargs", "dpctl.tests", chosen=lambda item: item.name != "test_cython_api")
for test in sorted(wrong):
    print("  WRONG", test)
print("dpctl %s on %s: %d of %d tests right" % (dpctl.__version__, device.name, len(right), len(right | wrong)))
sys.exit(not ended or bool(wrong) or not right)
