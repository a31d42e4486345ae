#!/usr/bin/python3
"""Protects: PoCL's server for other machines, pocld, over our devices: programs that see a device of PoCL's compute on
ours, by the loopback address.  POCL names a build of PoCL with -DENABLE_REMOTE_SERVER=1 -DENABLE_REMOTE_CLIENT=1, and
its examples beside; docs/clusters.md shows how to make one.

PoCL's client ends by a fault or hangs in about one run of ten when it closes its connection, on PoCL's own device for
the processor as well: a program is given TRIES."""
import glob
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

import platforms

TRIES, SECONDS = 6, 20
# The programs, and what right ones say.
EXAMPLES = {"example0": r"^PASS$", "example1": r"^OK$", "example2": r"^OK$", "vecadd": r"^OK$", "matadd": r"^OK$",
            "trig": r"^OK$", "scalarwave": r"^OK$", "boxadd": r"^OK$"}
# What PoCL's client passes on: OpenCL C 1.2 without images.
KERNELS = ("argument_null_buffer", "atomics_global", "barrier_reduction", "control_switch", "integer_long",
           "local_argument", "local_arguments_several", "math_double", "matrix_tiled", "private_arrays", "scan_local",
           "vector_add", "vector_comparison")

here = os.path.dirname(os.path.abspath(__file__))
foreign = os.path.join(here, "foreign")
pocl = os.environ.get("POCL", "")
server = os.path.join(pocl, "pocld/pocld")
library = next(iter(sorted(glob.glob(os.path.join(pocl, "lib/CL/libpocl.so*")))), None)
if not pocl or not os.path.exists(server) or not library:
    print("skipped: POCL does not name a build of PoCL with its remote server and client")
    sys.exit(77)
with open(os.path.join(pocl, "pocl.pc")) as file:
    version = re.search(r"^Version: *(\S+)", file.read(), re.M)[1]
name, number = platforms.wanted()
devices = 2 if "softcuda" in platforms.first_device(number) else 1


def free_port():
    """pocld takes this one and the two behind it."""
    for port in range(20000 + os.getpid() % 20000, 60000, 3):
        sockets = [socket.socket() for _ in range(3)]
        try:
            for i, one in enumerate(sockets):
                one.bind(("127.0.0.1", port + i))
            return port
        except OSError:
            pass
        finally:
            for one in sockets:
                one.close()
    raise OSError("no free port")


def listens(port):
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) == 0


def start(port):
    settings = dict(os.environ, CULVERT_SOFT_DEVICES=str(devices))
    process = subprocess.Popen([foreign, server, "-a", "127.0.0.1", "-p", str(port)], env=settings, cwd=folder,
                               stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, start_new_session=True)
    for _ in range(300):
        if listens(port) or process.poll() is not None:
            break
        time.sleep(0.1)
    return process


def client(port):
    """The environment of a program that sees PoCL's remote devices alone."""
    settings = {key: value for key, value in os.environ.items() if not key.startswith(("CULVERT", "OCL_ICD"))}
    vendors = os.path.join(folder, "vendors")
    os.makedirs(vendors, exist_ok=True)
    with open(os.path.join(vendors, "pocl.icd"), "w") as file:
        file.write(library + "\n")
    settings.update(OCL_ICD_VENDORS=vendors, POCL_DEVICES=" ".join(["remote"] * devices), POCL_CACHE_DIR=folder,
                    POCL_BUILDING="1", APP_PLATFORM="Portable")
    for i in range(devices):
        settings["POCL_REMOTE%d_PARAMETERS" % i] = "127.0.0.1:%d/%d" % (port, i)
    return settings


def run(command, wanted, where=None):
    """How many tries it took; None: it never came out right.  wanted: what it has to say, or None: nothing."""
    said = ""
    for attempt in range(1, TRIES + 1):
        # By lines: what was said before a hang is not lost in a buffer.
        with tempfile.TemporaryFile() as out:
            process = subprocess.Popen(["stdbuf", "-oL"] + command, env=environment, cwd=where, stdout=out,
                                       stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
            try:
                code = process.wait(timeout=SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                code = process.wait()
            out.seek(0)
            said = out.read().decode(errors="replace")
        if code == 0 and not said if wanted is None else code <= 0 and re.search(wanted, said, re.M):
            return attempt
        # A wrong result is not tried again; a fault or a hang is.
        if code >= 0:
            break
    print("    %d: %s" % (code, said.strip()[-400:]))
    return None


right = count = more = 0


def check(what, *arguments):
    global right, count, more
    tries = run(*arguments)
    right, count, more = right + (tries is not None), count + 1, more + (tries or 1) - 1
    print("  %-34s %s" % (what, "WRONG" if tries is None else "" if tries == 1 else "%d tries" % tries), flush=True)


folder = tempfile.mkdtemp()
build = os.getcwd()
with open(os.path.join(folder, "log"), "w+") as log:
    port = free_port()
    process = start(port)
    try:
        environment = client(port)
        if not listens(port):
            log.seek(0)
            print(log.read(), "pocld does not listen")
            sys.exit(1)
        check("clinfo", ["clinfo", "--list"],
              r"Platform #0: Portable.*\n" + r".*Device #\d: .*\n" * devices + r"?\Z")
        check("matrix", [os.path.join(build, "tests/apps/matrix"), "128"], r"verified")
        runner, kernels = os.path.join(build, "tests/kernels/runner"), os.path.join(here, "../kernels")
        for kernel in KERNELS:
            check(kernel, [runner, "--platform", "Portable", os.path.join(kernels, kernel + ".clt")], None)
        for example, wanted in EXAMPLES.items():
            place = os.path.join(pocl, "examples", example)
            if os.path.exists(os.path.join(place, example)):
                check(example, [os.path.join(place, example)], wanted, place)
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait()
        shutil.rmtree(folder, ignore_errors=True)
print("%d tries more than programs" % more)
print("pocld %s on %s: %d of %d programs right" % (version, platforms.first_device(number), right, count))
sys.exit(right != count)
