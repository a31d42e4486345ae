#!/usr/bin/python3
"""Protects: UFO, the framework for tomography at synchrotrons, unchanged from the distribution: filters of ufo-launch,
a kernel or several each, many on images, beside NumPy in double precision."""
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

os.environ.setdefault("PYOPENCL_NO_CACHE", "1")
os.environ.setdefault("UFO_DEVICES", "0")  # given several, UFO shares the frames, and filters that want all get a few

try:
    import numpy
    import pyopencl
except ImportError as error:
    print("skipped:", error)
    sys.exit(77)
if not shutil.which("ufo-launch"):
    print("skipped: ufo-launch is not installed")
    sys.exit(77)
name = os.environ.get("APP_PLATFORM", "Culvert")
# ufo-launch takes the first platform with a GPU.
platform = next((p for p in pyopencl.get_platforms() if name in p.name), None)
if platform is None or not platform.get_devices(pyopencl.device_type.ALL):
    print("skipped: no", name, "device")
    sys.exit(77)
device = platform.get_devices()[0].name

# What a value may be off by, of the range of what was wanted.  An image's filter has eight bits for what is between
# two texels.
PLAIN, FILTERED = 2e-6, 1 / 200
random = numpy.random.default_rng(7)
rows, columns = numpy.mgrid[0:48, 0:64]
# Frames of waves with noise, a slice of disks, its sinogram.
frames = numpy.stack([100 + 50 * numpy.sin(columns / 7 + t) + 30 * numpy.cos(rows / 5 - t)
                      + 10 * random.standard_normal((48, 64)) for t in range(4)])
others = 90 + 40 * numpy.cos(columns / 9) + 5 * random.random((4, 48, 64))
dark, flat = numpy.full((1, 48, 64), 5.0), 220 + 20 * random.random((1, 48, 64))
ys, xs = numpy.mgrid[0:64, 0:64]
square = 10 * numpy.exp(-((xs - 30) ** 2 + (ys - 36) ** 2) / 90) + (numpy.hypot(xs - 20, ys - 24) < 5)
squares = square + 0.1 * random.standard_normal((4, 64, 64))
ANGLES, STEP = 40, 0.0785398163
sinogram = 5 + numpy.cumsum(random.standard_normal((ANGLES, 64)), axis=1)
INPUTS = {"frames": frames, "frame": frames[:1], "others": others, "dark": dark, "flat": flat, "square": square[None],
          "squares": squares, "sinogram": sinogram[None]}
INPUTS = {what: values.astype("<f4") for what, values in INPUTS.items()}
frames, others, dark, flat, squares = (INPUTS[what].astype(float) for what in
                                       ("frames", "others", "dark", "flat", "squares"))
square, sinogram = INPUTS["square"][0].astype(float), INPUTS["sinogram"][0].astype(float)


def texel(image, x, y, mode):
    height, width = image.shape
    if mode == "clamp":
        inside = (x >= 0) & (x < width) & (y >= 0) & (y < height)
        return numpy.where(inside, image[y.clip(0, height - 1), x.clip(0, width - 1)], 0)
    if mode == "repeat":
        return image[y % height, x % width]
    if mode == "mirror":
        y, x = y % (2 * height), x % (2 * width)
        return image[numpy.minimum(y, 2 * height - 1 - y), numpy.minimum(x, 2 * width - 1 - x)]
    return image[y.clip(0, height - 1), x.clip(0, width - 1)]


def sample(image, x, y, mode="clamp"):
    """OpenCL C's linear filter, of texels whose centres are at halves."""
    left, top = numpy.floor(x - 0.5).astype(int), numpy.floor(y - 0.5).astype(int)
    a, b = x - 0.5 - left, y - 0.5 - top
    return ((1 - a) * (1 - b) * texel(image, left, top, mode) + a * (1 - b) * texel(image, left + 1, top, mode)
            + (1 - a) * b * texel(image, left, top + 1, mode) + a * b * texel(image, left + 1, top + 1, mode))


def per_frame(function, given=frames):
    return numpy.stack([function(frame) for frame in given])


