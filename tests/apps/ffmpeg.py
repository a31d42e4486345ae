#!/usr/bin/python3
"""Protects: ffmpeg's OpenCL filters, unchanged from the distribution, beside the same filters
that ffmpeg has for the processor."""
import os
import shutil
import subprocess
import sys

try:
    import numpy
except ImportError as error:
    print("skipped:", error)
    sys.exit(77)
if not shutil.which("ffmpeg"):
    print("skipped: ffmpeg is not installed")
    sys.exit(77)

name = {"Portable": "Portable Computing Language"}.get(os.environ.get("APP_PLATFORM", "Culvert"),
                                                       os.environ.get("APP_PLATFORM", "Culvert"))
WIDTH, HEIGHT, FRAMES = 96, 64, 3
PICTURES = "testsrc2=size=%dx%d:rate=5" % (WIDTH, HEIGHT)


def ffmpeg(graph, form, on_device):
    """The bytes of the frames that a filter makes of the test pictures."""
    device = ["-init_hw_device", "opencl=cl:,platform_name=" + name, "-filter_hw_device", "cl"]
    ran = subprocess.run(
        ["ffmpeg", "-nostdin", "-hide_banner", "-loglevel", "error"] + (device if on_device else []) +
        ["-f", "lavfi", "-i", PICTURES, "-frames:v", str(FRAMES), "-vf", graph, "-pix_fmt", form,
         "-f", "rawvideo", "-"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if ran.returncode:
        return None, ran.stderr.decode(errors="replace")
    return numpy.frombuffer(ran.stdout, numpy.uint8).astype(int), ""


# The filter there and here, and the form of the pixels.  Only filters that compute alike: the blurs
# and edge filters treat a picture's edges otherwise on the processor.
CASES = [
    ("erosion_opencl", "erosion", "yuv420p"),
    ("dilation_opencl", "dilation", "yuv420p"),
    ("convolution_opencl=0m=0 -1 0 -1 5 -1 0 -1 0", "convolution=0m=0 -1 0 -1 5 -1 0 -1 0", "gray"),
    ("transpose_opencl=clock", "transpose=clock", "yuv420p"),
    ("pad_opencl=w=120:h=80:x=8:y=4", "pad=w=120:h=80:x=8:y=4", "yuv420p"),
]
version = subprocess.run(["ffmpeg", "-version"], stdout=subprocess.PIPE).stdout.decode().split()[2]
same, message = ffmpeg("format=gray,hwupload,hwdownload,format=gray", "gray", True)
if same is None:
    print("ffmpeg cannot use", name, "\n" + message)
    sys.exit(1)
wrong = 0
for there, here, form in CASES:
    got, message = ffmpeg("format=%s,hwupload,%s,hwdownload,format=%s" % (form, there, form), form, True)
    wanted, ours = ffmpeg("format=%s,%s" % (form, here), form, False)
    if got is None or wanted is None or got.shape != wanted.shape:
        print("  %s: no pictures\n%s%s" % (there, message, ours))
        wrong += 1
        continue
    worst = int(numpy.max(numpy.abs(got - wanted)))
    print("  %-42s differs by %d at most, in %.2f of 100 pixels" %
          (there, worst, 100 * float(numpy.mean(got != wanted))))
    wrong += worst > 0
print("ffmpeg %s on %s: %d of %d filters right" % (version, name, len(CASES) - wrong, len(CASES)))
sys.exit(bool(wrong))
