#!/usr/bin/python3
"""Protects: gr-fosphor, GNU Radio's display of spectra: its kernels, unchanged, as they are stored in its library.  Fourier
transforms with a window of 512 and 1024 points, and what becomes of their powers: a waterfall in an image, a histogram with
rise and decay in another image that is read and written, the averaged and the largest spectrum, each beside NumPy.  FOSPHOR
names libgnuradio-fosphor.so (where Debian has it otherwise).  APP_PYTHON is a Python that has pyopencl and numpy."""
import glob
import os
import re
import sys

from results import Results, device, started

started()
library = os.environ.get("FOSPHOR") or next(iter(glob.glob("/usr/lib/*/libgnuradio-fosphor.so.*")), "")
try:
    import numpy
    import pyopencl as cl
    with open(library, "rb") as file:
        stored = file.read()
except (ImportError, OSError) as error:
    print("skipped:", error)
    sys.exit(77)
DEVICE = device()
context = cl.Context([DEVICE])
queue = cl.CommandQueue(context)
flags = cl.mem_flags
random = numpy.random.default_rng(3)
BATCH, ROWS, BINS = 64, 256, 128


def kernel_file(name):
    """The file NAME of OpenCL C, as the library has it."""
    begin = stored.rindex(b"/*", 0, stored.index(b"* " + name))
    return stored[begin:stored.index(b"/* vim: set syntax=c: */", begin)].decode()


def buffer(array):
    return cl.Buffer(context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=numpy.ascontiguousarray(array))


def image(array):
    # Only newer versions of PyOpenCL have a function for it.
    make = getattr(cl, "create_image", cl.Image)
    return make(context, flags.READ_WRITE | flags.COPY_HOST_PTR, cl.ImageFormat(cl.channel_order.R, cl.channel_type.FLOAT),
                shape=array.shape[::-1], hostbuf=array)


def complex_noise(*shape):
    return (random.normal(size=shape) + 1j * random.normal(size=shape)).astype("c8")


def transform(length):
    """Whether the windowed transforms of BATCH signals are NumPy's."""
    program = cl.Program(context, kernel_file(b"fft.cl")).build()
    signals = complex_noise(BATCH, length)
    window = numpy.hamming(length).astype("f4")
    output = buffer(numpy.zeros_like(signals))
    cl.Kernel(program, "fft1D_%d" % length)(queue, (length // 8, BATCH), (length // 8, 1), buffer(signals), output,
                                            buffer(window))
    got = numpy.empty_like(signals)
    cl.enqueue_copy(queue, got, output)
    wanted = numpy.fft.fft(signals.astype("c16") * window)
    return abs(got - wanted).max() < 3e-6 * abs(wanted).max()


class Display:
    """What the kernel `display` makes of two batches of spectra of 1024 points, and what NumPy makes of them."""
    LENGTH, ALPHA, RISE, DECAY, SCALE, OFFSET = 1024, 0.002, 16.0, 1024.0, 28.0, 1.5

    def __init__(self, options=()):
        program = cl.Program(context, kernel_file(b"display.cl")).build(list(options))
        histogram = image(numpy.zeros((BINS, self.LENGTH), "f4"))
        waterfall = image(numpy.zeros((ROWS, self.LENGTH), "f4"))
        vertices = numpy.zeros((2, self.LENGTH, 2), "f4")
        vertices[1, :, 1] = -1000
        points = buffer(vertices)
        self.wanted = dict(waterfall=numpy.zeros((ROWS, self.LENGTH)), histogram=numpy.zeros((BINS, self.LENGTH)),
                           live=numpy.zeros(self.LENGTH), most=numpy.full(self.LENGTH, -1000.0))
        self.doubtful = numpy.zeros((BINS, self.LENGTH), bool)
        f4, u4 = numpy.float32, numpy.uint32
        for row in (0, ROWS - BATCH // 2):
            spectra = complex_noise(BATCH, self.LENGTH) * f4(10) ** random.uniform(-1, 2, self.LENGTH).astype("f4")
            cl.Kernel(program, "display")(queue, (self.LENGTH, 16), (16, 16), buffer(spectra), u4(10), u4(BATCH), waterfall,
                                          u4(row), histogram, histogram, f4(self.RISE), f4(self.DECAY), f4(self.SCALE),
                                          f4(self.OFFSET), points, f4(self.ALPHA))
            self.expect(spectra, row)
        self.got = {}
        for name, source, rows in (("waterfall", waterfall, ROWS), ("histogram", histogram, BINS)):
            self.got[name] = numpy.empty((rows, self.LENGTH), "f4")
            cl.enqueue_copy(queue, self.got[name], source, origin=(0, 0), region=(self.LENGTH, rows))
        cl.enqueue_copy(queue, vertices, points)
        self.x, self.got["live"], self.got["most"] = vertices[:, :, 0], vertices[0, :, 1], vertices[1, :, 1]

    def expect(self, spectra, row):
        power = numpy.log10(abs(spectra.astype("c16")))
        wanted, age = self.wanted, numpy.arange(BATCH)[::-1, None]
        for i in range(BATCH):
            wanted["waterfall"][(row + i) % ROWS] = power[i]
        halves = numpy.fft.fftshift
        keep = 1.0 - self.ALPHA
        wanted["live"] = wanted["live"] * keep ** BATCH + halves((power * keep ** age).sum(0)) * self.ALPHA
        wanted["most"] = numpy.maximum(wanted["most"] * 0.999 + 0.001 * wanted["live"], halves(power.max(0)))
        place = self.SCALE * (power + self.OFFSET)
        bins = numpy.clip(numpy.floor(place + 0.5), 0, BINS - 1).astype(int)
        hits = numpy.zeros((BINS, self.LENGTH))
        columns = numpy.broadcast_to(numpy.arange(self.LENGTH), bins.shape)
        numpy.add.at(hits, (bins, columns), 1)
        # A power on the border of two bins may fall in either.
        border = abs(place + 0.5 - numpy.round(place + 0.5)) < 1e-3
        for step in (-1, 0, 1):
            self.doubtful[numpy.clip(bins + step, 0, BINS - 1)[border], columns[border]] = True
        rise = hits / BATCH / self.RISE
        rate = rise + 1 / self.DECAY
        level = rise / rate
        old = wanted["histogram"]
        new = numpy.clip((old - level) * (1 - rate) ** BATCH + level, 0, 1)
        self.doubtful |= (abs(old - 0.01) < 1e-5) & (hits == 0)
        wanted["histogram"] = numpy.where((old <= 0.01) & (hits == 0), old, new)

    def right(self, name, error):
        off = abs(self.got[name] - self.wanted[name])
        if name == "histogram":
            off = off[~self.doubtful]
            assert off.size > 0.9 * self.doubtful.size
        return off.max() < error


displays = {}


def display(*options):
    if options not in displays:
        displays[options] = Display(options)
    return displays[options]


results = Results()
for points in (512, 1024):
    results.add("transform of %d points" % points, lambda points=points: transform(points))
for options in ((), ("-DUSE_EXT_ATOMICS",)):
    for part, error in (("waterfall", 2e-6), ("histogram", 2e-4), ("live", 2e-5), ("most", 2e-6)):
        results.add("%s %s" % (part, " ".join(options)),
                    lambda part=part, error=error, options=options: display(*options).right(part, error))
results.add("places of the points", lambda: (display().x == numpy.arange(1024) / 512 - 1).all())
version = re.search(r"so\.(\d[\d.]*)$", os.path.realpath(library))
results.end("gr-fosphor", version[1] if version else "of-its-library", DEVICE.name.strip())
