#!/usr/bin/python3
"""Protects: pyclesperanto, kernels for images of two and three dimensions that are put together when they are
asked for, on buffers: filters, morphology, labels, projections and transforms beside SciPy's."""
import os
import sys

if os.environ.get("APP_PYTHON") and not os.environ.get("APP_STARTED"):
    os.environ["APP_STARTED"] = "yes"
    os.execvp(os.environ["APP_PYTHON"], [os.environ["APP_PYTHON"]] + sys.argv)

try:
    import numpy
    import pyclesperanto as cle
    from scipy import ndimage
except (ImportError, OSError) as error:
    print("skipped:", error)
    sys.exit(77)

name = os.environ.get("APP_PLATFORM", "Culvert")
try:
    cle.select_backend("opencl")
    found = next((cle.select_device(i) for i, text in enumerate(cle.list_available_devices())
                  if name.lower() in str(cle.select_device(i).info).lower()), None)
except RuntimeError as error:
    found = None
if found is None:
    print("skipped: no", name, "device")
    sys.exit(77)
random = numpy.random.default_rng(3)


def image(shape):
    return random.random(shape).astype(numpy.float32)


solid, plane = image((11, 14, 19)), image((37, 45))
LEVEL = 0.8
spots = (solid > LEVEL).astype(numpy.uint8)


def ball(radius):
    grid = numpy.mgrid[tuple(slice(-radius, radius + 1) for _ in range(3))]
    return (grid ** 2).sum(0) <= radius ** 2


def labels_agree(got, wanted):
    """The same parts by whatever numbers."""
    pairs = set(zip(got.ravel().tolist(), wanted.ravel().tolist()))
    return float(len(pairs) != len(set(wanted.ravel().tolist())) or len(pairs) != len(set(got.ravel().tolist())))


def away(got, wanted):
    return float(numpy.abs(numpy.asarray(got, dtype=float) - wanted).max())


near = {"mode": "nearest"}
CASES = [
    ("gaussian_blur 3D", lambda: cle.gaussian_blur(solid, sigma_x=1.5, sigma_y=1, sigma_z=0.8),
     lambda: ndimage.gaussian_filter(solid.astype(float), (0.8, 1, 1.5), **near), 1e-5),
    ("gaussian_blur 2D", lambda: cle.gaussian_blur(plane, sigma_x=2, sigma_y=2),
     lambda: ndimage.gaussian_filter(plane.astype(float), 2, **near), 1e-5),
    ("mean box", lambda: cle.mean_filter(solid, radius_x=1, radius_y=2, radius_z=1, connectivity="box"),
     lambda: ndimage.uniform_filter(solid.astype(float), (3, 5, 3), **near), 1e-5),
    ("median box", lambda: cle.median(solid, radius_x=1, radius_y=1, radius_z=1, connectivity="box"),
     lambda: ndimage.median_filter(solid, 3, **near), 0),
    ("maximum box", lambda: cle.maximum_filter(solid, radius_x=1, radius_y=2, radius_z=3, connectivity="box"),
     lambda: ndimage.maximum_filter(solid, (7, 5, 3), **near), 0),
    ("minimum ball", lambda: cle.minimum_filter(solid, radius_x=2, radius_y=2, radius_z=2, connectivity="sphere"),
     lambda: ndimage.minimum_filter(solid, footprint=ball(2), **near), 0),
    ("dilation", lambda: cle.binary_dilate(spots, radius_x=1, radius_y=1, radius_z=1, connectivity="box"),
     lambda: ndimage.binary_dilation(spots, numpy.ones((3, 3, 3))), 0),
    ("labels", lambda: cle.connected_component_labeling(spots, connectivity="box"),
     lambda: ndimage.label(spots, numpy.ones((3, 3, 3)))[0], 0),
    ("laplace", lambda: cle.laplace(plane, connectivity="sphere"),
     lambda: -ndimage.laplace(plane.astype(float), **near), 1e-5),
    ("sum", lambda: numpy.array([cle.sum_of_all_pixels(solid)]), lambda: solid.sum(dtype=float), 1e-2),
    ("maximum projection", lambda: cle.maximum_z_projection(solid), lambda: solid.max(0), 0),
    ("mean projection", lambda: cle.mean_z_projection(solid), lambda: solid.astype(float).mean(0), 1e-6),
    ("standard deviation projection", lambda: cle.std_z_projection(solid),
     lambda: solid.astype(float).std(0), 1e-5),
    ("transpose", lambda: cle.transpose_xz(solid), lambda: solid.transpose(2, 1, 0), 0),
    ("absolute difference", lambda: cle.absolute_difference(solid, solid[::-1].copy()),
     lambda: numpy.abs(solid - solid[::-1]), 0),
    ("power", lambda: cle.power(solid, scalar=2.5), lambda: solid.astype(float) ** 2.5, 1e-5),
    ("threshold", lambda: cle.greater_constant(solid, scalar=LEVEL), lambda: solid > LEVEL, 0),
    ("translate", lambda: cle.translate(plane, translate_x=3, translate_y=5),
     lambda: ndimage.shift(plane, (5, 3), order=0), 0),
]
right = 0
for what, run, wanted, most in CASES:
    try:
        got = numpy.asarray(run())
        off = labels_agree(got, wanted()) if what == "labels" else away(got, wanted())
        good, said = off <= most, "%.1e" % off
    except (RuntimeError, TypeError, ValueError, AttributeError) as failed:
        good, said = False, str(failed)[:300]
    right += good
    print("  %-32s %s%s" % (what, said, "" if good else ": WRONG"), flush=True)
print("pyclesperanto %s on %s: %d of %d operations right" % (cle.__version__, found.name, right, len(CASES)))
sys.exit(right != len(CASES))
