#!/usr/bin/python3
"""Protects: GEGL, GIMP's image processing, unchanged from the distribution: each of its operations that has
kernels gives the picture that its own code for the processor gives, and has launched them; so do its conversions of
colours."""
import ctypes
import os
import sys

import platforms

os.environ.setdefault("GEGL_USE_OPENCL", "yes")  # cpu: a platform that has no GPU

try:
    import numpy
    import gi
    gi.require_version("Gegl", "0.4")
    from gi.repository import Gegl
    gegl = ctypes.CDLL("libgegl-0.4.so.0")
except (ImportError, OSError, ValueError) as error:
    print("skipped:", error)
    sys.exit(77)
name, _ = platforms.wanted()
WIDTH, HEIGHT = 300, 200  # six tiles, four of them not full
Gegl.config().set_property("application-license", "GPL3")  # or some operations are withheld
Gegl.init([])
gegl.gegl_cl_get_platform.restype = gegl.gegl_cl_get_device.restype = ctypes.c_void_p
if not Gegl.config().get_property("use-opencl") or name not in platforms.platform_name(gegl.gegl_cl_get_platform()):
    sys.exit("GEGL does not take the %s device" % name)
device = platforms.device_name(gegl.gegl_cl_get_device())

# GEGL falls back to the processor without a word where a kernel fails: its launches are counted on their way.
LAUNCH = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint, ctypes.c_void_p,
                          ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint, ctypes.c_void_p, ctypes.c_void_p)
pointer = ctypes.c_void_p.in_dll(gegl, "gegl_clEnqueueNDRangeKernel")
real_launch = LAUNCH(pointer.value)
launches = []


def launch(*arguments):
    status = real_launch(*arguments)
    launches.append(status)
    return status


counting_launch = LAUNCH(launch)
pointer.value = ctypes.cast(counting_launch, ctypes.c_void_p).value


