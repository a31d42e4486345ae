#!/usr/bin/python3
"""Protects: Python packages whose kernels are OpenCL's, by results of theirs beside NumPy's, SciPy's or those of the
package's own code for the processor: Fourier transforms and sums of reikna, filters of gputools, neurons of nengo-ocl,
layers of netcl, scattering of sasmodels, recurrence of PyRQA, points of qmctoolscl, integral equations of bempp-cl.
Without arguments all that are installed are asked for; names of PACKAGES choose.  APP_PYTHON is a Python that has
pyopencl, numpy, scipy and some of the packages."""
import importlib.metadata
import os
import subprocess
import sys

from results import Results, device, started

started()
try:
    import numpy
    import pyopencl
    import scipy.ndimage
except ImportError as error:
    print("skipped:", error)
    sys.exit(77)

random = numpy.random.default_rng(17)
results = Results()


def near(got, wanted, tolerance=1e-4):
    """Whether all numbers are as near as TOLERANCE times the largest."""
    got, wanted = numpy.asarray(got), numpy.asarray(wanted)
    return got.shape == wanted.shape and abs(got - wanted).max() <= tolerance * max(abs(wanted).max(), 1e-30)


def real(*shape):
    return random.random(shape).astype(numpy.float32)


def reikna(found):
    from reikna.algorithms import Reduce, Scan, Transpose, predicate_sum
    from reikna.cluda import ocl_api
    from reikna.fft import FFT, FFTShift
    from reikna.linalg import EntrywiseNorm, MatrixMul
    thread = ocl_api().Thread(pyopencl.CommandQueue(pyopencl.Context([found])))

    def computed(computation, output, *inputs):
        result = thread.empty_like(output) if output.shape else thread.array((), output.dtype)
        computation.compile(thread)(result, *[thread.to_device(array) for array in inputs])
        return result.get()

    for shape, axes in [((1024,), (0,)), ((32, 243), (1,)), ((12, 18, 20), (0, 1, 2)), ((7, 101), (1,))]:
        z = (real(*shape) + 1j * real(*shape)).astype(numpy.complex64)
        results.add("Fourier transform of %s" % (shape,), lambda z=z, axes=axes: near(
            computed(FFT(z, axes=axes), z, z), numpy.fft.fftn(z, axes=axes)))
        results.add("shifted, %s" % (shape,), lambda z=z, axes=axes: near(
            computed(FFTShift(z, axes=axes), z, z), numpy.fft.fftshift(z, axes=axes)))
    for m, k, n in [(64, 64, 64), (33, 70, 91)]:
        a, b = real(m, k), real(k, n)
        results.add("product of %d x %d x %d" % (m, k, n), lambda a=a, b=b: near(
            computed(MatrixMul(a, b), a @ b, a, b), a @ b))
    ints = random.integers(0, 99, 5000).astype(numpy.int32)
    results.add("sum", lambda: computed(Reduce(ints, predicate_sum(numpy.int32)), ints.sum(dtype=numpy.int32), ints) ==
                ints.sum())
    scan = Scan(ints, predicate_sum(numpy.int32), exclusive=False)
    results.add("running sums", lambda: (computed(scan, ints, ints) == ints.cumsum()).all())
    cube = real(9, 33, 14)
    turned = numpy.ascontiguousarray(cube.transpose(2, 0, 1))
    results.add("transposed", lambda: (computed(Transpose(cube, axes=(2, 0, 1)), turned, cube) == turned).all())
    results.add("norm", lambda: near(computed(EntrywiseNorm(cube, order=2), numpy.float32(0), cube),
                                     numpy.linalg.norm(cube)))


