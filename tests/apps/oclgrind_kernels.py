#!/usr/bin/python3
"""Protects: the checker of the software device, beside the test cases of another checker: Oclgrind's
tests/kernels, unchanged from its source.  Each has a kernel, a .sim file with its arguments, and a
.ref file with the errors that are planted in it and with the values that the rest has to give.
	APP_OCLGRIND=DIR    Oclgrind's source; without it this is skipped
A planted error counts as found when there is a report of its kind, and a right kernel as clean when
there is no report and the values are the ones of the .ref file.  What stands in KNOWN may be missed;
anything else that is missed, and every false report, is a failure.
Arguments are parts of names (data-race/); only cases that have one of them run."""
import ctypes
import os
import re
import struct
import subprocess
import sys
import tempfile

from device import Device

# Cases whose error is not found, with the reason.
KNOWN = {
}
# What Oclgrind writes of an error, and what softcuda writes of the same.
KINDS = [
    ("data race", r"softcuda: race "),
    ("Invalid (read|write) of size", r"out-of-bounds"),
    ("exceeds static array size", r"out-of-bounds"),
    ("Invalid write to read-only", r"CL_MEM_READ_ONLY"),
    ("Invalid read from write-only", r"CL_MEM_WRITE_ONLY"),
    ("Uninitialized", r"softcuda: uninitialised"),
    ("divergence detected", r"softcuda: divergent"),
    ("finished without waiting", r"softcuda: (unwaited copy|divergent)"),
    ("Invalid wait event", r"softcuda: wait for no event"),
    ("not aligned", r"misaligned"),
]
TYPES = {"char": "b", "uchar": "B", "short": "h", "ushort": "H", "int": "i", "uint": "I", "long": "q",
         "ulong": "Q", "float": "f", "double": "d"}
SKIPPED = 77


# --- .sim files ----------


def words_of(path):
    """The build options and the words of a .sim file, headers as one word, without comments."""
    with open(path) as file:
        text = file.read()
    options = re.search(r"^# ARGS:.*--build-options (.*)$", text, re.M)
    text = re.sub(r"#.*", "", text)
    return options.group(1) if options else "", re.findall(r"<[^>]*>|\S+", text)


class Argument:
    def __init__(self, header):
        self.size, self.type, self.words = None, None, {}
        for word in header[1:-1].split():
            name, _, value = word.partition("=")
            if name in TYPES:
                self.type = name
            elif name == "size":
                self.size = int(value, 0)
            elif name in ("fill", "range", "dump", "hex", "noinit", "null", "ro", "wo"):
                self.words[name] = value
            else:
                sys.exit("the header word '%s' is not known" % word)

    def value(self, text):
        if TYPES[self.type] in "fd":
            return float(text)
        return int(text, 16 if "hex" in self.words else 10)

    def data(self, take):
        """Its bytes; take() gives the next word of the file."""
        letter = TYPES[self.type]
        count = self.size // struct.calcsize(letter)
        if "fill" in self.words:
            values = [self.value(self.words["fill"])] * count
        elif "range" in self.words:
            start, step, _ = (self.value(part) for part in self.words["range"].split(":"))
            values = [start + i * step for i in range(count)]
        else:
            values = [self.value(take()) for _ in range(count)]
        return struct.pack("<%d%s" % (count, letter), *values)


# --- one case, in a process of its own ----------


READ_WRITE, WRITE_ONLY, READ_ONLY, COPY_HOST_PTR = 1, 2, 4, 32
SPACE_GLOBAL, SPACE_LOCAL, SPACE_CONSTANT = 0x119B, 0x119C, 0x119D


def argument_info(device, kernel, index):
    """Space, type and name of an argument."""
    space = ctypes.c_uint()
    device.cl.clGetKernelArgInfo(kernel, index, 0x1196, 4, ctypes.byref(space), None)
    texts = []
    for what in (0x1198, 0x119a):
        text = ctypes.create_string_buffer(256)
        device.cl.clGetKernelArgInfo(kernel, index, what, 256, text, None)
        texts.append(text.value.decode())
    return space.value, texts[0], texts[1]


def buffer(device, argument, data):
    flags = WRITE_ONLY if "wo" in argument.words else READ_ONLY if "ro" in argument.words else READ_WRITE
    return device.buffer(flags | (0 if data is None else COPY_HOST_PTR), max(argument.size, 1), data)


def set_argument(device, kernel, index, header, take, dumps):
    argument = Argument(header)
    space, type_name, name = argument_info(device, kernel, index)
    if not argument.type:
        known = re.match(r"u?(char|short|int|long)|float|double", type_name)
        argument.type = known.group(0) if known else "uchar"
    cl = device.cl
    if space == SPACE_LOCAL:
        code = cl.clSetKernelArg(kernel, index, ctypes.c_size_t(argument.size), None)
    elif "null" in argument.words:
        code = cl.clSetKernelArg(kernel, index, ctypes.c_size_t(8), None)
    elif space in (SPACE_GLOBAL, SPACE_CONSTANT):
        data = None if "noinit" in argument.words else argument.data(take)
        mem = buffer(device, argument, data if data or data is None else b"\0")
        if "dump" in argument.words:
            dumps.append((name, argument, mem))
        code = cl.clSetKernelArg(kernel, index, ctypes.c_size_t(8), ctypes.byref(mem))
    else:
        data = argument.data(take)
        code = cl.clSetKernelArg(kernel, index, ctypes.c_size_t(len(data)), data)
    if code:
        sys.exit("clSetKernelArg of %s: %d" % (name, code))


