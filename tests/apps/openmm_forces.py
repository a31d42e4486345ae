#!/usr/bin/python3
"""Protects: OpenMM's OpenCL platform, unchanged: forces and energies of molecules in single, mixed and double
precision, with every method for what is far away, terms that it writes kernels for, and steps in time, beside
its own reference in double precision on the processor.  APP_PYTHON is the Python that has it."""
import os
import sys

if os.environ.get("APP_PYTHON") and not os.environ.get("APP_STARTED"):
    os.environ["APP_STARTED"] = "1"
    os.execvp(os.environ["APP_PYTHON"], [os.environ["APP_PYTHON"]] + sys.argv)

try:
    import numpy
    import openmm
    from openmm import unit
    opencl = openmm.Platform.getPlatformByName("OpenCL")
except Exception as error:  # OpenMM's own, where it was built without OpenCL or finds no platform
    print("skipped:", error)
    sys.exit(77)
reference = openmm.Platform.getPlatformByName("Reference")
SIDE = 6            # particles along an edge
APART = 0.35        # nm
EDGE = SIDE * APART


def particles(system):
    """A crystal that is out of order, of pairs with opposite charges; nm."""
    places = [(x, y, z) for x in range(SIDE) for y in range(SIDE) for z in range(SIDE)]
    for i in range(len(places)):
        system.addParticle(23.0 if i % 2 else 35.5)
    system.setDefaultPeriodicBoxVectors((EDGE, 0, 0), (0, EDGE, 0), (0, 0, EDGE))
    return (numpy.array(places) + 0.5) * APART + numpy.random.default_rng(11).uniform(-0.03, 0.03, (len(places), 3))


def nonbonded(method):
    def build(system, count):
        force = openmm.NonbondedForce()
        for i in range(count):
            force.addParticle(0.5 if i % 2 else -0.5, 0.25, 0.3)
        for i in range(0, count, 2):
            force.addException(i, i + 1, 0.0, 0.25, 0.0)
        force.setNonbondedMethod(method)
        force.setCutoffDistance(0.9)
        force.setEwaldErrorTolerance(1e-5)
        system.addForce(force)
    return build


def bonded(system, count):
    bonds, angles, torsions = openmm.HarmonicBondForce(), openmm.HarmonicAngleForce(), openmm.PeriodicTorsionForce()
    for i in range(0, count - 4, 2):
        bonds.addBond(i, i + 1, 0.3, 2000.0)
        angles.addAngle(i, i + 1, i + 2, 1.9, 300.0)
        torsions.addTorsion(i, i + 1, i + 2, i + 3, 1 + i % 3, 0.4, 20.0)
    for force in (bonds, angles, torsions):
        system.addForce(force)


def custom(system, count):
    """Terms as text, which OpenMM turns into OpenCL C."""
    pairs = openmm.CustomNonbondedForce("w*(exp(-2*a*(r-0.3)) - 2*exp(-a*(r-0.3))) + erfc(r); w=sqrt(w1*w2); a=8")
    pairs.addPerParticleParameter("w")
    for i in range(count):
        pairs.addParticle([1.0 + i % 5])
    pairs.setNonbondedMethod(openmm.CustomNonbondedForce.CutoffPeriodic)
    pairs.setCutoffDistance(0.9)
    field = openmm.CustomExternalForce("k*(sin(x)^2 + cos(y*z) + step(z-1)*z^3)")
    field.addPerParticleParameter("k")
    for i in range(count):
        field.addParticle(i, [10.0 + i % 3])
    born = openmm.GBSAOBCForce()
    for i in range(count):
        born.addParticle(0.5 if i % 2 else -0.5, 0.15, 0.8)
    born.setNonbondedMethod(openmm.GBSAOBCForce.CutoffPeriodic)
    born.setCutoffDistance(0.9)
    for force in (pairs, field, born):
        system.addForce(force)


def state(platform, properties, build, steps):
    system = openmm.System()
    places = particles(system)
    build(system, len(places))
    integrator = openmm.VerletIntegrator(0.002)
    context = openmm.Context(system, integrator, platform, properties)
    context.setPositions(places)
    integrator.step(steps)
    seen = context.getState(getForces=True, getEnergy=True, getPositions=True)
    energy = seen.getPotentialEnergy().value_in_unit(unit.kilojoule_per_mole)
    return (seen.getForces(asNumpy=True)._value, energy, seen.getPositions(asNumpy=True)._value,
            platform.getPropertyValue(context, "DeviceName") if properties else None)


def far_off(got, wanted, steps):
    """How far the forces are off, the median, as part of their size, and the energy; after steps in time how
    far the places are off, as part of the way that was gone."""
    if steps:
        begun = particles(openmm.System())
        gone = numpy.median(numpy.linalg.norm(wanted[2] - begun, axis=1))
        return float(numpy.median(numpy.linalg.norm(got[2] - wanted[2], axis=1)) / gone), 0.0
    sizes = numpy.linalg.norm(wanted[0], axis=1)
    forces = numpy.median(numpy.linalg.norm(got[0] - wanted[0], axis=1) / numpy.maximum(sizes, 1e-3))
    return float(forces), abs(got[1] - wanted[1]) / abs(wanted[1])


METHODS = ("NoCutoff", "CutoffPeriodic", "PME", "LJPME")
builds = [(method, nonbonded(getattr(openmm.NonbondedForce, method)), 0) for method in METHODS]
builds += [("bonds, angles, torsions", bonded, 0), ("terms as text, implicit solvent", custom, 0),
           ("bonds, 25 steps", bonded, 25), ("PME, 25 steps", builds[METHODS.index("PME")][1], 25)]
# The worst median, and energy.  On PoCL (the processor) OpenMM 8.6.1 is 1.2e-5, 4.9e-7 and 8.5e-8 off.
MOST = {"single": 5e-5, "mixed": 1e-5, "double": 1e-6}
right, count, device = 0, 0, "no device"
for what, build, steps in builds:
    wanted = state(reference, {}, build, steps)
    for precision in ("single", "mixed", "double") if steps else ("single", "double"):
        count += 1
        try:
            got = state(opencl, {"Precision": precision}, build, steps)
            device = got[3]
            forces, energy = far_off(got, wanted, steps)
            good = forces < MOST[precision] and energy < MOST[precision]
            said = "%.1e, energy %.1e" % (forces, energy)
        except openmm.OpenMMException as failed:
            good, said = False, str(failed)
        right += good
        print("  %-36s %-8s %s%s" % (what, precision, said, "" if good else ": WRONG"), flush=True)
print("OpenMM %s on %s: %d of %d results right" % (openmm.__version__, device, right, count))
sys.exit(right != count)