def gputools(found):
    import gputools
    gputools.init_device(id_platform=pyopencl.get_platforms().index(found.platform), id_device=0)
    picture, cube = real(61, 83), real(20, 31, 42)
    kernel = numpy.outer([1, 2, 1], [1, 3, 1]).astype(numpy.float32)
    results.add("convolution", lambda: near(gputools.convolve(picture, kernel), scipy.ndimage.convolve(
        picture, kernel, mode="constant")))
    cube_kernel = real(3, 5, 3)
    results.add("convolution, three dimensions", lambda: near(
        gputools.convolve(cube, cube_kernel), scipy.ndimage.convolve(cube, cube_kernel, mode="constant")))
    line = numpy.array([1, 4, 6, 4, 1], numpy.float32)
    results.add("convolution by axes", lambda: near(gputools.convolve_sep2(picture, line, line), scipy.ndimage.convolve(
        picture, numpy.outer(line, line), mode="constant")))
    results.add("Fourier transform", lambda: near(
        gputools.fft(picture.astype(numpy.complex64)), numpy.fft.fft2(picture)))
    for what, ours, theirs in [("largest", gputools.max_filter, scipy.ndimage.maximum_filter),
                               ("smallest", gputools.min_filter, scipy.ndimage.minimum_filter)]:
        for size in (3, 5):
            results.add("%s of %d" % (what, size), lambda ours=ours, theirs=theirs, size=size: near(
                ours(picture, size)[size:-size, size:-size], theirs(picture, size)[size:-size, size:-size]))
    results.add("mean", lambda: near(gputools.uniform_filter(picture, 5), scipy.ndimage.uniform_filter(
        picture, 5, mode="constant")))
    turn = numpy.eye(4)
    turn[:3, 3] = 2, -1, 3
    results.add("moved", lambda: near(gputools.affine(cube, turn, interpolation="linear")[3:-3, 3:-3, 3:-3],
                                      scipy.ndimage.affine_transform(cube, turn, order=1)[3:-3, 3:-3, 3:-3], 1e-2))


def nengo_ocl(found):
    import nengo
    import nengo_ocl
    context = pyopencl.Context([found])
    kinds = [nengo.LIF(), nengo.LIFRate(), nengo.RectifiedLinear(), nengo.Sigmoid(),
             nengo.SpikingRectifiedLinear()]  # AdaptiveLIF is another on PoCL, too

    def right(kind):
        with nengo.Network(seed=4) as model:
            source = nengo.Node(lambda t: [numpy.sin(9 * t), numpy.cos(5 * t)])
            first = nengo.Ensemble(60, 2, neuron_type=kind, seed=1)
            second = nengo.Ensemble(40, 1, neuron_type=kind, seed=2)
            nengo.Connection(source, first)
            nengo.Connection(first, second, function=lambda x: x[0] * x[1], seed=3)
            probe = nengo.Probe(second, synapse=0.02)
        with nengo.Simulator(model, progress_bar=False) as host:
            host.run(0.1)
        with nengo_ocl.Simulator(model, context=context, progress_bar=False) as ours:
            ours.run(0.1)
        return near(ours.data[probe], host.data[probe], 0.05)

    for kind in kinds:
        results.add(type(kind).__name__, lambda kind=kind: right(kind))


def sasmodels(found):
    os.environ["SAS_OPENCL"] = "%d:0" % pyopencl.get_platforms().index(found.platform)
    from sasmodels import core, direct_model, data
    q = data.empty_data1D(numpy.logspace(-3, -0.5, 60))
    for name in core.list_models("1d"):
        info = core.load_model_info(name)
        if callable(info.Iq) or info.composition:  # in Python alone
            continue

        def right(name=name):
            host = direct_model.DirectModel(q, core.load_model(name, dtype="double", platform="dll"))()
            ours = direct_model.DirectModel(q, core.load_model(name, dtype="double", platform="ocl"))()
            return numpy.allclose(ours, host, rtol=1e-6, atol=abs(host).max() * 1e-9)

        results.add(name, right)


