#!/usr/bin/python3
"""Protects: LAMMPS with its GPU package built for OpenCL, unchanged: energies, pressure and the force on each atom
beside the same without the package.  LAMMPS names such a build, `lmp` otherwise; its kernels are compiled without -cl-std
and use sub-groups, lists of neighbours are built on the device or on the processor, charges go to a mesh."""
import functools
import os
import re
import shutil
import subprocess
import sys
import tempfile

import platforms

program = shutil.which(os.environ.get("LAMMPS", "lmp"))
if not program:
    print("skipped: no LAMMPS")
    sys.exit(77)
help_text = subprocess.run([program, "-h"], capture_output=True, text=True).stdout
if "lj/cut/gpu" not in help_text:
    print("skipped: %s has no GPU package" % program)
    sys.exit(77)
version = re.search(r"(\d+ \w+ \d{4})(?: - Update \d+)?", help_text)[1].replace(" ", "")
name, number = platforms.wanted()
soft = os.environ.get("CULVERT_CUDA") == "soft"
# LAMMPS makes sub-buffers that begin at multiples of the number of atoms: it has to be one that is aligned.
cells = 4 if soft else 12
steps = 10 if soft else 25

ATOMS = """units {units}
atom_style {style}
lattice {lattice}
region box block 0 {cells} 0 {cells} 0 {cells}
create_box {types} box
create_atoms {atoms}
{masses}
velocity all create {heat} 87287 loop geom
"""
RUN = """
neighbor {skin} bin
neigh_modify delay 0 every 5 check yes
fix move all nve
timestep {step}
thermo {every}
thermo_style custom step temp pe press
thermo_modify format float %.10g
dump forces all custom {steps} {forces} id fx fy fz
dump_modify forces sort id format float %.9g
run {steps}
"""


