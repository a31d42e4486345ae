#!/usr/bin/python3
"""Protects: PETSc with ViennaCL, which makes vectors and sparse matrices of OpenCL's buffers, and generates its kernels as it
runs: PETSc's tests of vectors and matrices, and its examples of linear solvers with several methods and preconditioners,
each once with ViennaCL's types and once with those of the processor; what they print has the same numbers, the norms of
residuals after each iteration among them.  PETSC_DIR and PETSC_ARCH name a build, whose programs are where PETSc's own
build of its tests has them (PETSC_ARCH/tests/vec/vec/tests/ex22 and so on)."""
import os
import re
import subprocess
import sys

from results import Results
import platforms

folder = os.path.join(os.environ.get("PETSC_DIR", ""), os.environ.get("PETSC_ARCH", ""))
if not os.path.exists(os.path.join(folder, "tests/ksp/ksp/tutorials/ex2")):
    print("skipped: PETSC_DIR and PETSC_ARCH do not name a build with its tests")
    sys.exit(77)
name, number = platforms.wanted()
NUMBER = re.compile(r"[-+]?(?:\d+\.\d*|\.\d+|\d+)(?:[eE][-+]?\d+)?")
PRINTS = [22, 24, 34, 38]
# These compare by themselves, and print what is wrong.
COMPARES = [27, 31, 52, 53, 54, 62, 63, 64]
# These hand ViennaCL's objects or OpenCL's buffers to PETSc; what they print is known.
SHARES = [56, 57, 59]
LAPLACE = "-m 24 -n 17 -ksp_monitor -ksp_rtol 1e-6 -ksp_type "
SOLVERS = ["cg -pc_type none", "cg -pc_type jacobi", "gmres -pc_type none", "gmres -pc_type jacobi -ksp_gmres_restart 7",
           "fgmres -pc_type jacobi", "bicg -pc_type jacobi", "bcgs -pc_type jacobi", "cgs -pc_type jacobi",
           "tfqmr -pc_type jacobi", "minres -pc_type none", "cr -pc_type jacobi", "lsqr -pc_type none -ksp_max_it 30", "symmlq -pc_type none",
           "chebyshev -pc_type jacobi -ksp_max_it 20", "richardson -pc_type jacobi -ksp_max_it 20", "cg -pc_type ilu",
           "cg -pc_type gamg"]
# ViennaCL's own preconditioners, of which the processor has no equal: the solution is compared alone.
OWN = ["rowscalingviennacl", "saviennacl", "chowiluviennacl"]


def said(program, arguments):
    """The lines that PROGRAM prints, less those that name types."""
    ran = subprocess.run([os.path.join(folder, "tests", program)] + arguments.split(), stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300, check=False)
    text = ran.stdout.decode(errors="replace")
    if ran.returncode:
        raise RuntimeError("%s %s: %d: %s" % (program, arguments, ran.returncode, text[-500:]))
    return [line for line in text.splitlines() if "type:" not in line and line.strip()]


def same(first, second, error):
    """Whether both lines have the same words, and the same numbers but for ERROR of the larger or 1e-9."""
    if NUMBER.sub("#", first) != NUMBER.sub("#", second):
        return False
    pairs = zip(map(float, NUMBER.findall(first)), map(float, NUMBER.findall(second)))
    return all(abs(a - b) <= max(error * max(abs(a), abs(b)), 1e-9) for a, b in pairs)


def right(program, arguments, device_arguments, error=1e-6):
    """Whether the program prints the same with DEVICE_ARGUMENTS in addition, and at least one number."""
    wanted, got = said(program, arguments), said(program, arguments + " " + device_arguments)
    wrong = [(a, b) for a, b in zip(wanted, got) if not same(a, b, error)]
    if wrong or len(wanted) != len(got):
        print("   ", program, arguments, device_arguments, wrong[:2] or (len(wanted), len(got)))
    return not wrong and len(wanted) == len(got) and any(map(NUMBER.search, got))


def silent(program, arguments):
    """Whether the program, which prints what is wrong, prints nothing."""
    lines = said(program, arguments)
    print("".join("    %s\n" % line for line in lines[:3]), end="")
    return not lines


def known(test):
    """Whether the test of vectors prints what PETSc's repository has for it."""
    with open(os.path.join(os.environ["PETSC_DIR"], "src/vec/vec/tests/output/ex%d_1.out" % test)) as file:
        wanted = [line.rstrip("\n") for line in file if "type:" not in line and line.strip()]
    got = said("vec/vec/tests/ex%d" % test, "-viennacl_backend opencl")
    return len(wanted) == len(got) and all(same(a, b, 1e-6) for a, b in zip(wanted, got))


def version():
    with open(os.path.join(os.environ["PETSC_DIR"], "include/petscversion.h")) as file:
        text = file.read()
    return ".".join(re.search(r"define PETSC_VERSION_%s +(\d+)" % part, text)[1] for part in ("MAJOR", "MINOR", "SUBMINOR"))


def solved(arguments):
    """Whether the solution is right, whose error the program prints."""
    norm = re.search(r"Norm of error (\S+) iterations (\d+)", "\n".join(said("ksp/ksp/tutorials/ex2", arguments)))
    return norm and float(norm[1]) < 1e-4 and int(norm[2]) > 0


results = Results()
BOTH = "-vec_type viennacl -mat_type aijviennacl"
for test in PRINTS:
    results.add("vector %d" % test, lambda test=test: right("vec/vec/tests/ex%d" % test, "-vec_type seq", "-vec_type viennacl"))
for test in COMPARES:
    results.add("vector %d" % test, lambda test=test: silent("vec/vec/tests/ex%d" % test, "-vec_type viennacl"))
for test in SHARES:
    results.add("vector %d" % test, lambda test=test: known(test))
for solver in SOLVERS:
    results.add(solver, lambda solver=solver: right("ksp/ksp/tutorials/ex2", LAPLACE + solver, BOTH, 1e-3))
for own in OWN:
    results.add(own, lambda own=own: solved("-m 24 -n 17 -ksp_rtol 1e-9 %s -ksp_type cg -pc_type %s" % (BOTH, own)))
for example, arguments in (("ex5", BOTH), ("ex7", "-mat_type aijviennacl"), ("ex16", BOTH)):
    results.add(example, lambda example=example, arguments=arguments:
                right("ksp/ksp/tutorials/" + example, "-ksp_monitor", arguments, 1e-3))
results.add("four ways to fill a matrix", lambda: silent("mat/tests/ex301", "-mat_type aijviennacl"))
results.add("a matrix and its copies", lambda: silent("mat/tests/ex204", ""))
results.end("PETSc", version(), platforms.first_device(number))
