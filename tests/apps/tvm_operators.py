#!/usr/bin/python3
"""Protects: the OpenCL C that Apache TVM generates: operators of neural networks, with the schedules that it has for
GPUs (tiles in local memory, vectors, reductions over work-groups), each beside what TVM's own code for the processor makes of
the same operator.  The package has the generator and not the runtime for OpenCL: PyOpenCL launches what it writes.
APP_PYTHON is a Python that has apache-tvm, numpy and pyopencl."""
import re
import sys

from results import Results, device, started

started()
try:
    import numpy
    import pyopencl
    import tvm
    from tvm import te, topi
    from tvm.s_tir import dlight
except ImportError as error:
    print("skipped:", error)
    sys.exit(77)

found = device()
context = pyopencl.Context([found])
queue = pyopencl.CommandQueue(context)
random = numpy.random.default_rng(5)
GPU = tvm.target.Target({"kind": "opencl", "max_num_threads": 256}, host="llvm")
AXES = ["x", "y", "z"]


def scheduled(function):
    """The module of one operator, with TVM's schedule for a GPU."""
    module = tvm.IRModule({"main": function})
    with GPU:
        return dlight.ApplyDefaultSchedule(dlight.gpu.Matmul(), dlight.gpu.GEMV(), dlight.gpu.Reduction(),
                                           dlight.gpu.GeneralReduction(), dlight.gpu.Fallback())(module)


def named(kind):
    """NumPy's name of a type of TVM's, "float32" of T.float32."""
    return str(kind).split(".")[-1]


def loops(statement):
    """The loops of a statement, those within others, too."""
    if isinstance(statement, tvm.tirx.For):
        yield statement
    inside = [getattr(statement, name, None) for name in ("body", "then_case", "else_case", "init")]
    block = getattr(statement, "block", None)
    for part in inside + list(getattr(statement, "seq", [])) + ([] if block is None else [block.body, block.init]):
        if part is not None:
            yield from loops(part)


def launches(module):
    """[(work-items of a group, groups)] of each kernel, and {buffer: (shape, type)} of what they hand each other."""
    body = module["main"].body.block
    sizes = []
    for part in getattr(body.body, "seq", [body.body]):
        extents = {loop.thread_binding.thread_tag: int(loop.extent) for loop in loops(part)
                   if loop.thread_binding is not None}
        sizes.append(([extents.get("threadIdx." + axis, 1) for axis in AXES],
                      [extents.get("blockIdx." + axis, 1) for axis in AXES]))
    between = {buffer.name: ([int(size) for size in buffer.shape], named(buffer.dtype))
               for buffer in body.alloc_buffers if buffer.scope() == "global"}
    return sizes, between


def on_device(function, arrays):
    """What the generated kernels leave in the last of ARRAYS, the operator's arguments in order."""
    module = scheduled(function)
    text = tvm.compile(module, target=GPU).mod.imports[0].inspect_source()
    sizes, between = launches(module)
    program = pyopencl.Program(context, text).build()
    names = [parameter.name for parameter in function.params]
    buffers = {}
    for name, array in zip(names, arrays):
        buffers[name] = pyopencl.Buffer(context, pyopencl.mem_flags.COPY_HOST_PTR, hostbuf=array)
    for name, (shape, kind) in between.items():
        buffers[name] = pyopencl.Buffer(context, 0, int(numpy.prod(shape)) * numpy.dtype(kind).itemsize)
    declared = re.findall(r"__kernel void (?:__attribute__\S* )?(\w+)\(([^)]*)\) \{", text)
    for (kernel, parameters), (local, groups) in zip(declared, sizes):
        arguments = [buffers[re.sub("_ptr$", "", parameter.split()[-1])] for parameter in parameters.split(",")]
        pyopencl.Kernel(program, kernel)(queue, [a * b for a, b in zip(local, groups)], local, *arguments)
    result = numpy.empty_like(arrays[-1])
    pyopencl.enqueue_copy(queue, result, buffers[names[-1]])
    return result


def on_processor(function, arrays):
    compiled = tvm.compile(tvm.IRModule({"main": function}), target="llvm")
    held = [tvm.runtime.tensor(array) for array in arrays]
    compiled["main"](*held)
    return held[-1].numpy()


