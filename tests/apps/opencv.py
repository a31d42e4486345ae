#!/usr/bin/python3
"""Protects: OpenCV's transparent API (UMat), unchanged from the distribution: its filters,
transformations and sums on the device beside the same of its own on the processor.  Where a call of
OpenCL fails OpenCV says so on stderr and takes the processor: such an operation is wrong here."""
import os
import sys
import tempfile

name = os.environ.get("APP_PLATFORM", "Culvert")
# "platform:type:device", which OpenCV reads when it first needs one.
os.environ["OPENCV_OPENCL_DEVICE"] = name + "::"
os.environ.setdefault("OPENCV_OPENCL_CACHE_ENABLE", "false")

try:
    import numpy
    import cv2
except ImportError as error:
    print("skipped:", error)
    sys.exit(77)

if not cv2.ocl.haveOpenCL():
    print("skipped: OpenCV finds no OpenCL")
    sys.exit(77)
cv2.ocl.setUseOpenCL(True)
if not cv2.ocl.useOpenCL():
    print("skipped: no", name, "device")
    sys.exit(77)
device = cv2.ocl.Device_getDefault()
assert device.available(), "the device is not available"

random = numpy.random.default_rng(5)
grey = random.integers(0, 256, (61, 83), dtype=numpy.uint8)
colour = random.integers(0, 256, (61, 83, 3), dtype=numpy.uint8)
other = random.integers(0, 256, (61, 83, 3), dtype=numpy.uint8)
real = random.random((61, 83), dtype=numpy.float32)
square = cv2.getRotationMatrix2D((40, 30), 25, 1.1)
box = numpy.ones((3, 3), numpy.uint8)

# What is done, to what, and the difference that rounding may make.
CASES = [
    ("add", lambda a, b: cv2.add(a, b), (colour, other), 0),
    ("absdiff", lambda a, b: cv2.absdiff(a, b), (colour, other), 0),
    ("bitwise_xor", lambda a, b: cv2.bitwise_xor(a, b), (colour, other), 0),
    ("addWeighted", lambda a, b: cv2.addWeighted(a, 0.3, b, 0.6, 2), (colour, other), 1),
    ("compare", lambda a, b: cv2.compare(a, b, cv2.CMP_GT), (colour, other), 0),
    ("threshold", lambda a: cv2.threshold(a, 100, 200, cv2.THRESH_BINARY)[1], (grey,), 0),
    ("cvtColor to grey", lambda a: cv2.cvtColor(a, cv2.COLOR_BGR2GRAY), (colour,), 1),
    ("cvtColor to HSV", lambda a: cv2.cvtColor(a, cv2.COLOR_BGR2HSV), (colour,), 1),
    ("GaussianBlur", lambda a: cv2.GaussianBlur(a, (5, 5), 1.2), (colour,), 1),
    ("blur", lambda a: cv2.blur(a, (5, 3)), (colour,), 1),
    ("medianBlur", lambda a: cv2.medianBlur(a, 3), (colour,), 0),
    ("erode", lambda a: cv2.erode(a, box), (colour,), 0),
    ("dilate", lambda a: cv2.dilate(a, box), (colour,), 0),
    ("Sobel", lambda a: cv2.Sobel(a, cv2.CV_16S, 1, 0), (grey,), 0),
    ("Laplacian", lambda a: cv2.Laplacian(a, cv2.CV_32F), (real,), 1e-5),
    ("filter2D", lambda a: cv2.filter2D(a, cv2.CV_32F, numpy.arange(9, dtype=numpy.float32).reshape(3, 3)),
     (real,), 1e-4),
    ("resize linear", lambda a: cv2.resize(a, (50, 90)), (colour,), 1),
    ("resize area", lambda a: cv2.resize(a, (40, 30), interpolation=cv2.INTER_AREA), (colour,), 1),
    ("warpAffine nearest", lambda a: cv2.warpAffine(a, square, (80, 60), flags=cv2.INTER_NEAREST), (colour,), 0),
    ("flip", lambda a: cv2.flip(a, -1), (colour,), 0),
    ("transpose", lambda a: cv2.transpose(a), (colour,), 0),
    ("pyrDown", lambda a: cv2.pyrDown(a), (grey,), 1),
    ("integral", lambda a: cv2.integral(a), (grey,), 0),
    ("exp", lambda a: cv2.exp(a), (real,), 1e-5),
    ("sqrt", lambda a: cv2.sqrt(a), (real,), 1e-6),
    ("dft", lambda a: cv2.dft(a[:60, :80] if isinstance(a, numpy.ndarray) else cv2.UMat(a, [0, 60], [0, 80]),
                              flags=cv2.DFT_COMPLEX_OUTPUT), (real,), 2e-3),
    ("gemm", lambda a, b: cv2.gemm(a, b, 1, None, 0, flags=cv2.GEMM_2_T), (real, real), 1e-3),
    ("calcHist", lambda a: cv2.calcHist([a], [0], None, [16], [0, 256]), (grey,), 0),
    ("equalizeHist", lambda a: cv2.equalizeHist(a), (grey,), 1),
    ("sum", lambda a: numpy.array(cv2.sumElems(a)), (colour,), 0),
    # Without a mask Python gives OpenCV an empty one, which it cannot hand to its kernel, on any platform.
    ("norm", lambda a, m: numpy.array([cv2.norm(a, cv2.NORM_L2, m)]), (real, (grey > 100).astype(numpy.uint8)),
     1e-3),
    ("minMaxLoc", lambda a: numpy.array(cv2.minMaxLoc(a)[:2]), (real,), 0),
    ("matchTemplate", lambda a, b: cv2.matchTemplate(a, b, cv2.TM_SQDIFF), (real, real[10:20, 15:30].copy()), 1e-2),
]


def on_host(value):
    return value.get() if isinstance(value, cv2.UMat) else value


def on_device(function, inputs):
    """What it gives for them there, and what was said on stderr."""
    with tempfile.TemporaryFile() as said:
        kept = os.dup(2)
        os.dup2(said.fileno(), 2)
        try:
            got = on_host(function(*[cv2.UMat(x) for x in inputs]))
        finally:
            os.dup2(kept, 2)
            os.close(kept)
        said.seek(0)
        return got, said.read().decode(errors="replace")


wrong = []
for what, function, inputs, allowed in CASES:
    cv2.ocl.setUseOpenCL(False)
    wanted = function(*inputs)
    cv2.ocl.setUseOpenCL(True)
    got, said = on_device(function, inputs)
    if "ERROR" in said:
        wrong.append("%s: OpenCV gave it up: %s" % (what, said.strip()))
        continue
    if got.shape != wanted.shape:
        wrong.append("%s: of shape %s, not %s" % (what, got.shape, wanted.shape))
        continue
    difference = float(numpy.max(numpy.abs(got.astype(numpy.float64) - wanted.astype(numpy.float64))))
    if not difference <= allowed:
        wrong.append("%s: differs by %g" % (what, difference))
cv2.ocl.finish()
for line in wrong:
    print(line)
print("OpenCV %s on %s: %d of %d operations right" % (cv2.__version__, device.name(),
                                                   len(CASES) - len(wrong), len(CASES)))
sys.exit(bool(wrong))