def netcl(found):
    from netcl import ops
    from netcl.core.tensor import Tensor
    from scipy.special import erf, expit, softmax
    queue = pyopencl.CommandQueue(pyopencl.Context([found]))

    def right(wanted, layer, *arrays, **more):
        tensors = [Tensor.from_host(queue, array) for array in arrays]
        result = layer(*tensors, **more)
        return result.backend == "cl" and near(result.to_host(), wanted, 1e-5)

    a, b, bias = real(33, 70), real(70, 21), real(21)
    signed = real(40, 50) - 0.5
    x, w = real(2, 3, 14, 14), real(5, 3, 3, 3)
    layers = [("product", a @ b, ops.matmul, (a, b)), ("transposed", a.T, ops.transpose2d, (a,)),
              ("bias", a @ b + bias, ops.bias_add, (a @ b, bias)), ("relu", signed.clip(0), ops.relu, (signed,)),
              ("logistic", expit(signed), ops.sigmoid, (signed,)), ("tanh", numpy.tanh(signed), ops.tanh, (signed,)),
              ("softmax", softmax(signed, axis=-1), ops.softmax, (signed,)),
              ("batch of products", x[0] @ x[1], ops.bmm, (x[0], x[1]))]
    for what, wanted, layer, arrays in layers:
        results.add(what, lambda wanted=wanted, layer=layer, arrays=arrays: right(wanted, layer, *arrays))
    results.add("gelu", lambda: right(signed * (1 + erf(signed / 2 ** 0.5)) / 2, ops.gelu, signed, approximate=False))
    for axis in (None, 0, 1):
        results.add("sum, axis %s" % axis, lambda axis=axis: right(
            signed.sum(axis=axis).reshape(-1), lambda t: ops.reduce_sum(t, axis=axis), signed))
    results.add("largest of windows", lambda: right(x.reshape(2, 3, 7, 2, 7, 2).max(axis=(3, 5)), ops.max_pool2d, x))
    windows = numpy.lib.stride_tricks.sliding_window_view(x, (3, 3), axis=(2, 3))
    results.add("convolution", lambda: right(numpy.einsum("nchwij,ocij->nohw", windows, w), ops.conv2d, x, w))
    padded = numpy.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    wide = numpy.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(2, 3))[:, :, ::2, ::2]
    results.add("convolution, stride 2", lambda: right(
        numpy.einsum("nchwij,ocij->nohw", wide, w), ops.conv2d, x, w, stride=2, pad=1))


def pyrqa(found):
    from pyrqa.analysis_type import Classic
    from pyrqa.computation import RPComputation, RQAComputation
    from pyrqa.metric import EuclideanMetric, MaximumMetric, TaxicabMetric
    from pyrqa.neighbourhood import FixedRadius
    from pyrqa.opencl import OpenCL
    from pyrqa.settings import Settings
    from pyrqa.time_series import TimeSeries
    from pyrqa.variants.rqa.radius.baseline import Baseline
    opencl = OpenCL(platform_id=pyopencl.get_platforms().index(found.platform), device_ids=(0,))
    values = real(150)

    def plot(dimension, metric, order, radius):
        count = len(values) - (dimension - 1) * 2
        points = numpy.stack([values[2 * i:2 * i + count] for i in range(dimension)], axis=1)
        apart = numpy.linalg.norm(points[:, None] - points[None], ord=order, axis=2)
        settings = Settings(TimeSeries(values, embedding_dimension=dimension, time_delay=2), analysis_type=Classic,
                            neighbourhood=FixedRadius(radius), similarity_measure=metric, theiler_corrector=1)
        got = RPComputation.create(settings, opencl=opencl).run().recurrence_matrix
        sure = abs(apart - radius) > 1e-5
        measures = RQAComputation.create(settings, verbose=False, opencl=opencl).run().to_array()
        return (got == (apart < radius))[sure].all() and numpy.allclose(
            measures, Baseline(settings, verbose=False).run().to_array(), rtol=1e-4, equal_nan=True)

    for dimension in (1, 2, 3):
        for metric, order in [(EuclideanMetric, 2), (MaximumMetric, numpy.inf), (TaxicabMetric, 1)]:
            for radius in (0.2, 0.5):
                results.add("%s in %d dimensions, %s" % (metric.name, dimension, radius),
                            lambda dimension=dimension, metric=metric, order=order, radius=radius:
                            plot(dimension, metric, order, radius))


def qmctoolscl(found):
    import qmctoolscl as tools
    context = pyopencl.Context([found])
    r, n, d = numpy.uint64(2), numpy.uint64(64), numpy.uint64(3)
    vectors = random.integers(1, 2 ** 20, (2, 3)).astype(numpy.uint64) | numpy.uint64(1)
    first = numpy.uint64(64)
    matrices = random.integers(1, 2 ** 32, (2, 3, 32)).astype(numpy.uint64)

    def right(function, inputs, kind, size=(2, 8, 3), local=None):
        """The same by C and by OpenCL, to the last bit."""
        made = []
        for more in ({"backend": "c"}, {"backend": "cl", "context": context, "global_size": size, "local_size": local}):
            result = numpy.zeros((2, 64, 3), kind)
            function(r, n, d, *inputs, result, **more)
            made.append(result)
        return (made[0] == made[1]).all() and made[0].any()

    double = numpy.float64
    for what in ("lat_gen_linear", "lat_gen_natural", "lat_gen_gray"):
        more = () if what == "lat_gen_linear" else (first,)
        results.add(what, lambda what=what, more=more: right(getattr(tools, what), more + (vectors,), double))
    for what in ("dnb2_gen_natural", "dnb2_gen_gray"):
        results.add(what, lambda what=what: right(
            getattr(tools, what), (first, numpy.uint64(32), matrices), numpy.uint64))
    shifts, points = random.random((2, 3)), random.random((2, 64, 3))
    results.add("lat_shift_mod_1", lambda: right(tools.lat_shift_mod_1, (r, points, shifts), double))


