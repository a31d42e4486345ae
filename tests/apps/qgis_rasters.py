#!/usr/bin/python3
"""Protects: QGIS's analysis of rasters by OpenCL, unchanged from the distribution: slope, aspect, hillshade and
ruggedness, the raster calculator, whose kernels are made of what is asked, and the renderer of hills, each beside its own
code for the processor."""
import ctypes
import os
import re
import shutil
import sys
import tempfile

import platforms

folder = tempfile.mkdtemp()
os.environ.update(HOME=folder, XDG_RUNTIME_DIR=folder, QT_QPA_PLATFORM="offscreen")


def skip(*why):
    print("skipped:", *why)
    sys.stdout.flush()
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(77)


try:
    import numpy
    from qgis.core import (Qgis, QgsApplication, QgsCoordinateTransformContext, QgsHillshadeRenderer,
                           QgsProcessingException, QgsRasterLayer)
    from qgis.analysis import (QgsAspectFilter, QgsHillshadeFilter, QgsRasterCalculator, QgsRasterCalculatorEntry,
                               QgsRuggednessFilter, QgsSlopeFilter)
except ImportError as error:
    skip(error)


def library(name):
    """The one that this process has loaded already."""
    with open("/proc/self/maps") as maps:
        found = re.search(r"\S+/%s\.so\S*" % name, maps.read())
    return ctypes.CDLL(found[0]) if found else skip("no", name)


class OpenCl:
    """QgsOpenClUtils, which has no Python of its own."""

    def __init__(self, programs):
        core, text = library("libqgis_core"), ctypes.c_void_p()
        made = library("libQt5Core")._ZN7QString15fromUtf8_helperEPKci
        made.argtypes, made.restype = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int], ctypes.c_void_p
        made(ctypes.byref(text), programs, len(programs))
        try:
            core._ZN14QgsOpenClUtils13setSourcePathERK7QString(ctypes.byref(text))
            self.enable = core._ZN14QgsOpenClUtils10setEnabledEb
            self.available = core._ZN14QgsOpenClUtils9availableEv
        except AttributeError:
            skip("a QGIS without OpenCL")
        self.enable.argtypes, self.available.restype = [ctypes.c_bool], ctypes.c_bool


name = os.environ.get("APP_PLATFORM", "Culvert")
if platforms.number(name) is None:
    skip("no", name, "device")
application, said = QgsApplication([], False, folder), []
application.initQgis()
application.messageLog().messageReceived.connect(lambda text, tag, level: tag == "OpenCL" and said.append(text))
opencl = OpenCl(os.path.join(application.pkgDataPath(), "resources", "opencl_programs").encode())
opencl.enable(True)
if not opencl.available():
    sys.exit("QGIS takes no device: %s" % said)
device = next(text.split(": ", 1)[1] for text in said if text.startswith("Active OpenCL device: "))

WIDTH, HEIGHT, SUN, HEIGHT_OF_SUN = 331, 217, 300, 40
LAND = os.path.join(folder, "land.bil")
y, x = numpy.mgrid[0:HEIGHT, 0:WIDTH]
land = (200 * numpy.sin(x / 23) * numpy.cos(y / 17) + 0.7 * x + 30 * numpy.sin(x * y / 500)
        + numpy.random.default_rng(1).uniform(-3, 3, (HEIGHT, WIDTH)))
land.astype("<f4").tofile(LAND)
with open(os.path.join(folder, "land.hdr"), "w") as file:
    file.write("NROWS %d\nNCOLS %d\nNBANDS 1\nNBITS 32\nPIXELTYPE FLOAT\nBYTEORDER I\nLAYOUT BIL\nULXMAP 5\n"
               "ULYMAP 5\nXDIM 10\nYDIM 10\nNODATA -9999\n" % (HEIGHT, WIDTH))
layer = QgsRasterLayer(LAND, "land")


def values(block, kind):
    return numpy.frombuffer(bytes(block.data()), kind).reshape(HEIGHT, WIDTH, -1).astype(float)


def read(file):
    made = QgsRasterLayer(file, "made")
    block = made.dataProvider().block(1, made.extent(), WIDTH, HEIGHT)
    return values(block, {Qgis.DataType.Float32: numpy.float32, Qgis.DataType.Float64: numpy.float64}[block.dataType()])


def filtered(kind, *options):
    out = os.path.join(folder, "out.tif")
    made = kind(LAND, out, "GTiff", *options)
    made.setZFactor(1.5)
    failed = made.processRaster(None)
    if failed:
        raise RuntimeError("failed with %s" % failed)
    # Of the last row the kernels see a row behind it that is long gone, on PoCL, too.
    return read(out)[:-1]


def calculated(formula):
    entry, out = QgsRasterCalculatorEntry(), os.path.join(folder, "out.tif")
    entry.ref, entry.raster, entry.bandNumber = "land@1", layer, 1
    failed = QgsRasterCalculator(formula.replace("land", '"land@1"'), out, "GTiff", layer.extent(), WIDTH, HEIGHT,
                                 [entry], QgsCoordinateTransformContext()).processCalculation(None)
    if failed:
        raise RuntimeError("failed with %s" % failed)
    return read(out)


def rendered(many):
    renderer = QgsHillshadeRenderer(layer.dataProvider(), 1, SUN, HEIGHT_OF_SUN)
    renderer.setZFactor(1.5)
    renderer.setMultiDirectional(many)
    # The border of the picture is made of memory that QGIS has not written: another with another MALLOC_PERTURB_.
    return values(renderer.block(1, layer.extent(), WIDTH, HEIGHT, None), numpy.uint8)[1:-1, 1:-1]


# What is made, by what, and how far it may be away: degrees, shades of 255, metres; the calculator takes float where
# its code for the processor takes double, 6e-8 of land up to 450 m and what its formula makes of that.
CASES = [("slope", filtered, (QgsSlopeFilter,), 1e-3), ("aspect", filtered, (QgsAspectFilter,), 1e-2),
         ("hillshade", filtered, (QgsHillshadeFilter, SUN, HEIGHT_OF_SUN), 1e-2),
         ("ruggedness", filtered, (QgsRuggednessFilter,), 1e-3),
         ("hills rendered", rendered, (False,), 2), ("hills rendered from many sides", rendered, (True,), 2)]
CASES += [(formula, calculated, (formula,), 1e-3) for formula in (
    "sin(land / 50) * 2 + land ^ 2 / 100", "(land > 100) * land + (land <= 100) * 3", "sqrt(abs(land)) + ln(abs(land) + 1)",
    "atan(land / 100) - cos(land / 90)", "max(land, 50) - min(land, 20)", "-land + log10(abs(land) + 2)",
    "(land > 0 AND land < 90) + 2 * (land = 3 OR land != 7)", "tan(land / 700)", "asin(land / 900) - acos(land / 900)")]
right = 0
for what, make, options, most in CASES:
    try:
        opencl.enable(False)
        wanted = make(*options)
        opencl.enable(True)
        away = float(numpy.abs(make(*options) - wanted).max())
        good, how = bool(away <= most and wanted.max() > wanted.min()), "%.1e away" % away
    except (RuntimeError, QgsProcessingException) as failed:
        good, how = False, "%s %s" % (failed, said[-1:])
    right += good
    print("  %-56s %s%s" % (what, how, "" if good else ": WRONG"))
print("QGIS %s on %s: %d of %d rasters right" % (Qgis.QGIS_VERSION.split("-")[0], device, right, len(CASES)))
sys.stdout.flush()
shutil.rmtree(folder, ignore_errors=True)
os._exit(right != len(CASES))  # without the ends of Qt's objects, which Python does not put in order
