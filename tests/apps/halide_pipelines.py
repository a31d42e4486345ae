#!/usr/bin/python3
"""Protects: Halide, which generates OpenCL C for pipelines as the program runs: blurs, stencils, products, reductions,
histograms, tables, math functions, integers of all widths, with tiles in local memory, vectors and unrolled loops, each
beside what Halide's code for the processor makes of the same pipeline.  APP_PYTHON is a Python that has halide and numpy."""
import importlib.metadata
import os
import sys

from results import Results, started

started()
os.environ["HL_OCL_PLATFORM_NAME"] = os.environ.get("APP_PLATFORM", "Culvert")
import platforms

name, number = platforms.wanted()
try:
    import halide as hl
    import numpy
except ImportError as error:
    print("skipped:", error)
    sys.exit(77)

HOST = hl.get_host_target()
GPU = HOST.with_feature(hl.TargetFeature.OpenCL).with_feature(hl.TargetFeature.CLDoubles)
random = numpy.random.default_rng(11)
x, y, c = hl.Var("x"), hl.Var("y"), hl.Var("c")
xi, yi, ci = hl.Var("xi"), hl.Var("yi"), hl.Var("ci")
W, H = 64, 48


# A pipeline does not hold the arrays that it reads.
held = []


def image(kind, shape=(H, W)):
    values = random.random(shape) if numpy.dtype(kind).kind == "f" else \
        random.integers(0, min(200, numpy.iinfo(kind).max), shape)
    held.append(hl.Buffer(values.astype(kind)))
    return held[-1]


def tiled(function, across=16, down=4):
    function.gpu_tile(x, y, xi, yi, across, down)


def right(make, schedule, shape=(W, H)):
    """MAKE gives the stages of a pipeline, the output last; SCHEDULE puts them on the device."""
    wanted = numpy.array(make()[-1].realize(list(shape), HOST))
    stages = make()
    schedule(*stages)
    result = stages[-1].realize(list(shape), GPU)
    result.copy_to_host()
    got = numpy.array(result)
    return numpy.allclose(got, wanted, rtol=2e-5, atol=1e-6) if got.dtype.kind == "f" else (got == wanted).all()


def blur(kind):
    source = hl.BoundaryConditions.repeat_edge(image(kind))

    def make():
        across, down = hl.Func("across"), hl.Func("down")
        wide = hl.Float(32) if numpy.dtype(kind).kind == "f" else hl.Int(32)
        across[x, y] = (hl.cast(wide, source[x - 1, y]) + source[x, y] + source[x + 1, y]) / 3
        down[x, y] = (across[x, y - 1] + across[x, y] + across[x, y + 1]) / 3
        return across, down
    return make


def blur_local(across, down):
    tiled(down)
    across.compute_at(down, x).gpu_threads(x, y)


def product():
    k = hl.RDom([(0, 64)])
    a, b = image("float32", (H, 64)), image("float32", (64, W))

    def make():
        result = hl.Func("product")
        result[x, y] = 0.0
        result[x, y] += a[k.x, y] * b[x, k.x]
        return result,
    return make


def product_schedule(result):
    tiled(result)
    result.update().gpu_tile(x, y, xi, yi, 16, 4)


def pointwise(expression, kind="float32"):
    source = image(kind)

    def make():
        result = hl.Func("result")
        result[x, y] = expression(source[x, y])
        return result,
    return make


def histogram():
    source, area = image("uint8"), hl.RDom([(0, W), (0, H)])

    def make():
        bins = hl.Func("bins")
        bins[x] = hl.cast(hl.UInt(32), 0)
        bins[hl.cast(hl.Int(32), source[area.x, area.y])] += hl.cast(hl.UInt(32), 1)
        return bins,
    return make


def histogram_schedule(bins):
    bins.gpu_tile(x, xi, 64)
    bins.update().gpu_single_thread()


def rows(reduction):
    source, k = image("float32"), hl.RDom([(0, W)])

    def make():
        result = hl.Func("rows")
        result[x] = reduction(k, source[k.x, x])
        return result,
    return make


def table():
    source, values = image("uint8"), image("float32", (256,))

    def make():
        result = hl.Func("table")
        result[x, y] = values[hl.cast(hl.Int(32), source[x, y])]
        return result,
    return make


def cube():
    source = hl.BoundaryConditions.constant_exterior(image("float32", (5, H, W)), 0.0)

    def make():
        result = hl.Func("cube")
        result[x, y, c] = sum((source[x + i, y + j, c + k] for i in (-1, 0, 1) for j in (-1, 0, 1) for k in (-1, 0, 1)),
                              hl.Expr(0.0))
        return result,
    return make


def scan():
    source, k = image("int32"), hl.RDom([(1, W - 1)])

    def make():
        result = hl.Func("scan")
        result[x, y] = source[x, y]
        result[k.x, y] += result[k.x - 1, y]
        return result,
    return make


def scan_schedule(result):
    tiled(result)
    result.update().gpu_tile(y, yi, 8)


results = Results()
for kind in ("uint8", "uint16", "int32", "float32"):
    results.add("blur of %s" % kind, lambda kind=kind: right(blur(kind), lambda across, down: tiled(down)))
    results.add("blur of %s, a stage in local memory" % kind, lambda kind=kind: right(blur(kind), blur_local))
    results.add("blur of %s, stages apart" % kind, lambda kind=kind: right(
        blur(kind), lambda across, down: (tiled(down), across.compute_root(), tiled(across))))
results.add("matrix product", lambda: right(product(), product_schedule))
for what in ("sin", "cos", "exp", "log", "sqrt", "tanh", "atan", "floor", "round", "erf"):
    for kind in ("float32", "float64"):
        if what != "erf" or kind == "float32":
            results.add("%s of %s" % (what, kind), lambda what=what, kind=kind: right(
                pointwise(getattr(hl, what), kind), tiled))
results.add("vectors of four", lambda: right(pointwise(lambda e: e * 2 + 1), lambda f: f.vectorize(
    x, 4).gpu_tile(x, y, xi, yi, 8, 4)))
for what, expression in [("minimum", lambda e: hl.min(e, 100)), ("shift", lambda e: e << 1), ("xor", lambda e: e ^ 0x55),
                         ("select", lambda e: hl.select(e > 50, e, 50 - e)), ("modulo", lambda e: e % 7),
                         ("division", lambda e: e / 3), ("absolute difference", lambda e: hl.absd(e, 90))]:
    for kind in ("int16", "uint32", "int64"):
        results.add("%s of %s" % (what, kind), lambda expression=expression, kind=kind: right(
            pointwise(expression, kind), tiled))
results.add("histogram", lambda: right(histogram(), histogram_schedule, (256,)))
for what in ("sum", "maximum", "minimum", "product"):
    results.add("%s of rows" % what, lambda what=what: right(
        rows(getattr(hl, what)), lambda f: f.gpu_tile(x, xi, 16), (H,)))
results.add("table", lambda: right(table(), tiled))
results.add("stencil of three dimensions", lambda: right(
    cube(), lambda f: f.gpu_tile(x, y, c, xi, yi, ci, 8, 4, 2), (W, H, 5)))
results.add("running sums", lambda: right(scan(), scan_schedule))
results.end("Halide", importlib.metadata.version("halide"),
            platforms.first_device(number), "pipelines")
