#!/usr/bin/python3
"""Protects: PyOpenCL's own tests, unchanged from its source package, whose results are compared
with pyopencl_suite.results: what passes there must pass here.
	APP_PYOPENCL=DIR    the unpacked source package; without it this is skipped
	APP_PYTHON          the Python that has PyOpenCL of that version, and pytest
	APP_SECONDS         how long a test may take (the software device: 10, and what takes longer is
	                    left out; a GPU: 120)
	APP_RECORD=FILE     where the results are written, in the form of that list
	APP_JOBS=N          so many processes share the tests (1)
	APP_LIMIT=S         seconds for all of them; then they are ended, and what they did is told
Arguments go to pytest."""
import atexit
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

if os.environ.get("APP_PYTHON") and not os.environ.get("APP_STARTED"):
    os.environ["APP_STARTED"] = "1"
    os.execvp(os.environ["APP_PYTHON"], [os.environ["APP_PYTHON"]] + sys.argv)

folder = os.environ.get("APP_PYOPENCL")
if not folder:
    print("skipped: APP_PYOPENCL does not name PyOpenCL's source package")
    sys.exit(77)
name = os.environ.get("APP_PLATFORM", "Culvert")
# A cache of its own: one of its tests looks for it; and what each process notes.
share = os.environ.get("APP_SHARE")
home = share.split(":", 2)[2] + ".cache" if share else tempfile.mkdtemp()
os.makedirs(home, exist_ok=True)
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
    """Takes every COUNTth test from FIRST on, notes the result of each as soon as it is there, and ends one
    that takes too long."""

    def __init__(self, first, count, file):
        self.first, self.count = first, count
        self.file = open(file, "w", buffering=1)

    def pytest_collection_modifyitems(self, items):
        items[:] = items[self.first::self.count]

    def pytest_runtest_logstart(self, nodeid):
        self.file.write("begun %s\n" % named(nodeid))

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
        if report.when == "call" or report.outcome != "passed":
            result = report.outcome
            if result == "failed" and "TooLong" in str(report.longrepr):
                result = "too-long"
            self.file.write("%s %s\n" % (result, named(report.nodeid)))
            if result == "failed":
                self.file.write("# %s: %s\n" % (named(report.nodeid), why(str(report.longrepr))))


def why(text):
    """The lines of a failure that say what was raised."""
    lines = [line[1:].strip() for line in text.splitlines() if line.startswith("E ")]
    return " / ".join(lines[:4] or text.splitlines()[-1:])


def named(test):
    return re.sub("<context factory.*>>", "device", test.split("test/")[-1])


def one_process():
    """Runs its share of the tests, which APP_SHARE says: the first, how many processes, where to note."""
    first, count, file = share.split(":", 2)
    os.chdir(os.path.join(folder, "test"))
    sys.argv[0] = "pytest"
    return pytest.main(["-q", "--no-header", "--tb=short", "-p", "no:cacheprovider", "."] + sys.argv[1:],
                       plugins=[Watch(int(first), int(count), file)])


def all_processes():
    """The result of each test that was begun, and whether all processes came to their end."""
    jobs, limit = int(os.environ.get("APP_JOBS", "1")), float(os.environ.get("APP_LIMIT", "inf"))
    notes = [os.path.join(home, "notes%d" % job) for job in range(jobs)]
    logs = [open(os.path.join(home, "log%d" % job), "w+") for job in range(jobs)]
    running = [subprocess.Popen([sys.executable] + sys.argv, stdout=log if jobs > 1 else None,
                                stderr=subprocess.STDOUT if jobs > 1 else None,
                                env=dict(os.environ, APP_SHARE="%d:%d:%s" % (job, jobs, notes[job])))
               for job, log in enumerate(logs)]
    until = time.monotonic() + limit
    complete = True
    for process in running:
        try:
            process.wait(max(0, until - time.monotonic()) if limit != float("inf") else None)
        except subprocess.TimeoutExpired:
            complete = False
            process.kill()
            process.wait()
        # pytest's own: all well, some failed, none was chosen.
        complete = complete and process.returncode in (0, 1, 5)
    results = {}
    for note, log in zip(notes, logs):
        log.seek(0)
        sys.stdout.write(log.read())
        if not os.path.exists(note):
            continue
        for test, result in listed(note).items():
            # In the midst of it its process ended.
            results[test] = "unfinished" if result == "begun" else result
        with open(note) as lines:
            sys.stdout.writelines(line for line in lines if line.startswith("#"))
    return results, complete


def listed(file):
    """{test: its result}; one that failed stays so, whatever its other parts did."""
    results = {}
    with open(file) as lines:
        for line in lines:
            if not line.startswith("#"):
                result, test = line.rstrip("\n").split(" ", 1)
                results[test] = "failed" if results.get(test) == "failed" else result
    return results


if share:
    sys.exit(one_process())
results, complete = all_processes()
if os.environ.get("APP_RECORD"):
    with open(os.environ["APP_RECORD"], "w") as file:
        for test in sorted(results):
            file.write("%s %s\n" % (results[test], test))
wanted = listed(os.path.join(os.path.dirname(os.path.abspath(__file__)), "pyopencl_suite.results"))
worse = [test for test, result in sorted(results.items())
         if result == "failed" or result == "skipped" and wanted.get(test) == "passed"]
worse = [test for test in worse if wanted.get(test) != results[test]]
for test in worse:
    print("%s: %s, and not %s" % (test, results[test], wanted.get(test, "known")))
counts = {kind: list(results.values()).count(kind) for kind in ("passed", "failed", "skipped", "too-long")}
print("%(failed)d failed, %(skipped)d skipped, %(too-long)d took too long" % counts)
asked = counts["passed"] + counts["failed"]
if not complete:
    print("unfinished:", " ".join(test for test in sorted(results) if results[test] == "unfinished"))
    print("PyOpenCL %s on %s: ended early, %d of %d tests until then" %
          (pyopencl.VERSION_TEXT, device.name, counts["passed"], asked))
    sys.exit(1)
print("PyOpenCL %s on %s: %d of %d tests right" % (pyopencl.VERSION_TEXT, device.name, counts["passed"], asked))
sys.exit(bool(worse) or not counts["passed"])
