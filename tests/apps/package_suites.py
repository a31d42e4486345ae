#!/usr/bin/python3
"""Protects: Python packages whose kernels are OpenCL's, by the tests that each brings itself, which compare with the
package's code for the processor, NumPy or SciPy.  Without arguments those that are installed are run; names of PACKAGES
choose.  Tests that fail wherever OpenCL comes from are left out, with the reason beside their names.  APP_PYTHON is a Python
that has pytest, pyopencl and some of the packages."""
import importlib
import importlib.metadata
import os
import re
import subprocess
import sys

from results import device, started

started()
try:
    import pytests
    import pyopencl
except ImportError as error:
    print("skipped:", error)
    sys.exit(77)

# Package: (what is asked, which of it, what is left out).
PACKAGES = {
    # Kernels made of functions in Python.  numpy.trapz is gone from NumPy 2.4.
    "compyle": ("compyle.tests", "opencl", "test_trapz"),
    # Hydrodynamics of particles: neighbours by cells and curves, arrays.  Walks of its octrees read their stack at -1.
    "pysph": ("pysph.base.tests", "opencl|gpu", "Octree"),
    # Integration of pictures of diffraction.  The last round of a scan reads what others begin to overwrite.
    "pyFAI": ("pyFAI.opencl.test", ".", "test_Blelloch_multipass"),
    # Pictures and tomography.  Convolutions and the median are tried on a picture that has to be fetched.
    "silx": ("silx.opencl.test", ".", "test_convolution|test_medfilt"),
}


def suite(package):
    """Whether the package's tests are right; None where it is not installed."""
    try:
        found = importlib.import_module(package)
    except ImportError:
        return None
    tests, asked, left_out = PACKAGES[package]
    right, wrong, ended = pytests.run("--pyargs", tests, chosen=lambda item: re.search(
        asked, item.nodeid, re.I) and not re.search(left_out, item.nodeid))
    for test in sorted(wrong):
        print("  WRONG", test)
    version = getattr(found, "__version__", None) or getattr(found, "version", None) or \
        importlib.metadata.version(package)
    print("%s %s on %s: %d of %d tests right" % (package, version, device().name, len(right), len(right | wrong)),
          flush=True)
    return ended and right and not wrong


if len(sys.argv) == 2:
    good = suite(sys.argv[1])
    if good is None:
        print("skipped: no", sys.argv[1])
    sys.exit(77 if good is None else not good)
device()
# A process each: what one leaves behind is nothing for the next.
codes = [subprocess.call([sys.executable, os.path.abspath(__file__), package]) for package in sys.argv[1:] or PACKAGES]
sys.exit(77 if all(code == 77 for code in codes) else any(code not in (0, 77) for code in codes))
