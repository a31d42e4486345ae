#!/usr/bin/python3
"""Protects: tinygrad's OpenCL backend, unchanged from its package: single operations, a small
convolutional network, and its training, beside NumPy in double precision.  The kernels are
tinygrad's own, which it writes for each expression.  APP_PYTHON is the Python that has it."""
import os
import sys

if os.environ.get("APP_PYTHON") and not os.environ.get("APP_STARTED"):
    os.environ["APP_STARTED"] = "1"
    os.execvp(os.environ["APP_PYTHON"], [os.environ["APP_PYTHON"]] + sys.argv)

# Before the import: the backend, and none of its own caches.
os.environ.update({"DEV": "CL", "CACHELEVEL": "0", "CCACHE": "0"})
try:
    import importlib.metadata
    import numpy
    from tinygrad import Device, Tensor, dtypes
except ImportError as error:
    print("skipped:", error)
    sys.exit(77)

random = numpy.random.default_rng(7)
cases = right = 0


def near(what, got, wanted, allowed):
    global cases, right
    cases += 1
    wanted = numpy.asarray(wanted, numpy.float64)
    got = numpy.asarray(got, numpy.float64)
    worst = float(numpy.max(numpy.abs(got - wanted))) if got.shape == wanted.shape else float("inf")
    good = worst <= allowed
    right += good
    print("  %-30s differs by %.2g of %.2g%s" % (what, worst, allowed, "" if good else ": WRONG"))


def real(*shape):
    return random.uniform(-1, 1, shape).astype(numpy.float32)


def convolved(x, w):
    """Without padding, a step of 1: (n, c, h, w) with (o, c, kh, kw)."""
    windows = numpy.lib.stride_tricks.sliding_window_view(x, w.shape[2:], axis=(2, 3))
    return numpy.einsum("nchwij,ocij->nohw", windows, w)


