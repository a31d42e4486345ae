#!/usr/bin/python3
"""Protects: Leela Zero, unchanged from the distribution: what a made-up network thinks of positions of Go, in single
and in half precision, beside its own code for the processor.  Its tuner builds and checks some 300 forms of a
matrix product first, on a GPU those of tensor cores, in assembly, among them."""
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

import platforms

program = shutil.which("leelaz") or shutil.which("/usr/lib/leelaz/bin/leelaz")
if not program:
    print("skipped: no Leela Zero")
    sys.exit(77)
name, _ = platforms.wanted()
soft = os.environ.get("CULVERT_CUDA") == "soft"
channels, blocks = (16, 2) if soft else (64, 6)
device = name
random.seed(7)


def line(count, spread):
    return " ".join("%.6f" % random.gauss(0, spread) for _ in range(count))


def convolution(inputs, outputs, size):
    """Weights that keep the size of what goes through, biases, and the means and variances of what comes."""
    return [line(inputs * outputs * size * size, (2 / (inputs * size * size)) ** 0.5), line(outputs, 0.1),
            line(outputs, 0.1), " ".join("%.6f" % random.uniform(0.5, 1.5) for _ in range(outputs))]


def network():
    """Of version 1: a tower of residual blocks, the moves' probabilities, who wins."""
    lines = ["1"] + convolution(18, channels, 3)
    for _ in range(2 * blocks):
        lines += convolution(channels, channels, 3)
    lines += convolution(channels, 2, 1) + [line(2 * 361 * 362, 0.1), line(362, 0.1)]
    lines += convolution(channels, 1, 1) + [line(361 * 256, 0.06), line(256, 0.1), line(256, 0.06), line(1, 0.1)]
    return "\n".join(lines) + "\n"


MOVES = ("play b d4", "play w q16", "play b c16", "play w r4", "play b k10")
SHOWN = "".join(move + "\nheatmap\n" for move in MOVES)


def think(*options):
    """Of each position: the moves' probabilities in thousandths, and how likely black wins."""
    ran = subprocess.run([program, "-w", "made.txt", "--gtp", "--noponder", "-t", "1", "-s", "1", *options],
                         input="heatmap\n" + SHOWN + "quit\n", capture_output=True, text=True)
    global device
    chosen = re.search(r"^Selected platform: (.*)\nSelected device: (.*)", ran.stderr, re.M)
    if chosen and name not in chosen[1]:
        raise ValueError("it runs on " + chosen[1])
    device = chosen[2] if chosen else device
    forms = re.search(r"Will try (\d+) valid", ran.stderr)
    maps = re.findall(r"((?:^(?: *\d+){19} *\n){19})pass: (\d+)\nwinrate: (\S+)", ran.stderr, re.M)
    if ran.returncode or len(maps) != len(MOVES) + 1:
        raise ValueError("ended with %d: %s" % (ran.returncode, ran.stderr.strip()[-200:]))
    cores = "tensor cores, " if "Tensor Core support: Yes" in ran.stderr else ""
    return [([int(word) for word in rows.split()] + [int(other)], float(wins)) for rows, other, wins in maps], \
        cores + "%s forms tuned" % (forms[1] if forms else "no")


home = tempfile.mkdtemp()
os.environ["HOME"] = home  # where its tuner notes what was quickest
os.chdir(home)
right = count = 0
try:
    with open("made.txt", "w") as out:
        out.write(network())
    wanted, _ = think("--cpu-only")
    # What is shown is cut off to thousandths.
    for precision, thousandths, part in (("single", 1, 1e-4), ("half", 3, 5e-3)):
        count += len(wanted)
        try:
            got, forms = think("--precision", precision)
        except ValueError as failed:
            print("  %s: %s: WRONG" % (precision, failed))
            continue
        print("  %s: %s" % (precision, forms))
        for number, ((moves, wins), (moves_wanted, wins_wanted)) in enumerate(zip(got, wanted)):
            far = max(abs(a - b) - b * part for a, b in zip(moves, moves_wanted))
            good = far <= thousandths and abs(wins - wins_wanted) <= part
            right += good
            print("  %s, %d moves: likeliest %d thousandths, black wins %.6f, on the processor %d and %.6f%s"
                  % (precision, number, max(moves), wins, max(moves_wanted), wins_wanted, "" if good else ": WRONG"))
finally:
    os.chdir("/")
    shutil.rmtree(home, ignore_errors=True)
told = subprocess.run([program, "--help"], capture_output=True, text=True)
version = re.search(r"Leela Zero (\S+)", told.stdout + told.stderr)[1]
print("Leela Zero %s on %s: %d of %d positions right" % (version, device, right, count))
sys.exit(right != count)
