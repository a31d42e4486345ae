#!/usr/bin/python3
"""Protects: hashcat, unchanged from the distribution: of each kind of hash its own self-test,
and a password that it has to find among others; and its benchmark of a few.  A GPU is asked for all
kinds, the software device for three and no benchmark; APP_HASHES=all asks it for all, and a list of
numbers for these.  APP_JOBS of them at a time (1), each told as soon as it ended: on a GPU hashcat takes
all of its memory for a moment when it starts, to see how much there is, and one that starts beside it may
find none.  So they start a second apart, and one that failed for want of memory is asked again, alone.
A speed that is measured beside others says that the benchmark works, not how fast the device is."""
import base64
import concurrent.futures
import ctypes
import ctypes.util
import hashlib
import hmac
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

PASSWORD = b"bca"
SALT = b"41736"


def digest(name, data=PASSWORD):
    return hashlib.new(name, data).hexdigest()


def crypt(salt):
    """What the C library's crypt(3) makes of the password, or nothing where it does not know how."""
    library = ctypes.CDLL(ctypes.util.find_library("crypt") or "libcrypt.so.1")
    library.crypt.restype = ctypes.c_char_p
    result = library.crypt(PASSWORD, salt.encode())
    return result.decode() if result and not result.startswith(b"*") else None


def derived(name, rounds):
    key = hashlib.pbkdf2_hmac(name, PASSWORD, SALT, rounds)
    return "%s:%d:%s:%s" % (name, rounds, base64.b64encode(SALT).decode(), base64.b64encode(key).decode())


# hashcat's number of a kind, its name, the password's hash by others than hashcat, whether the
# software device is asked for it.
KINDS = [
    (0, "MD5", lambda: digest("md5"), True),
    (100, "SHA1", lambda: digest("sha1"), False),
    (600, "BLAKE2b-512", lambda: "$BLAKE2$" + hashlib.blake2b(PASSWORD).hexdigest(), False),
    (1400, "SHA2-256", lambda: digest("sha256"), False),
    (1700, "SHA2-512", lambda: digest("sha512"), False),
    (17400, "SHA3-256", lambda: digest("sha3_256"), True),
    (1410, "SHA2-256 of password and salt",
     lambda: digest("sha256", PASSWORD + SALT) + ":" + SALT.decode(), False),
    (1450, "HMAC-SHA256 keyed by the password",
     lambda: hmac.new(PASSWORD, SALT, "sha256").hexdigest() + ":" + SALT.decode(), False),
    (10900, "PBKDF2-HMAC-SHA256", lambda: derived("sha256", 20), False),
    (12000, "PBKDF2-HMAC-SHA1", lambda: derived("sha1", 20), False),
    (500, "md5crypt", lambda: crypt("$1$41736417"), False),
    (1500, "descrypt", lambda: crypt("ab"), True),
    (1800, "sha512crypt", lambda: crypt("$6$rounds=1000$41736417"), False),
    (3200, "bcrypt", lambda: crypt("$2b$04$abcdefghijklmnopqrstuu"), False),
]

# Kinds that are measured, too, and those that take longest to compile.
MEASURED = [0, 1400, 1800]
LONG = [1700, 1800, 1450, 10900, 600]
# The first device of the only platform.
DEVICE = ["--backend-ignore-cuda", "--backend-ignore-hip", "-d", "1", "--force", "--hwmon-disable"]

# The software device has less memory, of which hashcat uses a part of all.
os.environ.setdefault("CULVERT_SOFT_MEMORY", "1G")
program = shutil.which("hashcat")
if not program:
    print("skipped: hashcat is not installed")
    sys.exit(77)
folder = tempfile.mkdtemp()


def said_by(home, arguments):
    """What it prints, and its exit status.  What it compiles and remembers goes below HOME: one for each kind."""
    os.makedirs(home, exist_ok=True)
    ran = subprocess.run([program] + arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT,
                         env=dict(os.environ, HOME=home, XDG_CACHE_HOME=home, XDG_DATA_HOME=home))
    return ran.stdout.decode(errors="replace"), ran.returncode


