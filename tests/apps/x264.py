#!/usr/bin/python3
"""Protects: x264's lookahead on OpenCL, unchanged from the distribution: it builds all of its kernels, takes
them from the program binary the next time, and plans a film about as well as the lookahead of the processor.
Not the same film twice: its kernels pass values through local memory without a barrier, and x264 itself reads memory
that it has not written.  Where both are settled, on the software device, the binary's film is that of the source."""
import filecmp
import os
import re
import shutil
import subprocess
import sys
import tempfile

if not shutil.which("x264"):
    print("skipped: x264 is not installed")
    sys.exit(77)
os.environ.setdefault("CULVERT_SOFT_THREADS", "1")  # the software device: one order of work-items
os.environ["MALLOC_PERTURB_"] = "255"  # x264 reads what it has not written, without OpenCL too: always the same then
WIDTH, HEIGHT, FRAMES = 192, 144, 20


def plane(width, height, value):
    return bytes(value(x, y) & 255 for y in range(height) for x in range(width))


def write_film(file):
    """Waves under a square that moves, and a cut to other waves after two thirds."""
    with open(file, "wb") as film:
        film.write(b"YUV4MPEG2 W%d H%d F25:1 Ip A1:1 C420\n" % (WIDTH, HEIGHT))
        for t in range(FRAMES):
            other = t >= 2 * FRAMES // 3

            def light(x, y):
                if abs(x - 20 - 5 * t) < 16 and abs(y - 70) < 16:
                    return 220 - (x * y) % 40
                return (x * x // (60 if other else 90) + 2 * y + 3 * t) % 180 + 20

            film.write(b"FRAME\n" + plane(WIDTH, HEIGHT, light))
            for tint in (3, 5):
                film.write(plane(WIDTH // 2, HEIGHT // 2, lambda x, y: 100 + (x * tint + y + t) % 60))


def encoded(name, options):
    """What x264 says of the film that comes out; nothing where none does."""
    result = os.path.join(folder, name)
    ran = subprocess.run(["x264", "--psnr", "--threads", "2", "--crf", "24", "-o", result] + options
                         + [os.path.join(folder, "in.y4m")], stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    said = ran.stdout.decode(errors="replace")
    return said if ran.returncode == 0 and os.path.exists(result) else "no film: " + said


def quality(said):
    """(dB of the pictures, kilobits a second)"""
    found = re.search(r"PSNR Mean .* Global:([0-9.]+) kb/s:([0-9.]+)", said)
    return (float(found[1]), float(found[2])) if found else (0.0, 0.0)


folder = tempfile.mkdtemp()
try:
    version = subprocess.run(["x264", "--version"], stdout=subprocess.PIPE).stdout.decode().split()[1]
    write_film(os.path.join(folder, "in.y4m"))
    said = encoded("first.264", ["--opencl", "--opencl-clbin", os.path.join(folder, "kernels")])
    again = encoded("second.264", ["--opencl", "--opencl-clbin", os.path.join(folder, "kernels")])
    of_processor = encoded("processor.264", [])
    films = [os.path.join(folder, name) for name in ("first.264", "second.264")]
    same = all(map(os.path.exists, films)) and filecmp.cmp(*films, shallow=False)
finally:
    shutil.rmtree(folder, ignore_errors=True)
device = re.search(r"OpenCL acceleration enabled with \S+ (.*\S)", said)
wanted, rate_wanted = quality(of_processor)
compiling = "Compiling OpenCL kernels"


def as_good(said):
    """Half a decibel and a fifth of the bits are what two plans may be apart: the kernels' costs, and so the
    bits, differ with the order in which work-items run."""
    got, rate = quality(said)
    return wanted > 0 and got > wanted - 0.5 and 0 < rate < 1.2 * rate_wanted


one_order = device is not None and "softcuda" in device[1] and os.environ["CULVERT_SOFT_THREADS"] == "1"
checks = [
    ("the kernels are built and run", device is not None and compiling in said and "OpenCL: " not in said),
    ("%.2f dB at %.0f kb/s, the processor's %.2f dB at %.0f kb/s" % (*quality(said), wanted, rate_wanted), as_good(said)),
    ("by the program binary nothing is compiled", "OpenCL acceleration enabled" in again and compiling not in again
     and "OpenCL: " not in again),
    ("%.2f dB at %.0f kb/s then%s" % (*quality(again), ", the same film" if one_order else ""),
     as_good(again) and (same or not one_order)),
]
for what, good in checks:
    print("  %s%s" % (what, "" if good else ": WRONG"))
right = sum(good for _, good in checks)
if right != len(checks):
    print(said)
print("x264 %s on %s: %d of %d checks right" % (version, device[1] if device else "no device", right, len(checks)))
sys.exit(right != len(checks))
