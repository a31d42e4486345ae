#!/usr/bin/python3
"""Protects: in no line of clinfo less than NVIDIA's own platform (clinfo_nvidia.facts), but for
those that docs/limits.md explains."""
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
if not shutil.which("clinfo"):
    print("clinfo is not installed")
    sys.exit(77)
problems = []


def shown():
    """What clinfo shows of our platform and its first device: a name and its text."""
    ran = subprocess.run(["clinfo", "--raw"], text=True, stdout=subprocess.PIPE, check=True)
    values = {}
    for line in ran.stdout.split("\n"):
        found = re.match(r"\s*(?:\[CULVERT/(?:0|\*)\]\s+)?(CL_\w+)\s*(.*)$", line)
        if found:
            values.setdefault(found.group(1), found.group(2).strip())
    return values


def number(word):
    return int(word.rstrip("L"), 0)


def holds(text, relation, wanted):
    """None: it does; else what is missing."""
    if relation == "has":
        missing = sorted(set(wanted) - set(re.split(r"[\s|]+", text)))
        return missing or None
    ours = re.findall(r"0x[0-9a-fA-F]+|\d+", text)
    if len(ours) < len(wanted):
        return wanted
    bad = [word for word, mine in zip(wanted, ours)
           if (number(mine) < number(word) if relation == "least"
               else number(mine) > number(word))]
    return bad or None


def check(name, words, values, limits):
    on_h200 = words[0] == "h200"
    limited = words[0] == "limit"
    if on_h200 or limited:
        words = words[1:]
    if on_h200 and values.get("CL_DEVICE_NAME") != "NVIDIA H200":
        return
    missing = holds(values.get(name, ""), words[0], words[1:])
    if missing and not limited:
        problems.append("%s: less than NVIDIA's: %s" % (name, " ".join(missing)))
    if not limited:
        return
    # Of a list each word is a limit of its own, of a number the line.
    for word in (words[1:] if words[0] == "has" else [name]):
        if not missing or (word not in missing and word != name):
            print("%s: %s is no limit any more" % (name, word))
        elif not {word, name} & limits:
            problems.append("%s: docs/limits.md does not explain %s" % (name, word))


with open(os.path.join(HERE, "..", "..", "docs", "limits.md")) as text:
    explained = set(re.findall(r"\w+", text.read()))
values = shown()
count = 0
if "CL_DEVICE_NAME" not in values:
    print("clinfo shows no device of ours")
    sys.exit(1)
with open(os.path.join(HERE, "clinfo_nvidia.facts")) as facts:
    for line in facts:
        words = line.split()
        if words and words[0] != "#" and words[0].startswith("CL_"):
            check(words[0], words[1:], values, explained)
            count += 1
print("\n".join(problems + ["%d lines, %d problems" % (count, len(problems))]))
sys.exit(1 if problems else 0)
