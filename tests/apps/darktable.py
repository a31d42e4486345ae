#!/usr/bin/python3
"""Protects: darktable's OpenCL code, unchanged from the distribution: it builds all of its kernels, and
develops a picture as it does on the processor."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

try:
    import numpy
    import cv2
except ImportError as error:
    print("skipped:", error)
    sys.exit(77)
if not shutil.which("darktable-cli"):
    print("skipped: darktable is not installed")
    sys.exit(77)
folder = tempfile.mkdtemp()
WIDTH, HEIGHT = 96, 64


def write_picture(file):
    """Slopes of the three colours, as PNG."""
    y, x = numpy.mgrid[0:HEIGHT, 0:WIDTH]
    picture = numpy.stack([x * 2 % 256, y * 4 % 256, (x + y) * 3 % 256], axis=2).astype(numpy.uint8)
    cv2.imwrite(file, picture)


def developed(name, options):
    """The picture that comes out, and what darktable says of OpenCL.  Its measurement of the device,
    which would refuse a slow one, is off."""
    result = os.path.join(folder, name + ".png")
    ran = subprocess.run(
        ["darktable-cli", os.path.join(folder, "in.png"), result, "--width", "48", "--height", "48", "--core",
         "--configdir", os.path.join(folder, name), "--cachedir", os.path.join(folder, name + ".cache"),
         "--library", ":memory:", "--conf", "opencl_checksum=OFF", "-d", "opencl"] + options,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    said = ran.stdout.decode(errors="replace")
    return (cv2.imread(result).astype(int) if os.path.exists(result) else None), said


try:
    version = subprocess.run(["darktable-cli", "--version"], stdout=subprocess.PIPE).stdout.decode()
    version = re.search(r"[0-9]+\.[0-9.]*[0-9]", version)[0]
    write_picture(os.path.join(folder, "in.png"))
    wanted, _ = developed("processor", ["--disable-opencl"])
    got, said = developed("device", ["--conf", "opencl=TRUE"])
finally:
    shutil.rmtree(folder, ignore_errors=True)
device = re.search(r"internal numbers and names.*\n.*?'(.*)'", said)
events = re.search(r"(\d+) out of (\d+) events were successful and (\d+) events lost", said)
worst = int(numpy.max(numpy.abs(got - wanted))) if got is not None and got.shape == wanted.shape else None
checks = [
    ("every kernel is built", device is not None and "failed to build" not in said and "could not build" not in said),
    ("commands ran, none was lost", events is not None and int(events[1]) > 0 and events[3] == "0"),
    ("differs by %s of 255 from the processor's" % worst, worst is not None and worst <= 1),
]
for what, good in checks:
    print("  %s%s" % (what, "" if good else ": WRONG"))
right = sum(good for _, good in checks)
if right != len(checks):
    print(said)
print("darktable %s on %s: %d of %d checks right" % (version, device[1] if device else "no device", right, len(checks)))
sys.exit(right != len(checks))
