#!/usr/bin/python3
"""Protects: PRPLL (gpuowl), which tests Mersenne numbers for primality: Fourier transforms in double precision whose products
are rounded to integers. After 400 squarings modulo 2^p - 1 its residue is compared with GMP's, and PRPLL's own check of these
squarings (Gerbicz's) has to hold; on a GPU, whole tests also find a known prime and a composite number, of which
a factor is known. PRPLL names the program, PRPLL_VERSION its version."""
import ctypes
import ctypes.util
import os
import re
import subprocess
import sys
import tempfile
import time

import platforms

program = os.environ.get("PRPLL")
if not program or not os.access(program, os.X_OK):
    print("skipped: PRPLL names no program")
    sys.exit(77)
program = os.path.abspath(program)
try:
    gmp = ctypes.CDLL(ctypes.util.find_library("gmp") or "libgmp.so.10")
except OSError as error:
    print("skipped:", error)
    sys.exit(77)
gmp.__gmpz_get_ui.restype = ctypes.c_ulong
name, number = platforms.wanted()
device = platforms.first_device(number)
soft = "softcuda" in device
# Its smallest transform is for exponents from 786432 on. These are exponents of Mersenne primes.
PARTS = (859433,) if soft else (859433, 1257787, 2976221)
# What it says of a prime (PP) and of a composite number (CC), and that number's factor.
WHOLE = {} if soft else {859433: ("PP", None), 859447: ("CC", 673663779799)}
SQUARINGS = 400
# How often it is started, and after how many seconds without a new line in its log it is ended.
STARTS, SILENCE = 10, 240 if soft else 60
failed_starts = []


def residue(exponent):
    """The last 64 bits of 3^(2^SQUARINGS) modulo 2^exponent - 1, by GMP: Python's own integers take minutes."""
    power, modulus, result = (ctypes.create_string_buffer(16) for _ in range(3))  # mpz_t: two int and a pointer
    for number in (power, modulus, result):
        gmp.__gmpz_init(number)
        gmp.__gmpz_set_ui(number, ctypes.c_ulong(1))
    gmp.__gmpz_mul_2exp(power, power, ctypes.c_ulong(SQUARINGS))
    gmp.__gmpz_mul_2exp(modulus, modulus, ctypes.c_ulong(exponent))
    gmp.__gmpz_sub_ui(modulus, modulus, ctypes.c_ulong(1))
    gmp.__gmpz_set_ui(result, ctypes.c_ulong(3))
    gmp.__gmpz_powm(result, result, power, modulus)
    return gmp.__gmpz_get_ui(result)


def one_run(exponent, noted):
    """Its lines about the exponent, which also go into the list NOTED; then whether it had to be ended, because it noted
    nothing for long."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        with open(os.path.join(folder, "gpuowl-0.log"), "w+") as log, subprocess.Popen(
                [program, "-prp", str(exponent), "-block", "200"], cwd=folder, stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            try:
                part, heard, over = "", time.monotonic(), False
                while not over and time.monotonic() - heard < SILENCE:
                    over = process.poll() is not None
                    for piece in iter(log.readline, ""):
                        part, heard = part + piece, time.monotonic()
                        if part.endswith("\n"):
                            noted.append(part.rstrip())
                            yield noted[-1]
                            part = ""
                    if not over:
                        time.sleep(0.1)
                return not over
            finally:
                process.kill()


def lines(exponent):
    """Its lines about the exponent.  Its thread for files starts before the mutex that it locks is constructed
    (src/Background.h declares the thread before the mutex).  What was on the stack then decides: glibc may end the
    process, or the thread may wait for a lock that nobody has.  Nothing is computed by then, and it is started again.
    Each such start is printed."""
    for start in range(1, STARTS + 1):
        noted = []
        lost = yield from one_run(exponent, noted)
        begun = any("FFT:" in line for line in noted)
        if not lost and begun:
            return
        print("  %d: start %d of at most %d %s" % (exponent, start, STARTS, (
            "noted nothing for %d s" % SILENCE if lost else "ended") + (" after it began" if begun else
                                                                     " before it began to compute")), flush=True)
        failed_starts.append(exponent)


def begins_right(exponent):
    """Whether its residue after 400 squarings is right, and so its own check of them."""
    for line in lines(exponent):
        told = re.search(r" (OK|EE) +%d ([0-9a-f]{16}) " % SQUARINGS, line)
        if told:
            return told[1] == "OK" and int(told[2], 16) == residue(exponent)
    print("  %d: it ended" % exponent)
    return False


def ends_right(exponent, wanted, factor):
    """Whether it finds that the number is a probable prime (PP) or composite (CC)."""
    if factor and pow(2, exponent, factor) != 1:
        sys.exit("%d does not divide 2^%d - 1" % (factor, exponent))
    for line in lines(exponent):
        told = re.search(r" (PP|CC) +%d / " % exponent, line)
        if told:
            return told[1] == wanted
        if " EE " in line:
            break
    print("  %d: it ended, or made an error" % exponent)
    return False


right = 0
for exponent in PARTS:
    good = begins_right(exponent)
    right += good
    print("  %d, %d squarings%s" % (exponent, SQUARINGS, "" if good else ": WRONG"), flush=True)
for exponent, (wanted, factor) in WHOLE.items():
    good = ends_right(exponent, wanted, factor)
    right += good
    print("  %d, whole test%s" % (exponent, "" if good else ": WRONG"), flush=True)
if failed_starts:
    print("  %d starts without a result, each tried again" % len(failed_starts))
print("PRPLL %s on %s: %d of %d tests right" % (os.environ.get("PRPLL_VERSION", "of-its-repository"), device, right,
                                                len(PARTS) + len(WHOLE)))
sys.exit(right != len(PARTS) + len(WHOLE))
