#!/usr/bin/python3
"""Protects: piglit's tests of OpenCL, unchanged: of the API, of programs that have to build or to fail, of kernels
that have the results they must have beside them.  PIGLIT names the program (piglit in PATH otherwise),
PIGLIT_VERSION its version where it is no package of a distribution.  APP_JOBS tests run at once; after APP_LIMIT seconds
piglit is ended, and those count that have ended before."""
import atexit
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

piglit = os.environ.get("PIGLIT") or shutil.which("piglit")
if not piglit:
    print("skipped: no piglit")
    sys.exit(77)
folder = tempfile.mkdtemp()
atexit.register(shutil.rmtree, folder, ignore_errors=True)
with open(os.path.join(folder, "piglit.conf"), "w") as settings:
    settings.write("[core]\ncompression=none\n")

# The mistake is the test's or the loader's.  Newer versions of piglit have mended the first four.
MISTAKEN = {
    "api@clgetcommandqueueinfo": "asks a queue on the host for CL_QUEUE_SIZE (5.1: CL_INVALID_COMMAND_QUEUE)",
    "api@clgetdeviceinfo": "knows no OpenCL after 1.2",
    "api@clcreateprogramwithbinary": "makes a kernel before the program is built (5.9.1: CL_INVALID_PROGRAM_EXECUTABLE)",
    "api@clgetkernelarginfo": "wants no information to be there without -cl-kernel-arg-info",
    "api@clsetkernelarg": "wants an error for local memory of no bytes, which OpenCL 3.1 takes (5.9.2)",
    "api@clgetmemobjectinfo": "a sub-buffer at byte 256, whatever CL_DEVICE_MEM_BASE_ADDR_ALIGN is (5.2.1)",
    "api@clgetextensionfunctionaddressforplatform": "some loaders answer for no platform at all",
    "program@build@include-directories": "the header that it includes is not installed",
}
# The software device does not let these pass: they read or write behind their buffers, those of vload one element at
# vectors of three.
BEHIND = (r"@vload(_half)?-\w+-(local|private)$", r"@pyrit-wpa-psk$", r"@constant-load$", r"@clz-optimizations$", r"@bswap$",
          r"@atomic_int64_cmpxchg-local$")
# And those of each builtin function, which take it minutes; tests/builtins has them in more precision.
LONG = (r"^program@execute@builtin@",)
# Sharing with EGL wants a display.
DISPLAY = (r"^interop@",)


LIMIT, started = float(os.environ.get("APP_LIMIT", "0")) or None, time.monotonic()


def ask(name, *options):
    """What came of the tests that the OPTIONS choose, and whether there was too little time for all."""
    kept = os.path.join(folder, name)
    jobs = os.environ.get("APP_JOBS", "1")
    # Without a GPU of Mesa's in /dev/dri, piglit runs tests of OpenCL one after another unless it is told not to.
    together = [] if jobs == "1" else ["--all-concurrent"]
    command = [piglit, "run", "-f", os.path.join(folder, "piglit.conf"), "-l", "quiet", "--timeout", "60", "-j", jobs]
    late = False
    try:
        subprocess.run(command + together + list(options) + ["cl", kept], stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, check=False, timeout=LIMIT and LIMIT - (time.monotonic() - started))
    except subprocess.TimeoutExpired:
        late = True
    seen = {}
    # It puts those of all tests together at its end.
    for path in glob.glob(os.path.join(kept, "tests", "*.json")) if late else [os.path.join(kept, "results.json")]:
        try:
            with open(path) as file:
                read = json.load(file)
            seen.update(read if late else read["tests"])
        except (OSError, ValueError):
            pass
    return seen, late


def said(test, what):
    found = re.search(r"^# +%s: (.*)$" % what, test["out"], re.M)
    return found[1] if found else ""


def version():
    """PIGLIT_VERSION, or the date that a distribution's package has in its version: piglit has no releases."""
    if os.environ.get("PIGLIT_VERSION"):
        return os.environ["PIGLIT_VERSION"]
    try:
        package = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", "piglit"], capture_output=True, text=True)
        return re.search(r"git(\d{8})", package.stdout)[1]
    except (OSError, TypeError):
        return "of-its-repository"


name = os.environ.get("APP_PLATFORM", "Culvert")
first, _ = ask("first", "-t", "^custom@run simple kernel$")
found = [test for test in first.values() if name in said(test, "Platform")]
if not found:
    print("skipped: no", name, "device, or piglit without its tests of OpenCL")
    sys.exit(77)
device = said(found[0], "Device")
without = DISPLAY + (BEHIND + LONG if "softcuda" in device else ())
tests, late = ask("all", *[option for pattern in without for option in ("-x", pattern)])
asked = {test: seen for test, seen in tests.items() if seen["result"] not in ("skip", "incomplete")}
wrong = [test for test, seen in asked.items() if seen["result"] not in ("pass", "warn")]
for test in wrong:
    parts = [part for part, result in asked[test]["subtests"].items() if result not in ("pass", "skip", "Subtests")]
    print("  %s: %s%s" % (test, asked[test]["result"], ": " + ", ".join(parts) if parts else ""))
    print("    " + (MISTAKEN.get(test) or "WRONG: " + " ".join(asked[test]["err"].split())[-300:]))
print("piglit %s on %s: %d of %d tests %sright" % (version(), device, len(asked) - len(wrong), len(asked),
                                                   "until a limit of %d s " % LIMIT if late else ""))
sys.exit(not asked or any(test not in MISTAKEN for test in wrong))