def bempp(found):
    # Compiling the code for the processor takes minutes for each operator; interpreted, this grid takes seconds.
    os.environ["NUMBA_DISABLE_JIT"] = "1"
    numpy.seterr(divide="ignore", invalid="ignore")  # which that code does on its way
    import bempp_cl.api as api
    import bempp_cl.core.opencl_kernels as kernels
    from bempp_cl.api.operators import boundary, potential
    place = next((i, j) for i, platform in enumerate(pyopencl.get_platforms())
                 for j, one in enumerate(platform.get_devices()) if one == found)
    kernels.set_default_gpu_device(*place)
    kernels.set_default_cpu_device(*place)
    grid = api.shapes.regular_sphere(0)
    constant, linear = api.function_space(grid, "DP", 0), api.function_space(grid, "P", 1)
    edges, dual = api.function_space(grid, "RWG", 0), api.function_space(grid, "SNC", 0)

    def matrix(make, spaces, *wave):
        """The operator's matrix by OpenCL and by the package's code for the processor."""
        both = [make(*spaces, *wave, assembler="dense", device_interface=interface).weak_form().to_dense()
                for interface in ("opencl", "numba")]
        return near(both[0], both[1], 1e-12)

    def field(make, space, *wave):
        """What the operator makes of a function, at some points outside."""
        points = random.standard_normal((3, 20)) + 3
        numbers = random.standard_normal(space.global_dof_count)
        both = [make(space, points, *wave, device_interface=interface).evaluate(
            api.GridFunction(space, coefficients=numbers)) for interface in ("opencl", "numba")]
        return near(both[0], both[1], 1e-12)

    for family, wave in (("laplace", ()), ("helmholtz", (2.5,)), ("modified_helmholtz", (1.5,))):
        made = getattr(boundary, family)
        for what in ("single_layer", "double_layer", "adjoint_double_layer", "hypersingular"):
            space = linear if what == "hypersingular" else constant
            results.add("%s, %s" % (family, what), lambda f=getattr(made, what), space=space, wave=wave: matrix(
                f, (space, space, space), *wave))
        for what in ("single_layer", "double_layer"):
            results.add("%s, %s at points" % (family, what), lambda f=getattr(getattr(potential, family), what),
                        wave=wave: field(f, linear, *wave))
    for what in ("electric_field", "magnetic_field"):
        results.add("maxwell, " + what, lambda f=getattr(boundary.maxwell, what): matrix(f, (edges, edges, dual), 2.0))
        results.add("maxwell, %s at points" % what, lambda f=getattr(potential.maxwell, what): field(f, edges, 2.0))


PACKAGES = {"bempp": "bempp-cl", "gputools": "gputools", "nengo_ocl": "nengo-ocl", "netcl": "netcl",
            "pyrqa": "PyRQA", "qmctoolscl": "qmctoolscl", "reikna": "reikna", "sasmodels": "sasmodels"}
if len(sys.argv) == 2:
    try:
        version = importlib.metadata.version(PACKAGES[sys.argv[1]])
    except importlib.metadata.PackageNotFoundError as error:
        print("skipped:", error)
        sys.exit(77)
    chosen = device()
    globals()[sys.argv[1]](chosen)
    results.end(PACKAGES[sys.argv[1]], version, chosen.name)
device()
codes = [subprocess.call([sys.executable, os.path.abspath(__file__), package]) for package in sys.argv[1:] or PACKAGES]
sys.exit(77 if all(code == 77 for code in codes) else any(code not in (0, 77) for code in codes))
