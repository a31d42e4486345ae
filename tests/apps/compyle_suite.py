#!/usr/bin/python3
"""Protects: compyle, which makes kernels of OpenCL C of functions in Python: the tests of its OpenCL backend that its
package brings: translation, elementwise kernels, reductions, scans, sorts, arrays, local memory.  APP_PYTHON is a Python that
has compyle, pyopencl and pytest."""
import importlib.metadata
import sys

from results import device, started

started()
try:
    import compyle
    import pytests
except ImportError as error:
    print("skipped:", error)
    sys.exit(77)

found = device()
# test_trapz calls numpy.trapz, which NumPy 2.4 no longer has.
right, wrong, ended = pytests.run("--pyargs", "compyle.tests", chosen=lambda item: "opencl" in item.name.lower() and
                                  "test_trapz" not in item.name)
for test in sorted(wrong):
    print("  WRONG", test)
print("compyle %s on %s: %d of %d tests right" % (importlib.metadata.version("compyle"), found.name, len(right),
                                                  len(right | wrong)))
sys.exit(not ended or bool(wrong) or not right)
