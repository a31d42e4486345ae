#!/usr/bin/python3
"""Protects: pyclesperanto_prototype, which computes pictures, labels and meshes between them with the kernels of CLIJ:
every function whose arguments can be filled by their names is computed by the platform under test and by PoCL for the
processor, and compared.  APP_PYTHON is a Python that has pyclesperanto-prototype, pyopencl, PoCL and numpy."""
import importlib.metadata
import inspect
import sys
import warnings

from results import Results, device, started

started()
warnings.simplefilter("ignore")
try:
    import numpy
    import pyopencl
    version = importlib.metadata.version("pyclesperanto-prototype")
    import pyclesperanto_prototype as cle
except (ImportError, importlib.metadata.PackageNotFoundError) as error:
    print("skipped:", error)
    sys.exit(77)
found = device()
beside = next((one for platform in pyopencl.get_platforms() for one in platform.get_devices()
               if "Portable" in platform.name and one.type & pyopencl.device_type.CPU), None)
if not beside or beside == found:
    print("skipped: no PoCL for the processor")
    sys.exit(77)
random = numpy.random.default_rng(5)
results = Results()
SHAPE = (6, 18, 22)
# What is not asked for: functions of the package itself, and those that show or read files, or need a graph.
NOT = {"Image", "artificial", "cl_info", "create", "device", "execute", "igraph", "imread", "imshow", "networkx",
       "nparray", "operation", "plugin", "pull", "push", "range", "regionprops", "scoring", "wait_for"}
# A kernel that reads behind its array (sobel_3d), some with coordinates of two dimensions for an image of three, one
# whose name PoCL does not find because it is a built-in function's, those that expect other arguments, and some that
# write different values where lines between labels meet, of which any may stay.
NOT |= {"sobel", "copy_slice", "copy_horizontal_slice", "copy_vertical_slice", "sign", "affine", "apply_vector",
        "draw_angle_mesh", "labelled_spots", "sum_reduction_x", "draw_distance_mesh", "draw_touch_portion"}
PICTURES = {"operand", "src", "input", "image", "source", "input_image", "source_image", "src1", "operand1", "image_to",
            "source1", "input_image1", "image1", "image_source"}
SECOND = {"src2", "operand2", "input_image2", "image2", "source2", "src_image2", "input2"}
picture, other = (random.uniform(0.5, 9, SHAPE).astype(numpy.float32) for _ in range(2))
masks = [(random.uniform(0, 1, SHAPE) > limit).astype(numpy.uint8) for limit in (0.6, 0.5)]
labels = numpy.zeros(SHAPE, numpy.uint32)
count = 0
for z in (0, 3):
    for y in (1, 7, 12):
        for x in (1, 6, 11, 17):
            count += 1
            labels[z:z + 3, y:y + 4 + count % 2, x:x + 5 - count % 3] = count
            # Without these corners, no coordinate of a label's center is a whole number, of which a division that is off
            # by an ulp would leave the next lower one, and no distance is a multiple of the steps of a line.
            labels[z, y, x:x + 1 + z // 3] = 0
matrix = random.uniform(0, 5, (10, 10)).astype(numpy.float32)
matrix[0] = matrix[:, 0] = 0
points = random.uniform(1, 17, (3, 9)).astype(numpy.float32)
vector = random.uniform(1, 9, (1, count + 1)).astype(numpy.float32)


def argument(function, name, place):
    """What an argument of that name is given."""
    name = name.lower()
    # Of other numbers than labels, several would be written to one place.
    if "label" in name or function == "reduce_labels_to_centroids":
        return numpy.roll(labels, 2, 2) if place and (name.endswith("b") or "2" in name) else labels
    if "pointlist" in name or "point_list" in name or name == "coordinates":
        return points
    if "matrix" in name:
        return (matrix > 2.5).astype(numpy.float32) if "touch" in name else matrix
    if "vector" in name or name in ("values", "intensities"):
        return vector
    if any(word in function for word in ("binary", "dilate", "erode")) or "mask" in name:
        return masks[place > 0]
    return picture if name in PICTURES else other if name in SECOND else None


def arguments(name):
    """Those without which the function cannot be called; none where one is not known."""
    filled = []
    for parameter in inspect.signature(getattr(cle, name)).parameters.values():
        value = argument(name, parameter.name, len(filled))
        if parameter.default is None or value is None and parameter.default is not inspect.Parameter.empty:
            break
        if value is None:
            return None
        filled.append(value)
    return filled


def computed(where, name, filled):
    cle.select_device(where.name)
    made = getattr(cle, name)(*[cle.push(value.copy()) for value in filled])
    parts = made.values() if isinstance(made, dict) else made if isinstance(made, (tuple, list)) else [made]
    return [numpy.asarray(cle.pull(part) if hasattr(part, "get") else part, float) for part in parts]


def same(name, filled):
    pairs = list(zip(computed(found, name, filled), computed(beside, name, filled)))
    return pairs and all(one.shape == two.shape and numpy.allclose(one, two, 1e-4, 1e-4, equal_nan=True)
                         for one, two in pairs)


for name in sorted(dir(cle)):
    function = getattr(cle, name)
    if name.startswith("_") or not callable(function) or inspect.isclass(function) or any(part in name for part in NOT):
        continue
    try:
        filled = arguments(name)
    except (TypeError, ValueError):  # no signature
        continue
    if filled:
        results.add(name, lambda name=name, filled=filled: same(name, filled))
results.end("pyclesperanto-prototype", version, found.name, "functions")
