#!/usr/bin/python3
"""Protects: Mandelbulber, unchanged from the distribution, whose kernels are put together for each picture: fractals of
three dimensions, hybrids of them, lights, reflections and effects, beside its pictures without OpenCL."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

import platforms

try:
    import numpy
    from PIL import Image
except ImportError as error:
    print("skipped:", error)
    sys.exit(77)
if not shutil.which("mandelbulber2"):
    print("skipped: mandelbulber2 is not installed")
    sys.exit(77)
name, _ = platforms.wanted()
folder = tempfile.mkdtemp()
os.environ.update(HOME=folder, XDG_RUNTIME_DIR=folder, QT_QPA_PLATFORM="offscreen")
OPENCL = ["-g", "-O", "opencl_enabled=1#opencl_platform=0#opencl_mode=3#opencl_precision=0"]
# Depth of field is left out: its kernel DOFPhase2 adds to pixels that other work-items add to, and is another each time.
CASES = [
    ("mandelbulb of power 2", ["formula_1 3"]), ("Menger sponge", ["formula_1 7"]),
    ("formula 5", ["formula_1 5"]), ("formula 17", ["formula_1 17"]), ("formula 19", ["formula_1 19"]),
    ("formula 20", ["formula_1 20"]),
    ("a hybrid", ["formula_1 3", "formula_2 7", "hybrid_fractal_enable true"]),
    ("of Julia's kind", ["formula_1 3", "julia_mode true", "julia_c 0,3 0,2 0,1"]),
    ("ambient occlusion", ["formula_1 3", "ambient_occlusion_enabled true", "ambient_occlusion_mode 2"]),
    ("reflections", ["formula_1 7", "mat1_reflectance 0,6", "raytraced_reflections true"]),
    ("glow", ["formula_1 3", "glow_enabled true", "glow_intensity 1"]),
    ("a lamp", ["formula_1 7", "aux_light_enabled_1 true", "aux_light_position_1 2 -2 2", "aux_light_intensity_1 2"]),
    ("fog", ["formula_1 7", "basic_fog_enabled true", "volumetric_fog_enabled true"]),
]
# Shades of 255, on average: the fractal's edge is where float, which the kernels compute in, and double part.
MOST = 3


def rendered(settings, options):
    """The picture of these settings, nothing where there is none, and what Mandelbulber says."""
    file, out = os.path.join(folder, "in.fract"), os.path.join(folder, "out.png")
    with open(file, "w") as written:
        written.write("# Mandelbulber settings file\n# version 2.20\n# only modified parameters\n[main_parameters]\n"
                      "image_width 64;\nimage_height 48;\nmat1_is_defined true;\n%s[fractal_1]\n"
                      % "".join(line + ";\n" for line in settings))
    if os.path.exists(out):
        os.remove(out)
    ran = subprocess.run(["mandelbulber2", "-n", file, "-o", out, "-f", "png"] + options,
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    said = ran.stdout.decode(errors="replace")
    if not os.path.exists(out):
        return None, said
    return numpy.asarray(Image.open(out).convert("RGB"), dtype=float), said


right, device, version = 0, "no device", "unknown"
try:
    for what, settings in CASES:
        wanted, said = rendered(settings, ["-O", "opencl_enabled=0"])
        got, said = rendered(settings, OPENCL)
        version = re.search(r"Mandelbulber ([0-9.]+)", said)[1]
        used = re.search(r"Use (.*) for OpenCL rendering", said)
        device = used[1] if used else device
        ran = used and "OpenCl - rendering - all finished: 100%" in said and "OpenCl ERROR" not in said
        made = wanted is not None and got is not None and wanted.shape == got.shape and wanted.std() > 10
        away = float(numpy.abs(got - wanted).mean()) if made else 255.0
        good = bool(ran and made and away <= MOST)
        right += good
        print("  %-24s %.2f shades away on average%s" % (what, away, "" if good else ": WRONG"))
        if not good:
            print(said)
finally:
    shutil.rmtree(folder, ignore_errors=True)
print("Mandelbulber %s on %s: %d of %d pictures right" % (version, device, right, len(CASES)))
sys.exit(right != len(CASES))
