#!/usr/bin/env python3
"""Checks that the builtin library defines every builtin that a program can call.

Clang's own OpenCL header declares each overload of each builtin.  For each of a few language
settings this script turns the declarations into functions that make one call each, compiles them as
a program is compiled, and looks for the names they refer to among those the library defines.  Only
names are compared; whether the functions are right is the business of other tests.

usage: builtins_coverage.py --clang CLANG --nm LLVM_NM [--libdevice FILE] [--keep DIR] LIBRARY.bc...
       builtins_coverage.py --clang CLANG --kernels FILE
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

TARGET = ["-target", "nvptx64-nvidia-cuda", "-x", "cl", "-nogpulib", "-Wno-unknown-cuda-version"]
INT64_ATOMICS = "+cl_khr_int64_base_atomics,+cl_khr_int64_extended_atomics"
IMAGES = "+cl_khr_3d_image_writes,+cl_khr_depth_images"
CL3 = ("+cl_khr_fp16,+cl_khr_fp64,+__opencl_c_fp64,+__opencl_c_int64,+__opencl_c_atomic_order_acq_rel,"
       "+__opencl_c_atomic_order_seq_cst,+__opencl_c_images,+__opencl_c_3d_image_writes,"
       "+__opencl_c_read_write_images," + IMAGES + "," + INT64_ATOMICS)
CL3_MACROS = ["-D__opencl_c_atomic_scope_device=1", "-D__opencl_c_atomic_scope_all_devices=1"]
SUB_GROUPS = ["subgroup_" + name for name in (
    "extended_types", "non_uniform_vote", "ballot", "non_uniform_arithmetic", "shuffle",
    "shuffle_relative", "clustered_reduce", "rotate")]
FLOAT_ATOMICS = ["-D__opencl_c_ext_fp%d_%s_atomic_%s=1" % (bits, space, kind)
                 for bits in (16, 32, 64) for space in ("global", "local")
                 for kind in ("load_store", "add", "min_max")]
# Extensions, with the overloads for half among them.
EXTENSIONS = CL3_MACROS + FLOAT_ATOMICS + ["-D%s=1" % name for name in (
    "__opencl_c_work_group_collective_functions", "__opencl_c_integer_dot_product_input_4x8bit",
    "__opencl_c_integer_dot_product_input_4x8bit_packed", "__opencl_c_kernel_clock_scope_device",
    "__opencl_c_kernel_clock_scope_work_group", "__opencl_c_kernel_clock_scope_sub_group",
    "cl_khr_extended_bit_ops", "cl_khr_integer_dot_product", "cl_khr_kernel_clock",
    "cl_ext_float_atomics", *["cl_khr_" + name for name in SUB_GROUPS])]
# Half, in the settings that have it, is theirs alone.
WITH_HALF = re.compile(r"sub_group_|work_group_|atomic_|\w+_imageh")
SETTINGS = {
    "cl12": ["-cl-std=CL1.2", "-Xclang", "-cl-ext=+cl_khr_fp16," + IMAGES + "," + INT64_ATOMICS],
    "cl30": ["-cl-std=CL3.0", "-Xclang", "-cl-ext=" + CL3, *CL3_MACROS],
    "cl30_generic": ["-cl-std=CL3.0", "-Xclang",
                     "-cl-ext=" + CL3 + ",+__opencl_c_generic_address_space", *CL3_MACROS],
    "extensions": ["-cl-std=CL3.0", "-Xclang",
                   "-cl-ext=" + CL3 + ",+cl_khr_fp16,+cl_khr_subgroups,+__opencl_c_subgroups",
                   *EXTENSIONS],
    "extensions_generic": ["-cl-std=CL3.0", "-Xclang",
                           "-cl-ext=" + CL3 + ",+cl_khr_fp16,+cl_khr_subgroups,"
                           "+__opencl_c_subgroups,+__opencl_c_generic_address_space",
                           *EXTENSIONS],
}

# What the library does not hold: the compiler's own, and families that are lowered elsewhere or not
# offered by any device.
ELSEWHERE = re.compile(
    r"^(printf|to_global|to_local|to_private|get_fence|as_.*|vec_step|.*_intel_sub_group_.*|"
    r"intel_sub_group_.*|get_kernel_.*|sub_group_.*pipe.*|"
    r".*pipe.*|enqueue_.*|.*_event|capture_event_profiling_info|get_default_queue|ndrange_.*|"
    r"get_kernel_.*|commit_.*|reserve_.*|arm_.*|amd_.*|intel_.*|__.*)$")
# Names that the pattern above would take and that are ours.
OURS = {"wait_group_events"}

DECLARATION = re.compile(r"^([a-z]\w*)\s+(\w+)\s*\(([^()]*)\)$")


def run(arguments, **keywords):
    result = subprocess.run(arguments, capture_output=True, text=True, **keywords)
    if result.returncode:
        sys.exit("failed: %s\n%s" % (" ".join(arguments), result.stderr[:4000]))
    return result.stdout


def declarations(clang, setting):
    """(return type, name, parameter types) of every builtin of a setting, each once."""
    text = run([clang, *TARGET, *setting, "-cl-no-stdinc", "-E", "-P", "-include", "opencl-c.h",
                "/dev/null"])
    text = re.sub(r"^#.*$", "", text, flags=re.M)
    text = re.sub(r"__attribute__\s*\(\(.*?\)\)", " ", text)
    found = {}
    for statement in text.split(";"):
        match = DECLARATION.match(" ".join(statement.split()))
        if not match or match.group(1) in ("typedef", "enum", "struct"):
            continue
        result, name, parameters = match.groups()
        if ELSEWHERE.match(name) and name not in OURS:
            continue
        if "half" in result + parameters and not WITH_HALF.match(name):
            continue
        types = [] if parameters.strip() in ("", "void") else parameters.split(",")
        types = [parameter_type(p) for p in types]
        found.setdefault((name, tuple(types)), result)
    return [(result, name, types) for (name, types), result in found.items()]


def parameter_type(parameter):
    """The type alone: the header gives names to a few parameters."""
    words = parameter.replace("*", " * ").split()
    qualifiers = {"const", "volatile", "__global", "__local", "__constant", "__private", "restrict",
                  "read_only", "write_only", "read_write"}
    if len([w for w in words if w not in qualifiers and w != "*"]) == 2:
        words.pop()
    return " ".join(words)


def calls(builtins):
    for number, (result, name, types) in enumerate(builtins):
        parameters = ", ".join("%s a%d" % (t, i) for i, t in enumerate(types)) or "void"
        arguments = ", ".join("a%d" % i for i in range(len(types)))
        back = "" if result == "void" else "return "
        yield "%s call_%d(%s) { %s%s(%s); }\n" % (result, number, parameters, back, name,
                                                  arguments)


KERNELS = re.compile(
    r"^(.*sub_group_.*|work_group_(all|any|broadcast|reduce|scan).*|bitfield_.*|bit_reverse|dot_.*|"
    r"dot|clock_.*|.*image.*|atomic_(fetch_(add|sub|min|max)|load|store|exchange)(_explicit)?)$")
LITERALS = {"memory_order": "memory_order_relaxed", "memory_scope": "memory_scope_device",
            "cl_mem_fence_flags": "CLK_LOCAL_MEM_FENCE"}


def kernels(builtins):
    """A kernel for each overload of the functions that PTX has instructions for."""
    for number, (result, name, types) in enumerate(builtins):
        if not KERNELS.match(name) or result.startswith("atomic_"):
            continue
        if any(re.match(r"(double|float)\d*$", t) for t in types) and name == "dot":
            continue
        if any("*" in t and "__global" not in t and "__local" not in t for t in types):
            continue
        # Atomics of integers are not an extension's.
        if name.startswith("atomic_") and not re.search("half|float|double", " ".join(types)):
            continue
        parameters, arguments = ["global %s *r" % result] if result != "void" else [], []
        for i, t in enumerate(types):
            if t in LITERALS:
                arguments.append(LITERALS[t])
            elif "clustered" in name and i == len(types) - 1:
                arguments.append("8")
            elif t.endswith("*") or "image" in t or t == "sampler_t":
                parameters.append("%s a%d" % (t, i))
                arguments.append("a%d" % i)
            else:
                parameters.append("global const %s *a%d" % (t, i))
                arguments.append("*a%d" % i)
        words = " ".join([result, *types])
        needs = [feature for word, feature in (("half", "cl_khr_fp16"),
                                               ("image", "__opencl_c_images")) if word in words]
        yield "%skernel void k%d(%s) { %s%s(%s); }\n%s" % (
            "".join("#ifdef %s\n" % n for n in needs), number, ", ".join(parameters),
            "*r = " if result != "void" else "", name, ", ".join(arguments),
            "#endif\n" * len(needs))


def names(nm, option, path):
    return {line.split()[-1] for line in run([nm, option, path]).splitlines() if line.strip()}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--clang", default="clang")
    parser.add_argument("--nm", default="llvm-nm")
    parser.add_argument("--libdevice", help="check the names that the library takes from it")
    parser.add_argument("--keep", help="leave the generated sources and their bitcode here")
    parser.add_argument("--kernels", help="only write kernels that call extensions' functions here")
    parser.add_argument("library", nargs="*")
    options = parser.parse_args()
    if options.kernels:
        with open(options.kernels, "w") as file:
            file.write("#ifdef cl_khr_fp16\n#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n#endif\n")
            file.writelines(kernels(declarations(options.clang, SETTINGS["extensions"])))
        return 0

    defined = set()
    wanted_by_library = set()
    for path in options.library:
        defined |= names(options.nm, "--defined-only", path)
        wanted_by_library |= names(options.nm, "--undefined-only", path)
    bad = wanted_by_library - defined
    if options.libdevice:
        bad -= names(options.nm, "--defined-only", options.libdevice)
    else:
        bad = {n for n in bad if not n.startswith("__nv_")}
    bad = {n for n in bad if not n.startswith(
        ("__culvert_hidden_", "__culvert_image", "__culvert_sampler", "llvm.")) and
        n != "__translate_sampler_initializer"}
    for name in sorted(bad):
        print("the library itself needs", name)

    with tempfile.TemporaryDirectory() as scratch:
        folder = options.keep or scratch
        os.makedirs(folder, exist_ok=True)
        for title, setting in SETTINGS.items():
            builtins = declarations(options.clang, setting)
            source = os.path.join(folder, title + ".cl")
            with open(source, "w") as file:
                if "cl_khr_fp16" in " ".join(setting):
                    file.write("#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n")
                file.writelines(calls(builtins))
            output = os.path.join(folder, title + ".bc")
            run([options.clang, *TARGET, *setting, "-ferror-limit=0", "-O2", "-Xclang",
                 "-disable-llvm-passes", "-emit-llvm", "-c", source, "-o", output])
            used = {n for n in names(options.nm, "--undefined-only", output)
                    if not n.startswith("llvm.")}
            missing = sorted(used - defined)
            for name in missing:
                print("%s: missing %s" % (title, name))
            print("%s: %d overloads of %d builtins, %d symbols, %d missing"
                  % (title, len(builtins), len({n for _, n, _ in builtins}), len(used),
                     len(missing)))
            bad.update(missing)
            if len(builtins) < 2000:
                print("%s: too few declarations were found to be believed" % title)
                bad.add(title)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
