#!/usr/bin/python3
"""Protects: the distribution's hcxkeys, whose wlangenpmkocl computes the plain master keys of wireless networks with
OpenCL.  Each key is compared with that of Python's PBKDF2, and so are those of wlangenpmk, its program for the CPU."""
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from results import Results

if not shutil.which("wlangenpmkocl"):
    print("skipped: hcxkeys is not installed")
    sys.exit(77)
COUNT = int(os.environ.get("HCXKEYS", "100"))
# Passwords of 8 to 63 characters, and names of 1 to 32, at the limits of SHA-1's blocks as well.
PASSWORDS = [("%08x" % (i * 2654435761 % 2 ** 32) * 8)[:8 + i % 56] for i in range(COUNT)]
NETWORKS = ["n", "a network", "0123456789abcdef" * 2]


def keys(program, network, *options):
    """The keys that the program writes, in the order of the passwords; and what it said."""
    with tempfile.TemporaryDirectory() as folder:
        words, result = os.path.join(folder, "words"), os.path.join(folder, "keys")
        with open(words, "w") as file:
            file.write("".join(word + "\n" for word in PASSWORDS))
        ran = subprocess.run([program, "-e", network, "-i", words, "-a", result, *options], stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        said = ran.stdout.decode(errors="replace")
        if ran.returncode or not os.path.exists(result):
            return [], said
        with open(result) as file:
            return file.read().split(), said


def wanted(network):
    return [hashlib.pbkdf2_hmac("sha1", word.encode(), network.encode(), 4096, 32).hex() for word in PASSWORDS]


results = Results()
device = "no device"
for network in NETWORKS:
    reference = wanted(network)
    got, said = keys("wlangenpmkocl", network)
    found = re.search(r"using: (.*\S)", said)
    device = found[1] if found else device
    if got != reference:
        print(said)
    results.add("%d keys of %r" % (COUNT, network), lambda got=got, reference=reference: got == reference)
    results.add("the CPU's of %r" % network,
                lambda network=network, reference=reference: keys("wlangenpmk", network)[0] == reference)
version = subprocess.run(["wlangenpmkocl", "-h"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout.decode()
version = (re.search(r"wlangenpmkocl (\S+)", version) or [0, "6"])[1]
results.end("hcxkeys", version, device, "sets of keys")
