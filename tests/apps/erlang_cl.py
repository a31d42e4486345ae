#!/usr/bin/python3
"""Protects: the distribution's erlang-cl, Erlang's interface of OpenCL, by its own examples: numbers that are squared,
matrices that are multiplied by the identity, and a function of Erlang that becomes a kernel.  Their results are compared
with Python's of the numbers that they print."""
import glob
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from results import Results

EXAMPLES = "/usr/share/doc/erlang-cl/examples"
libraries = glob.glob("/usr/lib/erlang/lib/cl-*")
if not libraries or not os.path.isdir(EXAMPLES) or not shutil.which("erlc"):
    print("skipped: erlang-cl or Erlang's compiler is not installed")
    sys.exit(77)


def copy(folder):
    """The library with its examples where they find each other: a path in them is of the folder that they came from."""
    library = os.path.join(folder, os.path.basename(libraries[0]))
    shutil.copytree(libraries[0], library)
    shutil.copytree(EXAMPLES, os.path.join(library, "examples"))
    return library


def run(library, expression):
    """What Erlang prints of an expression."""
    ran = subprocess.run(["erl", "-noshell", "-pa", os.path.join(library, "ebin"), "-pa", ".", "-eval",
                          "io:format(\"result=~w~n\", [catch " + expression + "]), halt()."], stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=os.path.join(library, "examples"))
    return ran.stdout.decode(errors="replace")


def numbers(text):
    return [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?", text)]


def lists(said):
    """The lists of numbers that an example prints as its data."""
    return [numbers(text) for text in re.findall(r"data=\[(.*?)\]\s*(?=[a-z]|$)", said, re.S)]


def single(number):
    return struct.unpack("f", struct.pack("f", number))[0]


def squares(library):
    said = run(library, "cl_square_float:test()")
    return [float(i * i) for i in range(1, 1025)] in lists(said)


def products(library):
    """The identity times a matrix is the matrix."""
    data = lists(run(library, "cl_mul:test()"))
    return len(data) == 2 and len(data[0]) == 64 and data[0] == data[1]


def mapped(library):
    said = run(library, "cl_map:test()")
    return numbers(said[said.rfind("result="):]) == [single(i * i + 1) for i in range(1, 1025)]


results = Results()
with tempfile.TemporaryDirectory() as folder:
    library = copy(folder)
    device = run(library, "begin cl:start(), {ok, [P | _]} = cl:get_platform_ids(), {ok, [D | _]} = "
                          "cl:get_device_ids(P, all), {ok, Name} = cl:get_device_info(D, name), list_to_atom(Name) end")
    found = re.search(r"result='?(.*?)'?$", device, re.M)
    for name in ("cl_square_float", "cl_mul", "cl_map"):
        subprocess.run(["erlc", name + ".erl"], cwd=os.path.join(library, "examples"), stdout=subprocess.DEVNULL)
    for what, function in (("squares of 1024 numbers", squares), ("products of matrices", products),
                           ("a function of Erlang", mapped)):
        results.add(what, lambda function=function: function(library))
    results.end("erlang-cl", os.path.basename(library)[3:], found[1] if found else "no device")