def print_buffer(device, name, argument, mem):
    data = ctypes.create_string_buffer(max(argument.size, 1))
    if device.cl.clEnqueueReadBuffer(device.queue, mem, 1, ctypes.c_size_t(0),
                                     ctypes.c_size_t(argument.size), data, 0, None, None):
        return
    letter = TYPES[argument.type]
    for i, value in enumerate(struct.unpack(
            "<%d%s" % (argument.size // struct.calcsize(letter), letter), data.raw[:argument.size])):
        if "hex" in argument.words:
            value = "0x%0*x" % (2 * struct.calcsize(letter), value)
        print("  %s[%d] = %s" % (name, i, value if isinstance(value, str) else "%.6g" % value
                                 if isinstance(value, float) else value))


def run_case(path, platform):
    options, words = words_of(path)
    words.reverse()
    device = Device(platform)
    with open(os.path.join(os.path.dirname(path), words.pop()), "rb") as file:
        source = file.read()
    kernel = device.kernel(source, "-cl-kernel-arg-info " + options, words.pop())
    sizes = [(ctypes.c_size_t * 3)(*(int(words.pop()) for _ in range(3))) for _ in range(2)]
    count = ctypes.c_uint()
    device.cl.clGetKernelInfo(kernel, 0x1191, 4, ctypes.byref(count), None)
    dumps = []
    for index in range(count.value):
        set_argument(device, kernel, index, words.pop(), words.pop, dumps)
    code = device.cl.clEnqueueNDRangeKernel(device.queue, kernel, 3, None, sizes[0], sizes[1], 0, None,
                                            None)
    if code:
        print("clEnqueueNDRangeKernel:", code)
    code = device.cl.clFinish(device.queue)
    if code:
        print("clFinish:", code)
    for dump in dumps:
        print_buffer(device, *dump)


# --- all of them ----------


def judge(reference, output, reports):
    """("clean" or "planted", whether right, why not)."""
    lines = []
    if os.path.exists(reference):
        with open(reference) as file:
            lines = file.read().splitlines()
    errors = [line[6:] for line in lines if line.startswith("ERROR ")]
    if errors:
        patterns = [pattern for what, pattern in KINDS if any(re.search(what, e) for e in errors)]
        if any(re.search(pattern, reports) for pattern in patterns):
            return "planted", True, ""
        return "planted", False, errors[0] + ("; reported: " + reports if reports else "")
    if reports:
        return "clean", False, "reported: " + reports
    printed = [" ".join(line.split()) for line in output.splitlines()]
    for line in lines:
        wanted = " ".join(line[6:].split())
        if line.startswith("EXACT ") and not wanted.startswith("Argument ") and wanted not in printed:
            return "clean", False, "not printed: %s\n%s" % (wanted, output)
    return "clean", True, ""


def run_all(folder, platform, parts):
    with open(os.path.join(folder, "TESTS")) as file:
        cases = [line.strip() for line in file if line.strip()]
    counts = {"planted": [0, 0], "clean": [0, 0]}
    failed = False
    for case in cases:
        # Those are about the debugger that is part of Oclgrind.
        if case.startswith("interactive/") or (parts and not any(part in case for part in parts)):
            continue
        path = os.path.join(folder, case + ".sim")
        with tempfile.NamedTemporaryFile("r", suffix=".report") as report:
            environment = dict(os.environ, CULVERT_SOFT_CHECK="all,benign", CULVERT_SOFT_REPORT=report.name)
            done = subprocess.run([sys.executable, os.path.abspath(__file__), "--case", path, platform],
                                  env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  text=True, timeout=300)
            reports = report.read()
        if done.returncode == SKIPPED:
            print(done.stdout, end="")
            return SKIPPED
        kind, right, why = judge(path[:-4] + ".ref", done.stdout, reports)
        if done.returncode:
            right, why = False, "exit code %d\n%s" % (done.returncode, done.stdout)
        counts[kind][0] += 1
        counts[kind][1] += right
        if not right:
            known = KNOWN.get(case) if kind == "planted" else None
            failed |= not known
            print("%s %s: %s%s" % ("missed" if kind == "planted" else "false", case, why,
                                   " (known: %s)" % known if known else ""))
    print("planted errors: %d, found %d; right kernels: %d, clean %d"
          % (*counts["planted"], *counts["clean"]))
    return int(failed)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--case"]:
        run_case(sys.argv[2], sys.argv[3])
        sys.exit(0)
    source = os.environ.get("APP_OCLGRIND")
    kernels = os.path.join(source or "", "tests", "kernels")
    if not source or not os.path.exists(os.path.join(kernels, "TESTS")):
        print("skipped: APP_OCLGRIND does not name Oclgrind's source")
        sys.exit(SKIPPED)
    if os.environ.get("CULVERT_CUDA") != "soft":
        print("skipped: only the software device checks")
        sys.exit(SKIPPED)
    sys.exit(run_all(kernels, os.environ.get("APP_PLATFORM", "Culvert"), sys.argv[1:]))
