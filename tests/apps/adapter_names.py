#!/usr/bin/python3
"""Protects: what docs/sycl.md says of the functions and extensions that DPC++'s runtime asks for by name: that those are
there which it calls there, and no others."""
import ctypes
import os
import re
import sys

import platforms

name, number = platforms.wanted()
here = os.path.dirname(os.path.abspath(__file__))
loader, platform = platforms.library(), platforms.handle(number)
address = loader.clGetExtensionFunctionAddressForPlatform
address.restype, address.argtypes = ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_char_p]
EXTENSIONS = 0x1030
text = ctypes.create_string_buffer(65536)
assert loader.clGetDeviceInfo(platforms.device(number), EXTENSIONS, ctypes.c_size_t(len(text)), text, None) == 0
extensions = text.value.decode().split()


def is_there(what):
    if what.startswith("cl_"):
        return what in extensions
    return bool(address(platform, what.encode())) or hasattr(loader, what)


with open(os.path.join(here, "../../docs/sycl.md")) as page:
    rows = re.findall(r"^\| `(cl\w+)` \| (yes|no) \|", page.read(), re.M)
wrong = [(what, said) for what, said in rows if is_there(what) != (said == "yes")]
for what, said in wrong:
    print("%s is %s, and docs/sycl.md says %s" % (what, "there" if said == "no" else "not there", said))
# Both tables were read.
sys.exit(bool(wrong) or len(rows) < 30)
