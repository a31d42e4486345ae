#!/usr/bin/python3
"""Protects: LightGBM as its wheel is, trained on the device beside its own training on the processor: with sums
of double precision both predict the same, with those of single precision as well.  Its kernels are three, for 16,
64 and 256 bins; local memory, atomics and a last work-group that adds up what the others left."""
import os
import sys

if os.environ.get("APP_PYTHON") and not os.environ.get("APP_STARTED"):
    os.environ["APP_STARTED"] = "yes"
    os.execvp(os.environ["APP_PYTHON"], [os.environ["APP_PYTHON"]] + sys.argv)
os.environ.setdefault("PYOPENCL_NO_CACHE", "1")

try:
    import lightgbm
    import numpy
    import pyopencl
except (ImportError, OSError) as error:
    print("skipped:", error)
    sys.exit(77)

name = os.environ.get("APP_PLATFORM", "Culvert")
platforms = pyopencl.get_platforms()
number = next((i for i, p in enumerate(platforms) if name in p.name and p.get_devices()), None)
if number is None:
    print("skipped: no", name, "device")
    sys.exit(77)
device = platforms[number].get_devices()[0].name
small = "softcuda" in device
rows, rounds = (600, 4) if small else (200000, 20)
random = numpy.random.default_rng(11)
table = random.standard_normal((rows, 12))
table[:, 5] = random.integers(0, 6, rows)
table[random.random(table.shape) < 0.02] = numpy.nan
clean = numpy.nan_to_num(table)
signal = 2 * clean[:, 0] + numpy.sin(3 * clean[:, 1]) + clean[:, 2] * (clean[:, 5] > 2) \
    + 0.1 * random.standard_normal(rows)
TARGETS = {
    "regression": signal,
    "binary": (signal > 0).astype(float),
    "multiclass": numpy.digitize(signal, (-1.5, 1.5)).astype(float),
}


class Quiet:
    """LightGBM's words, without a place to go to."""
    info = warning = staticmethod(lambda text: None)


lightgbm.register_logger(Quiet())


def train(where, objective, bins, more):
    settings = {
        "objective": objective, "max_bin": bins, "num_leaves": 15, "num_threads": 2, "seed": 3,
        "deterministic": True, "force_col_wise": where == "cpu", "device_type": where, "min_data_in_leaf": 20,
        "gpu_platform_id": number, "gpu_device_id": 0, "verbose": -1,
    }
    if objective == "multiclass":
        settings["num_class"] = 3
    settings.update(more)
    data = lightgbm.Dataset(table, TARGETS[objective], weight=1 + numpy.abs(clean[:, 3]),
                            categorical_feature=[5] if more.get("cat") else [])
    settings.pop("cat", None)
    return lightgbm.train(settings, data, num_boost_round=rounds)


def loss(booster, objective):
    """The mean square of the error, or the mean of -log of what was given to the class that it is."""
    said, is_so = booster.predict(table), TARGETS[objective]
    if objective == "regression":
        return float(numpy.mean((said - is_so) ** 2))
    if objective == "binary":
        said = numpy.stack([1 - said, said], 1)
    return float(-numpy.log(said[numpy.arange(rows), is_so.astype(int)]).mean())


cases = [(objective, bins, {"gpu_use_dp": dp}) for objective in TARGETS for bins in (15, 63, 255)
         for dp in (True, False)]
cases += [("regression", 63, {"gpu_use_dp": True, "bagging_fraction": 0.5, "bagging_freq": 1}),
          ("regression", 63, {"gpu_use_dp": True, "feature_fraction": 0.6}),
          ("binary", 63, {"gpu_use_dp": True, "cat": True}),
          ("regression", 255, {"gpu_use_dp": True, "boosting": "dart"})]
right = 0
for objective, bins, more in cases:
    what = "%s, %d bins, %s" % (objective, bins, ", ".join("%s=%s" % pair for pair in more.items()))
    wanted = train("cpu", objective, bins, more)
    try:
        got = train("gpu", objective, bins, more)
        least, seen = loss(wanted, objective), loss(got, objective)
        apart = numpy.abs(got.predict(table) - wanted.predict(table)).reshape(rows, -1).max(1)
        # Which of two splits that gain the same is taken first may differ, what comes of them may not.  Sums of
        # single precision may choose another split, for few rows.
        other = int((apart > 1e-6).sum())
        good = other == 0 if more["gpu_use_dp"] else other < rows / 20 and abs(seen / least - 1) < 1e-3
        said = "loss %.6f, on the processor %.6f, %d of %d rows apart" % (seen, least, other, rows)
    except lightgbm.basic.LightGBMError as failed:
        good, said = False, str(failed)
    right += bool(good)
    print("  %-52s %s%s" % (what, said, "" if good else ": WRONG"), flush=True)
print("LightGBM %s on %s: %d of %d models right" % (lightgbm.__version__, device, right, len(cases)))
sys.exit(right != len(cases))
