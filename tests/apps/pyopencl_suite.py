#!/usr/bin/python3
"""Protects: PyOpenCL's own tests, unchanged from its source package, whose results are compared
with pyopencl_suite.results: what passes there must pass here.
	APP_PYOPENCL=DIR    the unpacked source package; without it this is skipped
	APP_PYTHON          the Python that has PyOpenCL of that version, and pytest
	APP_SECONDS         how long a test may take (the software device: 10, and what takes longer is
	                    left out; a GPU: 120)
	APP_RECORD=FILE     where the results are written, in the form of that list
Arguments go to pytest."""
import atexit
import os
import re
import shutil
import signal
import sys
import tempfile

if os.environ.get("APP_PYTHON") and not os.environ.get("APP_STARTED"):
    os.environ["APP_STARTED"] = "1"
    os.execvp(os.environ["APP_PYTHON"], [os.environ["APP_PYTHON"]] + sys.argv)

folder = os.environ.get("APP_PYOPENCL")
if not folder:
    print("skipped: APP_PYOPENCL does not name PyOpenCL's source package")
    sys.exit(77)
name = os.environ.get("APP_PLATFORM", "Culvert")
# A cache of its own: one of its tests looks for it.
home = tempfile.mkdtemp()
atexit.register(shutil.rmtree, home, ignore_errors=True)
os.environ.update({"PYOPENCL_TEST": name, "XDG_CACHE_HOME": home})
try:
    import pyopencl
    import pytest
except ImportError as error:
    print("skipped:", error)
    sys.exit(77)
platform = next((p for p in pyopencl.get_platforms() if name in p.name), None)
if platform is None or not platform.get_devices():
    print("skipped: no", name, "device")
    sys.exit(77)
device = platform.get_devices()[0]
soft = os.environ.get("CULVERT_CUDA") == "soft"
seconds = int(os.environ.get("APP_SECONDS", "10" if soft else "120"))


class TooLong(Exception):
    pass


class Watch:
    """Notes the result of each test, and ends one that takes too long."""

    def __init__(self):
        self.results = {}

    def alarm(self, *_):
        raise TooLong

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item):
        signal.signal(signal.SIGALRM, self.alarm)
        signal.alarm(seconds)
        try:
            return (yield)
        finally:
            signal.alarm(0)

    def pytest_runtest_logreport(self, report):
        test = re.sub("<context factory.*>>", "device", report.nodeid.split("test/")[-1])
        if report.when == "call" or report.outcome != "passed":
            result = report.outcome
            if result == "failed" and "TooLong" in str(report.longrepr):
                result = "too-long"
            self.results[test] = "failed" if self.results.get(test) == "failed" else result


def listed(file):
    with open(file) as lines:
        return dict(line.rstrip("\n").split(" ", 1)[::-1] for line in lines if not line.startswith("#"))


watch = Watch()
os.chdir(os.path.join(folder, "test"))
sys.argv[0] = "pytest"
pytest.main(["-q", "--no-header", "--tb=short", "-p", "no:cacheprovider", "."] + sys.argv[1:], plugins=[watch])
if os.environ.get("APP_RECORD"):
    with open(os.environ["APP_RECORD"], "w") as file:
        for test in sorted(watch.results):
            file.write("%s %s\n" % (watch.results[test], test))
wanted = listed(os.path.join(os.path.dirname(os.path.abspath(__file__)), "pyopencl_suite.results"))
worse = [test for test, result in sorted(watch.results.items())
         if result == "failed" or result == "skipped" and wanted.get(test) == "passed"]
worse = [test for test in worse if wanted.get(test) != watch.results[test]]
for test in worse:
    print("%s: %s, and not %s" % (test, watch.results[test], wanted.get(test, "known")))
counts = {kind: list(watch.results.values()).count(kind) for kind in ("passed", "failed", "skipped", "too-long")}
print("%(failed)d failed, %(skipped)d skipped, %(too-long)d took too long" % counts)
print("PyOpenCL %s on %s: %d of %d tests right" % (pyopencl.VERSION_TEXT, device.name, counts["passed"],
                                                  counts["passed"] + counts["failed"]))
sys.exit(bool(worse) or not counts["passed"])