def picture(seed):
    """Waves of the colours under patches of alpha, and noise: RGBA, linear."""
    y, x = numpy.mgrid[0:HEIGHT, 0:WIDTH]
    values = numpy.stack([0.5 + 0.4 * numpy.sin(x / 17 + y / 31), 0.5 + 0.45 * numpy.cos(x / 9 - y / 23),
                          (x + y) / (WIDTH + HEIGHT), 0.3 + 0.7 * ((x // 40 + y // 30) % 2)], 2)
    values[..., :3] += numpy.random.default_rng(seed).uniform(-0.03, 0.03, (HEIGHT, WIDTH, 3))
    return numpy.clip(values, 0, 1).astype(numpy.float32)


WHOLE = Gegl.Rectangle.new(0, 0, WIDTH, HEIGHT)


def buffer(kind, seed):
    made = Gegl.Buffer.new(kind, 0, 0, WIDTH, HEIGHT)
    made.set(WHOLE, "RGBA float", picture(seed).tobytes())
    return made


def configured(graph, operation, properties):
    node = graph.create_child(operation)
    for name, value in properties.items():
        node.set_property(name.replace("_", "-"), value)
    return node


def result(operation, kind, properties):
    """The picture that OPERATION makes of one of format KIND, and of another where it has kernels for two."""
    graph, made = Gegl.Node(), Gegl.Buffer.new(kind, 0, 0, WIDTH, HEIGHT)
    node = configured(graph, operation, properties)
    for seed, pad in enumerate(("input", "aux")):
        if node.has_pad(pad) and (pad, operation) != ("aux", "gegl:oilify"):
            configured(graph, "gegl:buffer-source", {"buffer": buffer(kind, seed)}).connect_to("output", node, pad)
    crop = configured(graph, "gegl:crop", {"x": 0, "y": 0, "width": WIDTH, "height": HEIGHT})
    node.connect_to("output", crop, "input")
    last = configured(graph, "gegl:write-buffer", {"buffer": made})
    crop.connect_to("output", last, "input")
    last.process()
    pixels = made.get(WHOLE, 1.0, "RGBA float", Gegl.AbyssPolicy.NONE)
    return numpy.frombuffer(pixels, numpy.float32).reshape(HEIGHT, WIDTH, 4).astype(float)


FLOAT, EIGHT, GRAY = "RGBA float", "R'G'B'A u8", "YA float"
red, blue = Gegl.Color.new("rgb(0.5,0.1,0.1)"), Gegl.Color.new("rgba(0.2,0.4,0.9,0.7)")
bend = Gegl.Curve.new(0, 1)
for at in ((0, 0.1), (0.4, 0.7), (1, 0.9)):
    bend.add_point(*at)
# Left out, for their kernels are other than the code for the processor, on PoCL just as much: noise-reduction,
# snn-mean, motion-blur-circular, oilify by intensity, offsets of pixelize, what alien-map is to keep; and c2g, which is
# another at each run.
CASES = [(operation, FLOAT, properties) for operation, properties in (
    ("alien-map", {"cpn_1_frequency": 2.5, "cpn_2_phaseshift": 40.0}),
    ("bilateral-filter", {"blur_radius": 3.0, "edge_preservation": 5.0}),
    ("box-blur", {"radius": 7}),
    ("brightness-contrast", {"contrast": 1.4, "brightness": 0.1}),
    ("cell-noise", {"scale": 0.7, "rank": 2, "iterations": 2, "seed": 5}),
    ("checkerboard", {"x": 13, "y": 21, "x_offset": 3, "color1": red, "color2": blue}),
    ("color-exchange", {"from_color": red, "to_color": blue, "red_threshold": 0.3, "green_threshold": 0.3,
                        "blue_threshold": 0.5}),
    ("color-temperature", {"original_temperature": 4000.0}),
    ("contrast-curve", {"curve": bend}),
    ("contrast-curve", {"curve": bend, "sampling_points": 64}),
    ("diffraction-patterns", {"width": WIDTH, "height": HEIGHT}),
    ("dropshadow", {"x": 9.0, "y": -5.0, "radius": 6.0}),
    ("edge-laplace", {}),
    ("exposure", {"exposure": 1.3, "black_level": 0.02}),
    ("gaussian-blur-selective", {"blur_radius": 4.0}),
    ("gaussian-blur", {"std_dev_x": 6.0, "std_dev_y": 0.8}),
    ("gray", {}),
    ("high-pass", {"std_dev": 3.0}),
    ("hue-chroma", {"hue": 70.0, "chroma": 10.0, "lightness": -5.0}),
    ("invert-linear", {}),
    ("levels", {"in_low": 0.1, "in_high": 0.8, "out_high": 0.9}),
    ("mono-mixer", {"red": 0.6, "green": -0.2, "blue": 0.9}),
    ("motion-blur-linear", {"length": 17.0, "angle": 33.0}),
    ("noise-hsv", {"holdness": 3, "hue_distance": 40.0, "seed": 7}),
    ("noise-hurl", {"pct_random": 30.0, "repeat": 2, "seed": 3}),
    ("oilify", {"use_inten": False, "exponent": 4}),
    ("opacity", {"value": 0.6}),
    ("over", {}),
    ("pixelize", {"size_x": 7, "size_y": 12}),
    ("posterize", {"levels": 5}),
    ("red-eye-removal", {"threshold": 0.7}),
    ("shadows-highlights", {"shadows": 40.0, "highlights": -30.0, "radius": 8.0}),
    ("simplex-noise", {"scale": 0.3, "iterations": 3, "seed": 2}),
    ("stretch-contrast", {"keep_colors": False}),
    ("texturize-canvas", {"depth": 10}),
    ("threshold", {"value": 0.4}),
    ("value-invert", {}),
    ("video-degradation", {"additive": False}),
    ("vignette", {"radius": 0.9, "softness": 0.6, "squeeze": 0.3, "rotation": 20.0, "color": blue}),
    ("weighted-blend", {}),
)] + [(operation, kind, {}) for kind in (EIGHT, GRAY, "R'G'B' float", "RaGaBaA float", "R'aG'aB'aA float", "RGB u8")
      for operation in ("invert-linear", "box-blur", "value-invert")]
# Of a colour's 0 to 1; a byte may be rounded to its neighbour, which is more in linear light.
MOST = {True: 2e-5, False: 0.01}
right = 0
for operation, kind, properties in CASES:
    pictures = []
    for on in (False, True):
        launches.clear()
        Gegl.config().set_property("use-opencl", on)
        pictures.append(result("gegl:" + operation, kind, properties))
    away = float(numpy.abs(pictures[0] - pictures[1]).max())
    good = away <= MOST["float" in kind] and launches and not any(launches)
    right += bool(good)
    print("  %-24s %-18s %.1e away, %d launches%s" % (operation, kind, away, len(launches), "" if good else ": WRONG"))
print("GEGL %s on %s: %d of %d operations right" % (
    ".".join(map(str, Gegl.get_version())), device, right, len(CASES)))
sys.stdout.flush()
os._exit(right != len(CASES))  # without GEGL's complaints of what Python has not collected