def interleaved(spectrum):
    return numpy.stack([spectrum.real, spectrum.imag], axis=-1)


def gradient(frame, axis):
    """The kernel's: central differences, and at both ends those of the neighbour."""
    values = numpy.moveaxis(frame, axis, 0)
    inner = (values[2:] - values[:-2]) / 2
    return numpy.moveaxis(numpy.concatenate([inner[:1], inner, inner[-1:]]), 0, axis)


def median(frame, size=3):
    windows = numpy.lib.stride_tricks.sliding_window_view(frame, (size, size))
    return numpy.median(windows, axis=(2, 3))


def no_outliers(frame):
    """Where a value is over the median by the threshold, a mean of the median and the one below takes its place."""
    result = frame.copy()
    windows = numpy.sort(numpy.lib.stride_tricks.sliding_window_view(frame, (3, 3)).reshape(46, 62, 9), axis=2)
    inner = frame[1:-1, 1:-1]
    result[1:-1, 1:-1] = numpy.where(inner > windows[:, :, 4] + 10, (windows[:, :, 4] + windows[:, :, 3]) / 2, inner)
    return result


def padded(mode):
    """The filter divides by sizes less one.  Its last row and column, between two texels then, are cut off."""
    y, x = numpy.mgrid[0:52, 0:67]
    return per_frame(lambda frame: texel(frame, (x - 4) * 64 // 63, (y - 5) * 48 // 47, mode))


def rescaled(x_factor, y_factor):
    """But for the borders, where the sampler may read what is outside, and the filter says that it does not."""
    y, x = numpy.mgrid[1:48 * y_factor - 1, 1:64 * x_factor - 1]
    return per_frame(lambda frame: sample(frame, (x + 0.5) / x_factor, (y + 0.5) / y_factor, "edge"))


def rotated(angle):
    x, y = xs + 0.5 - 32, ys + 0.5 - 32
    sine, cosine = numpy.sin(-angle), numpy.cos(angle)
    return per_frame(lambda frame: sample(frame, cosine * x - sine * y + 32, sine * x + cosine * y + 32), squares)


def polar():
    distance, turn = numpy.meshgrid(numpy.arange(30), (2 * numpy.arange(60) / 60 - 1) * numpy.pi)
    x, y = distance * numpy.cos(turn) + 32, distance * numpy.sin(turn) + 32
    return per_frame(lambda frame: sample(frame, x, y), squares)


def projected():
    """Along each ray, a sample for each pixel of its way through the circle."""
    result = numpy.zeros((90, 64))
    across = numpy.arange(64) - 31.5
    length = numpy.sqrt(4 * 32.0 ** 2 - 4 * across ** 2)
    for row in range(90):
        cosine, sine = numpy.cos(row * 0.035), numpy.sin(row * 0.035)
        for i in range(64):
            along = i - length / 2
            result[row] += (i < length) * sample(square, 32 + across * cosine + along * sine,
                                                 32 + across * sine - along * cosine)
    return result[None]


def projected_back(rays):
    """RAYS gives what a projection adds at these places of it."""
    turns = numpy.arange(ANGLES) * STEP
    places = ((xs - 31.5) * numpy.cos(turn) + (ys - 31.5) * numpy.sin(turn) + 32 for turn in turns)
    return sum(rays(place, row) for row, place in enumerate(places))[None] * numpy.pi / ANGLES


def linear_ray(place, row):
    return sample(sinogram, place, row + 0.5 + 0 * place)


def volume():
    """Four slices of a volume that turns before a detector, on which rays without a source stand upright."""
    y, x = numpy.mgrid[-16:16, -16:16]
    turns = numpy.arange(4) * numpy.pi / 4
    return numpy.stack([sum(sample(frame, x * numpy.cos(turn) - y * numpy.sin(turn) + 32, 0 * x + z + 32.0)
                            for frame, turn in zip(squares, turns)) for z in (-8, -4, 0, 4)]) * numpy.pi / 4


def reading(what):
    height, width = INPUTS[what].shape[1:]
    return "read path=%s.raw raw-width=%d raw-height=%d raw-bitdepth=32" % (what, width, height)


FRAMES, SQUARES = reading("frames"), reading("squares")
SLICE, SINOGRAM = reading("square"), reading("sinogram")
PAIR = "[ %s, %s ] ! " % (FRAMES, reading("others"))
FLATS = "[ %s, %s, %s ] ! flat-field-correct " % (FRAMES, reading("dark"), reading("flat"))
PAD, CUT = FRAMES + " ! pad x=4 y=5 width=80 height=60 addressing-mode=", " ! crop x=0 y=0 width=67 height=52"
BACK = SINOGRAM + " ! backproject axis-pos=32 angle-step=%.10f mode=" % STEP
flattened = (frames - dark) / (flat - dark)
CASES = [
    ("average", FRAMES + " ! average", PLAIN, lambda: frames.mean(axis=0)[None]),
    ("bin", FRAMES + " ! bin size=2", PLAIN, lambda: frames.reshape(4, 24, 2, 32, 2).sum(axis=(2, 4))),
    ("binarize", FRAMES + " ! binarize threshold=110", PLAIN, lambda: 1.0 * (frames >= 110)),
    ("calculate", FRAMES + " ! calculate expression='sqrt(fabs(v))+sin((float)x)'", PLAIN,
     lambda: numpy.sqrt(abs(frames)) + numpy.sin(numpy.arange(48 * 64.0)).reshape(48, 64)),
    ("clip", FRAMES + " ! clip min=80 max=120", PLAIN, lambda: frames.clip(80, 120)),
    ("crop", FRAMES + " ! crop x=3 y=5 width=20 height=18", PLAIN, lambda: frames[:, 5:23, 3:23]),
    ("fft of rows", FRAMES + " ! fft dimensions=1", PLAIN, lambda: interleaved(numpy.fft.fft(frames))),
    ("fft of planes", SQUARES + " ! fft dimensions=2", PLAIN, lambda: interleaved(numpy.fft.fft2(squares))),
    ("fft and back", SQUARES + " ! fft dimensions=2 ! ifft dimensions=2", PLAIN, lambda: squares / 64 ** 2),
    ("power-spectrum", SQUARES + " ! fft dimensions=2 ! power-spectrum", PLAIN,
     lambda: abs(numpy.fft.fft2(squares)) ** 2),
    ("flat-field-correct", FLATS + "absorption-correct=false", PLAIN, lambda: flattened),
    ("absorption", FLATS + "absorption-correct=true fix-nan-and-inf=true", PLAIN,
     lambda: numpy.where(flattened > 0, -numpy.log(abs(flattened)), 0)),
    ("flip horizontally", FRAMES + " ! flip direction=horizontal", PLAIN, lambda: frames[:, :, ::-1]),
    ("flip vertically", FRAMES + " ! flip direction=vertical", PLAIN, lambda: frames[:, ::-1]),
    ("gradient of rows", FRAMES + " ! gradient direction=horizontal", PLAIN,
     lambda: per_frame(lambda frame: gradient(frame, 1))),
    ("gradients", FRAMES + " ! gradient direction=both_abs", PLAIN,
     lambda: per_frame(lambda frame: abs(gradient(frame, 0)) + abs(gradient(frame, 1)))),
    ("measure mean", FRAMES + " ! measure metric=mean axis=-1", PLAIN, lambda: frames.mean(axis=(1, 2))),
    ("measure std", FRAMES + " ! measure metric=std axis=0", PLAIN, lambda: frames.std(axis=2)),
    ("median-filter", FRAMES + " ! median-filter size=3 ! crop x=1 y=1 width=62 height=46", PLAIN,
     lambda: per_frame(median)),
    ("remove-outliers", FRAMES + " ! remove-outliers size=3 threshold=10", PLAIN, lambda: per_frame(no_outliers)),
    ("opencl", PAIR + "opencl kernel=diff", PLAIN, lambda: frames - others),
    ("opencl of a file", FRAMES + " ! opencl filename=own.cl kernel=thrice", PLAIN, lambda: 3 * frames),
    ("opencl-reduce", FRAMES + " ! opencl-reduce kernel=maximum", PLAIN, lambda: frames.max(axis=0)[None]),
    ("subtract", PAIR + "subtract", PLAIN, lambda: frames - others),
    ("swap-quadrants", SQUARES + " ! swap-quadrants", PLAIN, lambda: numpy.fft.fftshift(squares, axes=(1, 2))),
    ("transpose", FRAMES + " ! transpose", PLAIN, lambda: frames.transpose(0, 2, 1)),
    ("sinograms", FRAMES + " ! transpose-projections number=4", PLAIN, lambda: frames.transpose(1, 0, 2)),
    ("pad with zero", PAD + "clamp" + CUT, PLAIN, lambda: padded("clamp")),
    ("pad with the edge", PAD + "clamp_to_edge" + CUT, PLAIN, lambda: padded("edge")),
    ("pad, repeated", PAD + "repeat" + CUT, PLAIN, lambda: padded("repeat")),
    ("pad, mirrored", PAD + "mirrored_repeat" + CUT, PLAIN, lambda: padded("mirror")),
    ("rescale", FRAMES + " ! rescale x-factor=1.75 y-factor=1.25 ! crop x=1 y=1 width=110 height=58", FILTERED,
     lambda: rescaled(1.75, 1.25)),
    ("rescale to nearest", FRAMES + " ! rescale factor=2 interpolation=nearest", PLAIN,
     lambda: frames.repeat(2, axis=1).repeat(2, axis=2)),
    ("rotate", SQUARES + " ! rotate angle=0.4", FILTERED, lambda: rotated(0.4)),
    ("polar-coordinates", SQUARES + " ! polar-coordinates width=30 height=60", FILTERED, polar),
    ("forwardproject", SLICE + " ! forwardproject number=90 angle-step=0.035", FILTERED, projected),
    ("general-backproject", SQUARES + " ! general-backproject burst=4 num-projections=4 center-position-x=32 "
     "center-position-z=32 overall-angle=3.14159265 parameter=z region=-8,8,4 x-region=-16,16,1 y-region=-16,16,1",
     FILTERED, volume),
    ("backproject", BACK + "texture", FILTERED, lambda: projected_back(linear_ray)),
]


def ran(chain):
    """(what came out, what was said)"""
    process = subprocess.run(["ufo-launch", "--quieter"] + shlex.split(chain) + ["!", "write", "filename=out.raw"],
                             cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                             timeout=120)
    said, result = process.stdout.decode(errors="replace").strip(), os.path.join(folder, "out.raw")
    if not os.path.exists(result):
        return None, said
    values = numpy.fromfile(result, "<f4")
    os.remove(result)
    return values if process.returncode == 0 else None, said


folder = tempfile.mkdtemp()
right = 0
try:
    for what, values in INPUTS.items():
        values.tofile(os.path.join(folder, what + ".raw"))
    with open(os.path.join(folder, "own.cl"), "w") as source:
        source.write("kernel void thrice(global float *in, global float *out)\n"
                     "{ size_t i = get_global_id(1) * get_global_size(0) + get_global_id(0); out[i] = in[i] * 3; }\n")
    for what, chain, most, reference in CASES:
        got, said = ran(chain)
        wanted = reference().ravel()
        if got is None or got.shape != wanted.shape:
            good, said = False, said or "%d values of %d" % (0 if got is None else got.size, wanted.size)
        else:
            off = abs(got - wanted).max() / (wanted.max() - wanted.min())
            good, said = bool(off <= most), "off by %.1e" % off
        right += good
        print("  %-22s %s%s" % (what, said[-300:], "" if good else ": WRONG"), flush=True)
finally:
    shutil.rmtree(folder, ignore_errors=True)
version = re.search(r"\d[\d.]*\d", subprocess.run(["ufo-launch", "--version"], stdout=subprocess.PIPE).stdout.decode())
print("UFO %s on %s: %d of %d filters right" % (version[0] if version else "?", device, right, len(CASES)))
sys.exit(right != len(CASES))