def found_by(kind, text):
    """The password that hashcat finds, and what it said.  The smallest steps, since there are only 27
    candidates."""
    home = os.path.join(folder, str(kind))
    hashes, found = os.path.join(home, "hashes"), os.path.join(home, "found")
    os.makedirs(home, exist_ok=True)
    with open(hashes, "w") as file:
        file.write(text + "\n")
    said, status = said_by(home, [
        "-m", str(kind), "-a", "3", *DEVICE, "-w", "1", "-n", "1", "-u", "1", "-T", "32", "--potfile-disable",
        "--session", "culvert%d-%d" % (os.getpid(), kind), "--outfile-format", "2", "-o", found,
        hashes, "-1", "abc", "?1?1?1"])
    if status or "self-test failed" in said.lower() or not os.path.exists(found):
        return None, said
    with open(found) as file:
        return file.read().strip(), said


# What hashcat says when another holds the GPU's memory.
NO_MEMORY = re.compile(r"CL_OUT_OF_RESOURCES|CL_OUT_OF_HOST_MEMORY|CL_MEM_OBJECT_ALLOCATION_FAILURE"
                       r"|Not enough allocatable device memory|No devices found/left")


starting = threading.Lock()


def timed(function, *arguments):
    """What it returns, and the seconds that it took.  One of many starts a second after another."""
    with starting:
        time.sleep(1 if jobs > 1 else 0)
    begun = time.monotonic()
    result, said = function(*arguments)
    return result, said, time.monotonic() - begun


def measured(kind):
    """The speed that hashcat's benchmark prints, which has to be one, and what it said."""
    said, status = said_by(os.path.join(folder, "speed%d" % kind), [
        "-b", "-m", str(kind), *DEVICE, "--session", "culvert%d-b%d" % (os.getpid(), kind)])
    speed = re.search(r"^Speed\.#1\.+: +([0-9.]+ \w*H/s)", said, re.M)
    return (speed[1] if speed and not status and float(speed[1].split()[0]) > 0 else None), said


def good(number, name, result, said, seconds):
    """Prints what came of a kind or of a benchmark; whether it is right."""
    right = result is not None and (result == PASSWORD.decode() or name.startswith("benchmark"))
    words = "%s, %.0f s" % ("found" if not name.startswith("benchmark") else result, seconds)
    print("  %-6d %-34s %s" % (number, name, words if right else "NOT FOUND\n" + said), flush=True)
    return right


def asked():
    """(number, name, function, its arguments) of what is asked for: what takes longest comes first."""
    chosen = os.environ.get("APP_HASHES", "")
    everything = os.environ.get("CULVERT_CUDA") != "soft" or chosen == "all"
    numbers = [int(number) for number in re.findall(r"\d+", chosen)]
    kinds = [(number, name, make()) for number, name, make, quick in KINDS
             if (number in numbers if numbers else everything or quick)]
    tasks = [(number, name, found_by, (number, text)) for number, name, text in kinds if text]
    tasks += [(number, "benchmark of " + name, measured, (number,)) for number, name, text in kinds
              if text and number in MEASURED and everything]
    return sorted(tasks, key=lambda task: task[0] not in LONG)


jobs = int(os.environ.get("APP_JOBS", "1"))
right = 0
again, told = [], []
tasks = asked()
try:
    version = said_by(folder, ["--version"])[0].strip().lstrip("v")
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        results = {pool.submit(timed, task[2], *task[3]): task for task in tasks}
        for future in concurrent.futures.as_completed(results):
            task, (result, said, seconds) = results[future], future.result()
            if result is None and jobs > 1 and NO_MEMORY.search(said):
                again.append(task)
            else:
                told.append(said)
                right += good(*task[:2], result, said, seconds)
    for number, name, function, arguments in again:
        result, said, seconds = timed(function, *arguments)
        told.append(said)
        right += good(number, name, result, said, seconds)
finally:
    shutil.rmtree(folder, ignore_errors=True)
device = next(iter(re.findall(r"^\* Device #1: ([^,\n]*)", "\n".join(told), re.M)), "no device")
print("hashcat %s on %s: %d of %d kinds of hash%s right" %
      (version, device, right, len(tasks), " and benchmarks" if any(task[2] is measured for task in tasks) else ""))
sys.exit(right != len(tasks))
