#!/usr/bin/python3
"""Protects: John the Ripper's formats for OpenCL, kernels by a dozen authors: each computes the hashes of its own
test vectors, which others computed, and has to find all of them and nothing else (john --test=0).  JOHN names the
program of a build with --enable-opencl (john in PATH otherwise)."""
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys

john = os.environ.get("JOHN") or shutil.which("john")
if not john:
    print("skipped: no john")
    sys.exit(77)
# A build's own folder has its kernels, and it is to be started there.
folder = os.path.dirname(os.path.realpath(john))


def ask(*arguments, limit=60, **more):
    """(exit code, text), -9 for what was ended after so many seconds."""
    with subprocess.Popen([os.path.realpath(john)] + list(arguments), stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=folder,
                          env=dict(os.environ, **more), start_new_session=True) as process:
        try:
            said = process.communicate(timeout=limit)[0]
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            said = process.communicate()[0]
    return process.returncode, said.decode(errors="replace")


formats = re.findall(r"[\w-]+-opencl", ask("--list=formats", "--format=opencl")[1].replace("\n", ""))
if not formats:
    print("skipped: this john has no formats for OpenCL")
    sys.exit(77)
devices = ask("--list=opencl-devices")[1]
name = os.environ.get("APP_PLATFORM", "Culvert")
device = None
for part in re.split(r"(?=Platform #)", devices):
    found = re.match(r"Platform #\d+ name: (.*?), version.*?Device #\d+ \((\d+)\) name: *(.*?)$", part, re.M | re.S)
    if found and name in found[1]:
        device, title = found[2], found[3]
        break
if not device:
    print("skipped: no", name, "device")
    sys.exit(77)
version = re.search(r"^Version: (\S+)", ask("--list=build-info")[1], re.M)[1]
settings = {"JOHN_DEVICE": device}
if "softcuda" in title:
    # Those that it ends in seconds, a work-group of eight.  krb5tgs and sha256crypt are not among them: their kernels
    # write behind an array of their own (27 words of a password into W[16]; buffer[16] of 16), which it does not let
    # pass.
    quick = ("LM NT NT-long RAKP SL3 XSHA512 XSHA512-free descrypt krb5pa-md5 lotus5 md5crypt mscash mysql-sha1 ntlmv2 "
             "o5logon oldoffice phpass pwsafe raw-MD4 raw-MD5 raw-SHA1 raw-SHA256 raw-SHA512 raw-SHA512-free "
             "salted-SHA1 ZIP").split()
    formats = [name + "-opencl" for name in quick if name + "-opencl" in formats]
    settings.update(LWS="8", GWS="8")


def run(name):
    code, said = ask("--test=0", "--format=" + name, "--devices=" + device, limit=int(os.environ.get("JOHN_LIMIT", 120)),
                     **settings)
    good = code == 0 and "PASS" in said and "FAILED" not in said
    lines = [line.strip() for line in said.splitlines() if line.strip() and not line.startswith("Device ")]
    return name, good, " ".join(lines)[-300:] if not good else ""


jobs = int(os.environ.get("APP_JOBS", 1))
right = 0
with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
    for name, good, said in pool.map(run, formats):
        right += good
        print("  %-28s %s" % (name, "" if good else "WRONG: " + (said or "ended")), flush=True)
print("John %s on %s: %d of %d formats right" % (version, title, right, len(formats)))
sys.exit(right != len(formats))
