#!/usr/bin/python3
"""Protects: darktable's OpenCL code, unchanged from the distribution: it builds all of its kernels, and
develops a picture as it does on the processor."""
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

if not shutil.which("darktable-cli"):
    print("skipped: darktable is not installed")
    sys.exit(77)
folder = tempfile.mkdtemp()
WIDTH, HEIGHT = 96, 64


def write_picture(file):
    """Slopes of the three colours, as PNG of 8 bits."""
    rows = b"".join(b"\0" + bytes(v for x in range(WIDTH) for v in (x * 2 % 256, y * 4 % 256, (x + y) * 3 % 256))
                    for y in range(HEIGHT))

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    with open(file, "wb") as picture:
        picture.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 2, 0, 0, 0))
                      + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def read_picture(file):
    """(width, height) and the 16-bit values of what darktable wrote as PPM; nothing where it wrote none."""
    if not os.path.exists(file):
        return None, ()
    with open(file, "rb") as picture:
        written = picture.read()
    head = re.match(rb"P6\s(\d+)\s(\d+)\s65535\s", written)
    size = (int(head[1]), int(head[2])) if head else None
    if not head or len(written) - head.end() != 6 * size[0] * size[1]:
        return None, ()
    return size, struct.unpack(">%dH" % (3 * size[0] * size[1]), written[head.end():])


def developed(name, options):
    """The picture that comes out, its size first, and what darktable says of OpenCL.  Its measurement of the device,
    which would refuse a slow one, is off."""
    result = os.path.join(folder, name + ".ppm")
    ran = subprocess.run(
        ["darktable-cli", os.path.join(folder, "in.png"), result, "--width", "48", "--height", "48", "--core",
         "--configdir", os.path.join(folder, name), "--cachedir", os.path.join(folder, name + ".cache"),
         "--library", ":memory:", "--conf", "opencl_checksum=OFF", "-d", "opencl"] + options,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return read_picture(result), ran.stdout.decode(errors="replace")


try:
    version = subprocess.run(["darktable-cli", "--version"], stdout=subprocess.PIPE).stdout.decode()
    version = re.search(r"[0-9]+\.[0-9.]*[0-9]", version)[0]
    write_picture(os.path.join(folder, "in.png"))
    wanted, _ = developed("processor", ["--disable-opencl"])
    got, said = developed("device", ["--conf", "opencl=TRUE"])
finally:
    shutil.rmtree(folder, ignore_errors=True)
device = re.search(r"internal numbers and names.*\n.*?'(.*)'", said)
events = re.search(r"(\d+) out of (\d+) events were successful and (\d+) events lost", said)
same_size = wanted[0] is not None and got[0] == wanted[0]
worst = max(abs(a - b) for a, b in zip(got[1], wanted[1])) if same_size else None
checks = [
    ("every kernel is built", device is not None and "failed to build" not in said and "could not build" not in said),
    ("commands ran, none was lost", events is not None and int(events[1]) > 0 and events[3] == "0"),
    ("differs by %s of 65535 from the processor's, 257 at most" % worst, same_size and worst <= 257),
]
for what, good in checks:
    print("  %s%s" % (what, "" if good else ": WRONG"))
right = sum(good for _, good in checks)
if right != len(checks):
    print(said)
print("darktable %s on %s: %d of %d checks right" % (version, device[1] if device else "no device", right, len(checks)))
sys.exit(right != len(checks))
