#!/usr/bin/python3
"""Protects: PySPH, hydrodynamics of particles, whose kernels for OpenCL are made of Python: the tests of its package that
run on a device: neighbours by cells, octrees and space-filling curves, arrays of particles, beside its own code for the
processor.  APP_PYTHON is a Python that has pysph, pyopencl and pytest."""
import re
import sys

from results import device, started

started()
try:
    import pysph
    import pytests
except ImportError as error:
    print("skipped:", error)
    sys.exit(77)

found = device()
right, wrong, ended = pytests.run("--pyargs", "pysph.base.tests",
                                  chosen=lambda item: re.search("opencl|GPU", item.nodeid, re.I))
for test in sorted(wrong):
    print("  WRONG", test)
print("PySPH %s on %s: %d of %d tests right" % (pysph.__version__, found.name, len(right),
                                                len(right | wrong)))
sys.exit(not ended or bool(wrong) or not right)
