#!/usr/bin/python3
"""Protects: the OpenCL backend of llama.cpp, whisper.cpp and stable-diffusion.cpp (ggml), by its program
test-backend-ops, which compares each operation with ggml's code for the processor.  LLAMA_OPS names that program, built
with GGML_OPENCL and without GGML_OPENCL_USE_ADRENO_KERNELS after tests/apps/llama_cpp_edit.py has edited the source: the
backend refuses GPUs of other vendors than Intel's and Qualcomm's.  LLAMA_VERSION says which version it is.
With the argument "sycl": their SYCL backend, built by DPC++, whose kernels come as SPIR-V.  LLAMA_SYCL_OPS and
LLAMA_SYCL_VERSION are what LLAMA_OPS and LLAMA_VERSION are to the other; dpcpp_preload.c is preloaded.
On the software device only small cases are run.  APP_JOBS operations are tested at once, APP_SECONDS (120) each; cases
that were not reached by then are not counted."""
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile

import dpcpp
import platforms

sycl = sys.argv[1:] == ["sycl"]
VARIABLES = "LLAMA_SYCL" if sycl else "LLAMA"
program = os.environ.get(VARIABLES + "_OPS")
if not program or not os.access(program, os.X_OK):
    print("skipped: %s_OPS names no program" % VARIABLES)
    sys.exit(77)
name, number = platforms.wanted()
device = platforms.first_device(number)
kept = tempfile.TemporaryDirectory()
settings = dpcpp.preloaded(kept.name) if sycl else dict(os.environ, GGML_OPENCL_PLATFORM=name, GGML_NO_BACKTRACE="1")
SMALL = r"ne=\[(10|16|64),[1-9],[1-9],[1-9]\]"
# For the software device: an operation and which of its cases.
CHOSEN = {
    "ADD": SMALL, "SUB": SMALL, "MUL": SMALL, "DIV": SMALL, "ADD_ID": "n_embd=129",
    "MUL_MAT": r"type_b=f32,m=16,n=(1|4),k=256,bs=\[(1,1|3,2)\],nr=\[(1,1|2,2)\],per=\[0,1,2,3\]",
    "MUL_MAT_ID": r"n_mats=4,n_used=2,b=0,m=512,n=1,k=256",
    "SILU": ".", "GELU": ".", "SIGMOID": ".", "TANH": ".", "EXP": ".", "SWIGLU": ".", "GEGLU": ".", "REGLU": ".",
    "NORM": ".", "RMS_NORM": r"ne=\[64,", "L2_NORM": ".", "GROUP_NORM": ".", "SOFT_MAX": r"ne=\[16,2,32,1\]",
    "SCALE": ".", "CLAMP": ".", "SQR": ".", "SQRT": ".", "SUM_ROWS": ".", "MEAN": ".", "CUMSUM": r"ne=\[\d{1,3},",
    "TRI": ".",
    "DIAG": ".", "DIAG_MASK_INF": ".", "FILL": ".", "SET": ".", "CONCAT": ".", "REPEAT": ".", "PAD": ".",
    "UPSCALE": ".", "TIMESTEP_EMBEDDING": ".", "ARGSORT": r"ne=\[\d{1,3},", "CPY": ".", "GET_ROWS": ".", "SET_ROWS": ".",
    "GATED_DELTA_NET": ".", "SSM_CONV": r"ne_a=\[[46],1024,",
    "SOLVE_TRI": r"ne_lhs=\[11,", "ROPE": r"ne_a=\[128,32,2,1\],n_dims=128,mode=0",
}
# What the SYCL backend cannot be asked for.  Its products of floats are oneMKL's, which knows Intel's GPUs only.
# A second sum of GROUP_NORM overwrites local memory that others still read, and GATED_DELTA_NET ignores K.
QUANTIZED = r"type_a=i?q\w+,type_b=f32,"
SYCL_CHOSEN = {"MUL_MAT": QUANTIZED + r"m=16,n=1,k=256,bs=\[1,1\],nr=\[1,1\],per=\[0,1,2,3\]",
               "MUL_MAT_ID": QUANTIZED + "n_mats=4,n_used=2,b=0,m=512,n=1,k=256", "GATED_DELTA_NET": r"K=1\b"}
SYCL_NOT = {"GROUP_NORM"}
if sycl:
    CHOSEN = {operation: SYCL_CHOSEN.get(operation, which) for operation, which in CHOSEN.items()
              if operation not in SYCL_NOT}
CASE = re.compile(r"^ *([A-Z0-9_]+\(.*\)): .*?\b(OK|FAIL|not supported)\b")


def cases(operation, which):
    """{case: whether it is right} of those that the backend supports, and what was said last."""
    arguments = [program, "test", "-o", operation] + (["-p", which] if which else [])
    try:
        ran = subprocess.run(arguments, env=settings, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL, timeout=float(os.environ.get("APP_SECONDS", "120")))
        said, ended = ran.stdout, ran.returncode in (0, 1)
    except subprocess.TimeoutExpired as late:
        said, ended = late.stdout or b"", True
    lines = re.sub(r"\x1b\[[0-9;]*m", "", said.decode(errors="replace")).splitlines()
    found = {}
    for line in lines:
        case = CASE.match(re.sub(r"^\[[A-Z_0-9]+\] \S+ = .*?  +", "", line))
        if case and case[2] != "not supported":
            found[case[1]] = case[2] == "OK"
    if not ended:
        found[operation + ": the program ended early, after " + (lines[-1].strip() if lines else "nothing")] = False
    return found


def operations():
    """{operation: which of its cases, None for all}"""
    if "softcuda" in device:
        return CHOSEN
    listed = subprocess.run([program, "--list-ops"], env=settings, capture_output=True, text=True).stdout
    listed = [name for name in re.findall(r"^  ([A-Z][A-Z0-9_]+)$", listed, re.M) if not sycl or name not in SYCL_NOT]
    return {name: SYCL_CHOSEN.get(name) if sycl else None for name in listed}


asked = operations()
results = {}
with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("APP_JOBS", "1"))) as pool:
    for operation, found in zip(asked, pool.map(cases, asked, asked.values())):
        wrong = [case for case, good in found.items() if not good]
        print("  %-22s %d of %d" % (operation, len(found) - len(wrong), len(found)), flush=True)
        for case in wrong[:5]:
            print("    WRONG: " + case)
        results.update(found)
print("llama.cpp's %s backend %s on %s: %d of %d operations right" %
      ("SYCL" if sycl else "OpenCL", os.environ.get(VARIABLES + "_VERSION", "of-its-repository"), device,
       sum(results.values()), len(results)))
sys.exit(not results or not all(results.values()))
