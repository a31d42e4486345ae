#!/usr/bin/python3
"""Protects: what Futhark's compiler makes for OpenCL: sums, products and contractions of arrays of one to three dimensions,
32 entry points of four generated programs, each beside NumPy in double at two sets of sizes.  FUTHARK_TENSORS names
the folder with the programs baseline, 1d, 2d and 3d of a repository of benchmarks (leanil/benchmark,
tensor_contraction/GPU/futhark), whose generated C is part of it; FUTHARK_VERSION says which version they are."""
import os
import struct
import subprocess
import sys

from results import Results, started

started()
import platforms

folder = os.environ.get("FUTHARK_TENSORS", "")
if not os.access(os.path.join(folder, "3d"), os.X_OK):
    print("skipped: FUTHARK_TENSORS does not name a folder with Futhark's programs")
    sys.exit(77)
try:
    import numpy
except ImportError as error:
    print("skipped:", error)
    sys.exit(77)
name, number = platforms.wanted()
sum_of = numpy.einsum

# {program: {entry point: (axes of each argument, what it computes)}}; "" is a number.
PROGRAMS = {
    "baseline": {
        "sum": (["i"], lambda a: a.sum()),
        "inc": (["i"], lambda a: a + 1),
        "prod": (["", "i"], lambda c, a: c * a),
    },
    "1d": {
        "dot": (["i", "i"], lambda a, b: a @ b),
        "dot1": (["i"] * 3, lambda a, b, c: (a * b) @ c),
        "dot2": (["i"] * 3, lambda a, b, c: (a + b) @ c),
        "dot3": (["i"] * 3, lambda a, b, c: (a + b) @ (a - c)),
        "dot4": (["i"] * 4, lambda a, b, c, d: (a + b) @ (c - d)),
        "dot5": (["", "i"] * 4, lambda p, a, q, b, r, c, s, d: (p * a + q * b) @ (r * c + s * d)),
        "dot6": (["i"] * 4, lambda a, b, c, d: (a + b) @ (c - d)),
    },
    "2d": {
        "t1_": (["ij", "i"], lambda a, b: sum_of("ij,i->j", a, b)),
        "t1": (["ij", "j"], lambda a, b: a @ b),
        "t2": (["ij", "j", "i"], lambda a, b, c: (a @ b) * c),
        "t3": (["ij", "ij", "j"], lambda a, b, c: (a + b) @ c),
        "t4": (["ij", "ij", "j", "j"], lambda a, b, c, d: (a + b) @ (c + d)),
        "t5": (["", "ij", "", "ij", "", "j", "", "j"],
               lambda p, a, q, b, r, c, s, d: (p * a + q * b) @ (r * c + s * d)),
        "t6": (["i", "j", "i", "j"], lambda a, b, c, d: a * c * (b @ d)),
        "t7": (["ij", "jk", "k"], lambda a, c, d: a @ (c @ d)),
        "t8": (["ij", "ij", "jk", "k"], lambda a, b, c, d: (a + b) @ (c @ d)),
        "t9": (["ik", "kj", "j", "j"], lambda a, b, c, d: (a @ b) @ (c + d)),
        "t10": (["ik", "kj", "jk", "k"], lambda a, b, c, d: (a @ b) @ (c @ d)),
    },
    "3d": {
        "t1": (["ijk", "kl"], lambda a, b: a @ b),
        "t2": (["ijk", "k", "l"], lambda a, b, c: a @ numpy.outer(b, c)),
        "t3": (["ijk", "kl", "k", "j"], lambda a, b, c, d: sum_of("ijk,kl,k,j->ijl", a, b, c, d)),
        "t4": (["ijk", "ijk", "kl"], lambda a, b, c: (a + b) @ c),
        "t5": (["ijk", "ijk", "kl", "kl"], lambda a, b, c, d: (a + b) @ (c + d)),
        "t6": (["", "ijk", "", "ijk", "", "kl", "", "kl"],
               lambda p, a, q, b, r, c, s, d: (p * a + q * b) @ (r * c + s * d)),
        "t7": (["", "ijk", "", "ijk", "", "kl", "", "kl", "", "k", "", "k", "", "j", "", "j"],
               lambda p, a, q, b, r, c, s, d, t, e, u, f, v, g, w, h: sum_of(
                   "ijk,kl,k,j->ijl", p * a + q * b, r * c + s * d, t * e + u * f, v * g + w * h)),
        "t8": (["ijk", "kl", "jm"], lambda a, b, c: sum_of("ijk,kl,jm->ilm", a, b, c)),
        "t9": (["ijk", "kl", "l"], lambda a, b, c: a @ (b @ c)),
        "t10": (["ijk", "ikl", "l"], lambda a, b, c: sum_of("ijk,ikl,l->ij", a, b, c)),
        "t11": (["i", "j", "k", "ikl", "l"], lambda a, b, c, d, e: sum_of("i,j,k,ikl,l->ij", a, b, c, d, e)),
    },
}
SUBTRACTS = {"dot3", "dot4", "dot6"}
# Lengths of the axes i, j, k, l and m; one alone is that of arrays of one dimension.
SIZES = [dict(i=1, j=7, k=3, l=2, m=1), dict(i=9, j=40, k=33, l=17, m=5)]
LENGTHS = [3, 10007]


def packed(value):
    """A value in Futhark's binary format: 'b', the version 2, the number of dimensions, a type, lengths, elements."""
    return b"b" + struct.pack("<BB4s%dq" % value.ndim, 2, value.ndim, b" f32", *value.shape) + \
        value.astype("<f4").tobytes()


def unpacked(data):
    data = data[data.index(b"b"):]
    version, dimensions, kind = struct.unpack_from("<BB4s", data, 1)
    assert (version, kind) == (2, b" f32"), data[:16]
    shape = struct.unpack_from("<%dq" % dimensions, data, 7)
    return numpy.frombuffer(data, "<f4", int(numpy.prod(shape)), 7 + 8 * dimensions).reshape(shape)


def right(program, entry, arguments, function):
    for sizes, length in zip(SIZES, LENGTHS):
        random = numpy.random.default_rng(28)
        values = [numpy.float32(random.uniform(-1, 1, [length if program in ("baseline", "1d") else sizes[axis]
                                                       for axis in axes])) for axes in arguments]
        said = subprocess.run([os.path.join(folder, program), "-p", name, "--entry-point", entry, "-b"],
                              input=b"".join(map(packed, values)), stdout=subprocess.PIPE, check=True).stdout
        exact = [value.astype(float) for value in values]
        # An error is measured by the sum of the magnitudes of what is added; in SUBTRACTS, the last argument is subtracted.
        magnitudes = [abs(value) for value in exact]
        if entry in SUBTRACTS:
            magnitudes[-1] = -magnitudes[-1]
        wanted, most = function(*exact), function(*magnitudes)
        if not (abs(unpacked(said) - wanted) <= 1e-6 * most + 1e-7).all():
            return False
    return True


results = Results()
for program, entries in PROGRAMS.items():
    for entry, (arguments, function) in entries.items():
        results.add("%s %s" % (program, entry),
                    lambda program=program, entry=entry, arguments=arguments, function=function:
                    right(program, entry, arguments, function))
results.end("Futhark's programs", os.environ.get("FUTHARK_VERSION", "of-a-repository"), platforms.first_device(number),
            "entry points")
