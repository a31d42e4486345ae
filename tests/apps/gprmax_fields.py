#!/usr/bin/python3
"""Protects: gprMax, electromagnetic waves in soil: the fields that its kernels for OpenCL compute at a receiver beside
those of its code for the processor, for a dipole above the ground, a sphere of metal, and a material with two
relaxations. Errors count against the strongest component of the electric and of the magnetic field: one that is zero
by symmetry is nothing but rounding. APP_PYTHON is a Python that has gprMax, pyopencl and h5py."""
import importlib.metadata
import os
import subprocess
import sys
import tempfile

from results import Results, device, started

started()
try:
    import h5py
    import numpy
    import pyopencl
    import gprMax
except ImportError as error:
    print("skipped:", error)
    sys.exit(77)

found = device()
# gprMax counts the devices of all platforms in turn.
number = [each for platform in pyopencl.get_platforms() for each in platform.get_devices()].index(found)
COMMON = """#title: box
#domain: 0.060 0.060 0.060
#dx_dy_dz: 0.002 0.002 0.002
#time_window: 6e-10
#waveform: ricker 1 1.5e9 w
#hertzian_dipole: z 0.030 0.030 0.036 w
#rx: 0.036 0.034 0.036
"""
MODELS = {
    "soil": "#material: 6 0.02 1 0 half\n#box: 0 0 0 0.060 0.060 0.020 half\n",
    "metal": "#sphere: 0.036 0.040 0.024 0.008 pec\n",
    "relaxations": "#material: 4.9 0 1 0 water\n#add_dispersion_debye: 2 75.2 9.231e-12 3 1e-11 water\n"
                   "#box: 0 0 0 0.060 0.060 0.020 water\n",
}
ONE = "import sys, gprMax; gprMax.run(inputfile=sys.argv[1], n=1, **eval(sys.argv[2]))"
results = Results()
with tempfile.TemporaryDirectory() as folder:
    for model, lines in MODELS.items():
        fields = []
        for where, more in (("host", {}), ("device", {"opencl": [number]})):
            file = os.path.join(folder, model + where)
            with open(file + ".in", "w") as text:
                text.write(COMMON + lines)
            ran = subprocess.run([sys.executable, "-c", ONE, file + ".in", repr(more)], stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT)
            if ran.returncode:
                print(ran.stdout.decode(errors="replace")[-1000:])
                fields.append({})
                continue
            with h5py.File(file + ".h5") as kept:
                fields.append({name: numpy.array(values) for name, values in kept["rxs/rx1"].items()})
        host, ours = fields
        for component in ("Ex", "Ey", "Ez", "Hx", "Hy", "Hz"):
            def right(host=host, ours=ours, component=component):
                strongest = max(abs(host[component[0] + axis]).max() for axis in "xyz")
                return abs(ours[component] - host[component]).max() < 1e-4 * strongest
            results.add("%s, %s" % (model, component), right)
results.end("gprMax", importlib.metadata.version("gprMax"), found.name, "components")