class Kind:
    """Settings of one model: its atoms, and the pairs with what follows them."""

    def __init__(self, what, pairs, units="lj", lattice="fcc 0.8442", types=1, heat="1.44", skin="0.3", step="0.005",
                 charges=False, masses=None, atoms=None, where=("yes", "no")):
        if not atoms:
            halves = " ".join("basis %d %d" % (i, 1 + (i > 4)) for i in range(1, 9))
            atoms = "1 box" if types == 1 else "2 box " + halves
        masses = masses or "mass * 1.0"
        if charges:
            masses += "\nset type 1 charge 1.0\nset type 2 charge -1.0"
        self.what, self.masses, self.pairs, self.where = what, masses, pairs, where
        self.settings = {"units": units, "lattice": lattice, "types": types, "heat": heat, "skin": skin, "step": step,
                         "style": "charge" if charges else "atomic", "atoms": atoms}

    def text(self, forces):
        of = dict(self.settings, masses=self.masses, cells=cells, steps=steps, every=max(1, steps // 5), forces=forces)
        return ATOMS.format(**of) + self.pairs + RUN.format(**of)


def table(file):
    """A Lennard-Jones pair as a table, as pair_style table reads it."""
    with open(file, "w") as out:
        out.write("# made\n\nPAIR\nN 400 R 0.6 2.5\n\n")
        for i in range(400):
            r = 0.6 + 1.9 * i / 399
            out.write("%d %.15g %.15g %.15g\n" % (i + 1, r, 4 * (r ** -12 - r ** -6), 24 * (2 * r ** -13 - r ** -7)))


def metal(file):
    """An embedded atom's functions in funcfl: F of densities, Z and rho of distances, smooth and zero at the end."""
    count, cutoff = 500, 4.95
    with open(file, "w") as out:
        out.write("made\n29 63.55 3.615 fcc\n%d 0.002 %d %.9g %.9g\n" % (count, count, cutoff / (count - 1), cutoff))
        rows = [-2.0 * (0.002 * i) ** 0.5 for i in range(count)]
        for shape in (lambda x: 8.0 * (1 - x) ** 2 * (1 + x), lambda x: 0.35 * (1 - x) ** 3):
            rows += [shape(i / (count - 1)) for i in range(count)]
        for i in range(0, len(rows), 5):
            out.write(" ".join("%.12g" % value for value in rows[i:i + 5]) + "\n")


SALT = "custom 5.64 a1 1 0 0 a2 0 1 0 a3 0 0 1 basis 0 0 0 basis 0 .5 .5 basis .5 0 .5 basis .5 .5 0 " \
       "basis .5 .5 .5 basis .5 0 0 basis 0 .5 0 basis 0 0 .5"
SALTED = {"units": "metal", "lattice": SALT, "types": 2, "heat": "900", "skin": "1.0", "step": "0.002", "charges": True,
          "masses": "mass 1 22.99\nmass 2 35.45"}
# Stillinger and Weber's silicon, and Tersoff's, as published.
SW = "Si Si Si 2.1683 2.0951 1.80 21.0 1.20 -0.333333333333 7.049556277 0.6022245584 4.0 0.0 0.0\n"
TERSOFF = "Si Si Si 3.0 1.0 1.3258 4.8381 2.0417 0.0 22.956 0.33675 1.3258 95.373 3.0 0.2 3.2394 3264.7\n"
# Their lists count atoms of other boxes too, and LAMMPS makes sub-buffers from those counts: none that is aligned.
SILICON = {"units": "metal", "lattice": "diamond 5.431", "heat": "1000", "skin": "1.0", "step": "0.001",
           "masses": "mass 1 28.06", "where": ("yes",)}
COPPER = {"units": "metal", "lattice": "fcc 3.615", "heat": "1600", "skin": "1.0", "masses": "mass 1 63.55"}
KINDS = [
    Kind("Lennard-Jones", "pair_style lj/cut 2.5\npair_coeff 1 1 1.0 1.0 2.5\n"),
    Kind("Lennard-Jones, shifted", "pair_style lj/cut 2.5\npair_modify shift yes\npair_coeff 1 1 1.0 1.0 2.5\n"),
    Kind("Morse", "pair_style morse 2.5\npair_coeff 1 1 1.0 5.0 1.1\n"),
    Kind("Buckingham", "pair_style buck 2.5\npair_coeff 1 1 1000.0 0.15 1.0\n"),
    Kind("Yukawa", "pair_style yukawa 2.0 2.5\npair_coeff 1 1 10.0\n"),
    Kind("table", "pair_style table linear 1000\npair_coeff 1 1 pair.table PAIR\n"),
    # With one type its kernel goes behind a table: it takes the number of a pair of types for that of a type.
    Kind("embedded atom", "set group all type/fraction 2 0.5 11\npair_style eam\npair_coeff 1 1 made.eam\n"
         "pair_coeff 2 2 made.eam\n", **dict(COPPER, types=2, atoms="1 box", masses="mass * 63.55")),
    Kind("Ziegler-Biersack-Littmark", "pair_style zbl 3.0 4.0\npair_coeff 1 1 29.0 29.0\n", **COPPER),
    Kind("Stillinger-Weber", "pair_style sw\npair_coeff * * made.sw Si\n", **SILICON),
    Kind("Tersoff", "pair_style tersoff\npair_coeff * * made.tersoff Si\n", **SILICON),
    Kind("salt, charges cut", "pair_style lj/cut/coul/cut 7.4\npair_coeff 1 1 0.005 2.4\npair_coeff 2 2 0.005 4.4\n",
         **SALTED),
    Kind("salt, charges on a mesh", "pair_style lj/cut/coul/long 8.0\npair_coeff 1 1 0.005 2.4\n"
         "pair_coeff 2 2 0.005 4.4\nkspace_style pppm 1e-4\n", **SALTED),
    Kind("salt, CHARMM's pairs on a mesh", "pair_style lj/charmm/coul/long 7.0 8.0\npair_coeff 1 1 0.005 2.4\n"
         "pair_coeff 2 2 0.005 4.4\npair_modify mix arithmetic\nkspace_style pppm 1e-4\n", **SALTED),
]


def numbers(output):
    """The rows of the last table of thermo_style, without the step."""
    lines = output.splitlines()
    start = max(i for i, line in enumerate(lines) if line.split()[:2] == ["Step", "Temp"])
    rows = []
    for line in lines[start + 1:]:
        if line.startswith("Loop"):
            return rows
        rows.append([float(word) for word in line.split()[1:]])
    raise ValueError("no end")


def forces_of(file):
    """Of the first and of the last step: the forces in the order of the atoms."""
    with open(file) as lines:
        parts = lines.read().split("ITEM: ATOMS id fx fy fz\n")[1:]
    return [[[float(word) for word in line.split()[1:]] for line in part.split("ITEM")[0].splitlines()]
            for part in (parts[0], parts[-1])]


device = name


@functools.lru_cache
def run(kind, more, forces):
    global device
    with open("in.made", "w") as out:
        out.write(kind.text(forces))
    ran = subprocess.run([program, "-in", "in.made", "-log", "none", "-nocite", *more], capture_output=True, text=True,
                         stdin=subprocess.DEVNULL)
    if ran.returncode:
        raise ValueError("ended with %d: %s" % (ran.returncode, (ran.stdout + ran.stderr).strip()[-200:]))
    if more and "Using acceleration for" not in ran.stdout:
        raise ValueError("nothing was done on the device")
    if more:
        device = re.search(r"^Device 0: (.*?), \d+ CUs", ran.stdout, re.M)[1]
    return numbers(ran.stdout), forces_of(forces)


def apart(got, wanted, least=0.0):
    """The largest difference, as a part of the largest number."""
    return max(abs(a - b) for g, w in zip(got, wanted) for a, b in zip(g, w)) \
        / max(least, *(abs(b) for w in wanted for b in w))


def compare(kind, on_device):
    """Its error in parts of what was allowed: forces in single precision at once; the path of atoms drifts after it."""
    table_0, forces_0 = run(kind, (), "forces.without")
    table_1, forces_1 = run(kind, on_device, "forces.with")
    if len(table_0) != len(table_1) or len(forces_0[0]) != len(forces_1[0]):
        raise ValueError("not as many numbers")
    # A crystal at rest has no force on any atom: then those after the last step are the measure.
    scale = max(abs(x) for f in forces_0[1] for x in f)
    columns = [apart([[row[i]] for row in table_1], [[row[i]] for row in table_0]) for i in range(3)]
    return max(apart(forces_1[0], forces_0[0], scale) / 1e-4, apart(forces_1[1], forces_0[1]) / 2e-3,
               max(columns) / 1e-3)


home = tempfile.mkdtemp()
os.chdir(home)
table("pair.table")
metal("made.eam")
for file, text in (("made.sw", SW), ("made.tersoff", TERSOFF)):
    with open(file, "w") as out:
        out.write(text)
right = count = 0
try:
    for kind in KINDS:
        for where in kind.where:
            count += 1
            try:
                seen = compare(kind, ("-sf", "gpu", "-pk", "gpu", "1", "platform", str(number), "neigh", where))
                good, said = seen < 1, "%.3f of what is allowed" % seen
            except (ValueError, OSError, IndexError) as failed:
                good, said = False, str(failed)
            right += good
            by = "device" if where == "yes" else "processor"
            print("  %-32s neighbours by the %-10s %s%s" % (kind.what, by, said, "" if good else ": WRONG"), flush=True)
finally:
    os.chdir("/")
    shutil.rmtree(home, ignore_errors=True)
print("LAMMPS %s on %s: %d of %d runs right" % (version, device, right, count))
sys.exit(right != count)