def operations():
    a, b = real(37, 53), real(37, 53)
    m, n = real(48, 70), real(70, 33)
    x, w = real(2, 3, 13, 11), real(4, 3, 3, 3)
    whole = random.integers(-1000, 1000, (29, 31)).astype(numpy.int32)
    A, B, W = Tensor(a), Tensor(b), Tensor(whole)
    d = a.astype(numpy.float64)
    e = b.astype(numpy.float64)
    near("a b + a", (A * B + A).numpy(), d * e + d, 1e-6)
    near("division", (A / (B + 2)).numpy(), d / (e + 2), 1e-6)
    near("exp, log, sqrt", (A.exp() + (B + 2).log() + (A + 1.5).sqrt()).numpy(),
         numpy.exp(d) + numpy.log(e + 2) + numpy.sqrt(d + 1.5), 4e-6)
    near("sin", (A * 20).sin().numpy(), numpy.sin((a * numpy.float32(20)).astype(numpy.float64)), 4e-6)
    near("relu", A.relu().numpy(), numpy.maximum(d, 0), 0)
    near("where", (A < B).where(A, B).numpy(), numpy.minimum(d, e), 0)
    near("sum of all", A.sum().numpy(), d.sum(), 2e-4)
    near("sums of rows", A.sum(axis=1).numpy(), d.sum(axis=1), 2e-5)
    near("largest of columns", A.max(axis=0).numpy(), d.max(axis=0), 0)
    near("where the largest is", A.argmax(axis=1).numpy(), d.argmax(axis=1), 0)
    near("running sums", A.cumsum(axis=1).numpy(), d.cumsum(axis=1), 2e-5)
    powers = numpy.exp(d - d.max(axis=1, keepdims=True))
    near("softmax", A.softmax(axis=1).numpy(), powers / powers.sum(axis=1, keepdims=True), 1e-6)
    near("transposed, a slice", A.T[5:40:3, 2:30].numpy(), d.T[5:40:3, 2:30], 0)
    near("padded, joined", A.pad(((1, 2), (3, 0))).cat(B.pad(((1, 2), (0, 3))), dim=0).numpy(),
         numpy.concatenate([numpy.pad(d, ((1, 2), (3, 0))), numpy.pad(e, ((1, 2), (0, 3)))]), 0)
    near("integers", (W * 7 - (W // 3) + W % 5).numpy(),
         whole.astype(int) * 7 - numpy.floor_divide(whole, 3) + whole % 5, 0)
    near("shifts and bits", ((W << 3) ^ (W >> 1) & 0xff).numpy(),
         (whole.astype(int) << 3) ^ (whole.astype(int) >> 1) & 0xff, 0)
    near("bytes to floats", Tensor(whole.astype(numpy.uint8)).cast(dtypes.float32).numpy(),
         whole.astype(numpy.uint8), 0)
    near("sorted", A[0].sort()[0].numpy(), numpy.sort(d[0]), 0)
    near("gathered", A[Tensor([3, 0, 11]), :].numpy(), d[[3, 0, 11], :], 0)
    near("matrix product", (Tensor(m) @ Tensor(n)).numpy(),
         m.astype(numpy.float64) @ n.astype(numpy.float64), 2e-5)
    near("convolution", Tensor(x).conv2d(Tensor(w)).numpy(),
         convolved(x.astype(numpy.float64), w.astype(numpy.float64)), 1e-5)
    near("half", (A.half() * 2 + 1).numpy(), d.astype(numpy.float16) * 2.0 + 1, 2e-3)
    near("double", (A.double() * B.double()).sum().numpy(), (d * e).sum(), 1e-12)


def network():
    """Convolution, pooling, two layers: forwards, and the slope of each weight by differences."""
    x, w = real(4, 1, 10, 10), real(3, 1, 3, 3)
    v, labels = real(48, 5), random.integers(0, 5, 4)

    def loss(w, v):
        hidden = numpy.maximum(convolved(x.astype(numpy.float64), w), 0)
        pooled = hidden.reshape(4, 3, 4, 2, 4, 2).max(axis=(3, 5)).reshape(4, 48)
        scores = pooled @ v
        scores = scores - scores.max(axis=1, keepdims=True)
        logs = scores - numpy.log(numpy.exp(scores).sum(axis=1, keepdims=True))
        return -logs[numpy.arange(4), labels].mean()

    def slopes(of, variable, step=1e-6):
        slope = numpy.zeros_like(variable)
        for at in numpy.ndindex(*variable.shape):
            there = variable.copy()
            there[at] += step
            back = variable.copy()
            back[at] -= step
            slope[at] = (of(there) - of(back)) / (2 * step)
        return slope

    w8, v8 = w.astype(numpy.float64), v.astype(numpy.float64)
    W, V = Tensor(w), Tensor(v)

    def forward():
        hidden = Tensor(x).conv2d(W).relu().max_pool2d((2, 2)).reshape(4, 48)
        return (hidden @ V).sparse_categorical_crossentropy(Tensor(labels.astype(numpy.int32)))

    value = forward()
    value.backward()
    near("network, its loss", value.numpy(), loss(w8, v8), 2e-6)
    near("network, slopes of layer 1", W.grad.numpy(), slopes(lambda z: loss(z, v8), w8), 1e-5)
    near("network, slopes of layer 2", V.grad.numpy(), slopes(lambda z: loss(w8, z), v8), 1e-5)
    for _ in range(3):
        W.grad = V.grad = None
        forward().backward()
        W, V = (Tensor((t - t.grad * 0.05).numpy()) for t in (W, V))
        w8, v8 = (w8 - 0.05 * slopes(lambda z: loss(z, v8), w8),
                  v8 - 0.05 * slopes(lambda z: loss(w8, z), v8))
    near("network, trained 3 steps", forward().numpy(), loss(w8, v8), 1e-5)


try:
    device = Device["CL"]
except Exception as error:    # whatever its backend says where there is no device
    print("skipped: tinygrad opens no OpenCL device:", error)
    sys.exit(77)
operations()
network()
print("tinygrad %s on %s: %d of %d results right" % (importlib.metadata.version("tinygrad"), device.device_name,
                                                    right, cases))
sys.exit(right != cases)
