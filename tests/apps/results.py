"""Results of a program beside those of a reference, for scripts that say how many of them are right."""
import os
import sys
import traceback


def started():
    """Goes on with the Python that APP_PYTHON names, where it names one."""
    python = os.environ.get("APP_PYTHON")
    if python and not os.environ.get("APP_STARTED"):
        os.environ["APP_STARTED"] = "yes"
        os.execvp(python, [python] + sys.argv)


def device():
    """The first device of the platform under test, as PyOpenCL has it; the script is skipped where it has none."""
    import pyopencl
    name = os.environ.get("APP_PLATFORM", "Culvert")
    for platform in pyopencl.get_platforms():
        if name in platform.name and platform.get_devices():
            return platform.get_devices()[0]
    print("skipped: no", name, "device")
    sys.exit(77)


class Results:
    def __init__(self):
        self.cases = []

    def add(self, what, function):
        """FUNCTION says whether the result is right."""
        self.cases.append((what, function))

    def end(self, program, version, device, kind="results"):
        """Asks for all of them, says how many are right, and ends the script.  DEVICE is its name."""
        right = 0
        for what, function in self.cases:
            try:
                good = bool(function())
            except Exception:
                traceback.print_exc(limit=-3)
                good = False
            right += good
            if not good:
                print("  %-50s WRONG" % what, flush=True)
        print("%s %s on %s: %d of %d %s right" % (program, version, device, right, len(self.cases), kind))
        sys.exit(right != len(self.cases) or not right)
