#!/usr/bin/python3
"""Protects: KataGo, unchanged: its tests of layers, and what networks that come with its source think of a position, all
eight ways round, in single and in half precision, beside its own build for the processor.  KATAGO is the build for
OpenCL, KATAGO_CPU that for Eigen, KATAGO_MODELS the folder cpp/tests/models of the source."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

import platforms

program, other, models = (os.environ.get(key) for key in ("KATAGO", "KATAGO_CPU", "KATAGO_MODELS"))
if not program or not other or not models:
    print("skipped: KATAGO, KATAGO_CPU and KATAGO_MODELS do not name builds of KataGo and its networks")
    sys.exit(77)
program, other, models = map(os.path.abspath, (program, other, models))
name, _ = platforms.wanted()
device = name
# A residual network, and two transformers, one of them with grouped queries.
MODELS = ("g170-b6c96-s175395328-d26788732", "b7c96h3tfrs-test5-cnorm", "b7c96h6kv3qk32v16tflrs-fson-bnh")
GEMM = "MWG=32 NWG=32 KWG=16 MDIMC=8 NDIMC=8 MDIMA=8 NDIMB=8 KWI=2 VWM=2 VWN=2 STRM=0 STRN=0 SA=1 SB=1"
TILES = "MWG=16 NWG=16 KWG=16 MWAVE=16 NWAVE=16 MWARP=16 NWARP=16 VWM=%d VWN=2 %s"
LOCAL = "transLocalSize0=16 transLocalSize1=2 untransLocalSize0=8 untransLocalSize1=2 untransLocalSize2=2"
# What its tuner would find after minutes: halves in memory and in arithmetic, no tensor cores; and sizes.
TUNED = ["VERSION=13", "1", "1", "0", "0", "1", "1", "0", "0",
         "WGD=16 MDIMCD=8 NDIMCD=8 MDIMAD=8 NDIMBD=8 KWID=2 VWMD=2 VWND=2 PADA=1 PADB=1", GEMM, GEMM,
         TILES % (2, "SA=0 SB=0"), TILES % (1, "SB=0 PAD_ELTS_PER_THREAD=1 PAD_ROWS_PER_THREAD=1"),
         "INTILE_XSIZE=6 INTILE_YSIZE=6 OUTTILE_XSIZE=4 OUTTILE_YSIZE=4 " + LOCAL,
         "INTILE_XSIZE=6 INTILE_YSIZE=6 OUTTILE_XSIZE=2 OUTTILE_YSIZE=2 " + LOCAL,
         "XYSTRIDE=16 CHANNELSTRIDE=2 BATCHSTRIDE=1",
         "ATTN_BLOCK_Q=32 ATTN_BLOCK_KV=32 Q_PER_THREAD=1 USE_TILED_ATTN=1",
         "WG_C_SIZE=64 WG_XY_SIZE=1 C_PER_THREAD=4", "ELTS_PER_THREAD=1 LOCAL_SIZE=32",
         "XY_ELTS_PER_THREAD=1 NC_ELTS_PER_THREAD=1", "TILE_SIZE=32 APPLY_ELTS_PER_THREAD=1"]
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def position(katago, model, *arguments):
    """The lines that a test prints of a position, without those of the log."""
    ran = subprocess.run([katago, "runnnontinyboardtest", model, *arguments], capture_output=True, text=True)
    told = ran.stdout + ran.stderr
    global device
    chosen = re.search(r"Using OpenCL Device \d+: (.*?) \(([^()]*)\) OpenCL", told)
    device = chosen[1] if chosen else device
    if ran.returncode:
        raise ValueError("ended with %d: %s" % (ran.returncode, told.strip()[-200:]))
    half = re.search(r"FP16Storage (\w+) FP16Compute (\w+)", told)
    if half and half.groups() != (arguments[-1],) * 2:
        raise ValueError("half precision: " + half[0])
    return "\n".join(line for line in told.splitlines() if not line.startswith(":"))


def tune(model):
    """Where KataGo misses what its tuner found for this network, this is put, before it begins to look."""
    with subprocess.Popen([program, "runnnontinyboardtest", model, "false", "false", "0", "false"],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as asking:
        missed = None
        for line in asking.stdout:
            missed = re.search(r"No existing tuning parameters found.* at: (\S+)", line)
            if missed:
                break
        asking.kill()
    if missed:
        with open(missed[1], "w") as out:
            out.write("\n".join(TUNED) + "\n")


def close(got, wanted, half):
    """Percents, points and thousandths, alike in all but what a rounding makes of them; sums in halves, of which one
    place on the board may be another by 4 percent, make more."""
    if NUMBER.sub("", got).split() != NUMBER.sub("", wanted).split():
        return False
    pairs = zip(NUMBER.findall(got), NUMBER.findall(wanted))
    return all(abs(float(a) - float(b)) <= (0.03 if half else 1e-3) * abs(float(b)) +
               ((1 if "." in b else 60) if half else (0.02 if "." in b else 1)) for a, b in pairs)


home = tempfile.mkdtemp()
os.environ["HOME"] = home
os.chdir(home)
right, count = 0, 1
try:
    layers = subprocess.run([program, "runnnlayertests"], capture_output=True, text=True)
    told = re.search(r"^Tested (\d+) configurations\nDone", layers.stdout, re.M)
    good = layers.returncode == 0 and told and int(told[1]) > 0
    right += bool(good)
    print("  layers: %s" % (told[0].splitlines()[0] if good else layers.stderr.strip()[-200:] + ": WRONG"))
    for model in MODELS:
        path = os.path.join(models, model + ".bin.gz")
        tune(path)
        for way in range(8):
            wanted = position(other, path, "true", "true", str(way), "false")
            for half in (False, True):
                count += 1
                try:
                    got = position(program, path, "false", "false", str(way), "true" if half else "false")
                    good = close(got, wanted, half)
                except ValueError as failed:
                    got, good = str(failed), False
                right += good
                wins = re.search(r"Win (\S+)", got)
                print("  %s, way %d, %s: wins by %s, on the processor %s%s" %
                      (model, way, "half" if half else "single", wins[1] if wins else got,
                       re.search(r"Win (\S+)", wanted)[1], "" if good else ": WRONG"))
finally:
    os.chdir("/")
    shutil.rmtree(home, ignore_errors=True)
version = re.search(r"KataGo v(\S+)", subprocess.run([program, "version"], capture_output=True, text=True).stdout)[1]
print("KataGo %s on %s: %d of %d results right" % (version, device, right, count))
sys.exit(right != count)