def right(make, shapes, kind):
    inputs = [te.placeholder(shape, kind, name="in%d" % i) for i, shape in enumerate(shapes)]
    output = make(*inputs)
    function = te.create_prim_func(inputs + [output])
    arrays = [(random.random(shape) + 0.25).astype(kind) if kind[0] == "f" else
              random.integers(1, 50, shape).astype(kind) for shape in shapes]
    arrays.append(numpy.zeros([int(size) for size in output.shape], named(output.dtype)))
    got, wanted = on_device(function, arrays), on_processor(function, arrays)
    if wanted.dtype.kind != "f":
        return (got == wanted).all()
    return numpy.allclose(got, wanted, rtol=2e-2 if wanted.dtype == numpy.float16 else 1e-4)


OPERATORS = [
    ("matrix product", topi.matmul, [(96, 128), (128, 64)], ["float32", "float16", "int32"]),
    ("batch of products", topi.nn.batch_matmul, [(3, 32, 48), (3, 40, 48)], ["float32"]),
    ("dense layer", topi.nn.dense, [(8, 256), (64, 256)], ["float32"]),
    ("convolution, NCHW", lambda a, b: topi.nn.conv2d_nchw(a, b, 1, 1, 1), [(1, 8, 14, 14), (16, 8, 3, 3)],
     ["float32"]),
    ("convolution, stride 2", lambda a, b: topi.nn.conv2d_nchw(a, b, 2, 1, 1), [(1, 8, 14, 14), (16, 8, 3, 3)],
     ["float32"]),
    ("convolution by channel", lambda a, b: topi.nn.depthwise_conv2d_nchw(a, b, 1, 1, 1), [(1, 8, 14, 14), (8, 1, 3, 3)],
     ["float32"]),
    ("sum of an axis", lambda a: topi.sum(a, axis=1), [(37, 200)], ["float32", "int32"]),
    ("sum of all", lambda a: topi.sum(a), [(16, 100)], ["float32"]),
    ("largest", lambda a: topi.max(a, axis=0), [(37, 200)], ["float32", "int32"]),
    ("where the largest is", lambda a: topi.argmax(a, axis=1), [(37, 200)], ["float32"]),
    ("transposed", lambda a: topi.transpose(a, (2, 0, 1)), [(5, 17, 33)], ["float32", "int8"]),
    ("exponential", topi.exp, [(1000,)], ["float32", "float16"]),
    ("tangent, hyperbolic", topi.tanh, [(1000,)], ["float32"]),
    ("error function", topi.erf, [(1000,)], ["float32"]),
    ("logistic", topi.sigmoid, [(1000,)], ["float32"]),
    ("softmax", lambda a: topi.nn.softmax(a, axis=-1), [(12, 300)], ["float32"]),
    ("largest of windows", lambda a: topi.nn.pool2d(a, (2, 2), (2, 2), (1, 1), (0, 0, 0, 0), "max"), [(1, 6, 16, 16)],
     ["float32"]),
    ("mean of windows", lambda a: topi.nn.pool2d(a, (3, 3), (2, 2), (1, 1), (1, 1, 1, 1), "avg"), [(1, 6, 16, 16)],
     ["float32"]),
    ("joined", lambda a, b: topi.concatenate([a, b], axis=1), [(9, 20), (9, 31)], ["float32"]),
    ("selected", lambda a: topi.where(topi.greater(a, topi.full_like(a, 20)), a, topi.negative(a)), [(777,)], ["int32"]),
    ("cast", lambda a: topi.cast(a, "float32"), [(500,)], ["int8", "float16", "int64"]),
    ("bits", lambda a, b: topi.bitwise_xor(topi.left_shift(a, b), topi.right_shift(a, b)), [(300,), (300,)], ["int64"]),
    ("padded", lambda a: topi.nn.pad(a, (1, 2), (3, 4), 7.0), [(20, 30)], ["float32"]),
    ("cut", lambda a: topi.strided_slice(a, [1, 2], [18, 29], [2, 3]), [(20, 30)], ["float32"]),
]
results = Results()
for what, make, shapes, kinds in OPERATORS:
    for kind in kinds:
        results.add("%s, %s" % (what, kind), lambda make=make, shapes=shapes, kind=kind: right(make, shapes, kind))
results.end("Apache TVM", tvm.__version__, found.name, "operators")
