"""Intel's SYCL runtime by way of OpenCL, for scripts of Python packages that use it."""
import importlib
import os
import sys


def started(*packages):
    """The first of PACKAGES, imported by APP_PYTHON, which sees OpenCL's platforms alone; the script is skipped where
    one of them is not there."""
    if not os.environ.get("APP_STARTED"):
        os.environ["APP_STARTED"] = "yes"
        os.environ["ONEAPI_DEVICE_SELECTOR"] = "opencl:*"
        python = os.environ.get("APP_PYTHON", sys.executable)
        # Its runtime finds its own libraries by this alone.
        os.environ["LD_LIBRARY_PATH"] = os.path.join(os.path.dirname(os.path.dirname(python)), "lib") + ":" + \
            os.environ.get("LD_LIBRARY_PATH", "")
        os.execvp(python, [python] + sys.argv)
    try:
        return [importlib.import_module(package) for package in packages][0]
    except (ImportError, OSError) as error:
        print("skipped:", error)
        sys.exit(77)


def device():
    """The platform's first device, as dpctl has it; the script is skipped where it has none."""
    import dpctl
    name = os.environ.get("APP_PLATFORM", "Culvert")
    found = next((d for d in dpctl.get_devices() if name in d.sycl_platform.name), None)
    if found is None:
        print("skipped: no", name, "device")
        sys.exit(77)
    return found
