#!/usr/bin/python3
"""Protects: the tests that PoCL's source has for any platform: of the API, of built-in functions, of work-groups with
barriers in loops and branches, of programs that were once compiled wrong, and its examples.  POCL_BUILD names the folder of
a CMake build of PoCL with ENABLE_TESTS and an ICD loader; the programs find the platform through the loader.  CTest tells
what each test is, and what it has to print.  A test that PoCL runs once for each of its ways to compile is run once."""
import concurrent.futures
import json
import os
import re
import subprocess
import sys

import platforms

build = os.environ.get("POCL_BUILD")
if not build or not os.path.exists(os.path.join(build, "CTestTestfile.cmake")):
    print("skipped: POCL_BUILD names no build of PoCL")
    sys.exit(77)
platform, number = platforms.wanted()

FOLDERS = ("kernel/", "regression/", "runtime/", "workgroup/", "examples/")
# Of these the mistake is the test's, or it asks for PoCL itself.
LEFT_OUT = {
    "_llvm-ir-checks$": "reads what PoCL's compiler writes",
    "_poclbin$": "makes a program binary by PoCL's own tool",
    "kernel/test_dot": "takes dot() of 16 halves (OpenCL C 3.0, 6.15.5: four at most)",
    "kernel/test_(fp16_math_builtins|halfs)$": "global variables of the program without -cl-std (OpenCL C 1.2 has none)",
    "kernel/test_printf_vectors_ulongn$": "wants a macro cl_khr_int64, which no OpenCL has (cles_khr_int64)",
    "regression/test_issue_1525$": "a work-group of 2048, without asking for CL_DEVICE_MAX_WORK_GROUP_SIZE",
    "regression/test_issue_1826$": "wants recursion to be refused, which CUDA's devices have",
    "regression/test_builtin_regression$": "get_local_linear_id() without -cl-std (OpenCL C 1.2 has none)",
    "regression/peeled_wi_global_id$": "OpControlBarrier of all devices (OpenCL has that of a work-group or a sub-group)",
    "regression/test_flatten_barrier_subs$": "wants the name of PoCL's platform",
    "regression/case_with_multiple_variable_length_loops_and_a_barrier_in_one$": "reads behind its buffer",
    "regression/vector_kernel_arguments$": "a float3 of 12 bytes (OpenCL C 3.0, 6.3.5: it has 16)",
    "runtime/clCreateProgramWithBinary$": "wants an error for a device named twice, of which 5.8.1 says nothing",
    "runtime/clBuildProgram$": "wants a kernel although a callback was given, before that was called (5.8.4)",
    "runtime/test_subgroup_queries$": "get_local_linear_id() without -cl-std (OpenCL C 1.2 has none)",
    "runtime/clCreateSubDevices$": "one compute unit by itself; CUDA's partitions have two at least",
    "runtime/test_(cl_pocl_content_size|remote_discovery)": "PoCL's own extension",
    "runtime/test_deviceside_enqueue$": "four bytes for a cl_bitfield, which has eight",
    "runtime/test_command_buffer_multi_device$": "asks for cl_khr_command_buffer_multi_device without asking whether it is there",
    "runtime/test_device_address$": "a draft of cl_ext_buffer_device_address",
    "runtime/test_large_buf$": "atomic_fetch_add() without -cl-std (OpenCL C 1.2 has none)",
    "workgroup/((un)?conditional_barriers?|forcing_horizontal_parallelization_to_some_outer|b_loop_with_two_latches"
    "|issue_548_convergent_propagation)$": "wants the order in which PoCL's work-items print",
}


def listed():
    """{name: (command, what it runs, properties)}, a command once."""
    told = subprocess.run(["ctest", "--show-only=json-v1"], cwd=build, capture_output=True, text=True, check=True)
    tests, seen = {}, set()
    for test in json.loads(told.stdout)["tests"]:
        name, command = re.sub(r"_(loopvec|cbs)$", "", test["name"]), test.get("command")
        if not name.startswith(FOLDERS) or not command or tuple(command) in seen:
            continue
        seen.add(tuple(command))
        program = next((part[len("-Dtest_cmd="):] for part in command if part.startswith("-Dtest_cmd=")), command[0])
        if os.access(program.split("####")[0], os.X_OK):
            tests[name] = (command, {entry["name"]: entry["value"] for entry in test["properties"]})
    return tests


def result(command, properties):
    """True or false as CTest would say, none where the test skips itself; and what was printed."""
    try:
        ran = subprocess.run(command, cwd=properties["WORKING_DIRECTORY"], stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120, check=False)
    except subprocess.TimeoutExpired:
        return False, "not at its end after 120 s"
    said = ran.stdout.decode(errors="replace")

    def says(which):
        return any(re.search(pattern, said, re.S) for pattern in properties.get(which, []))
    if ran.returncode == properties.get("SKIP_RETURN_CODE") or says("SKIP_REGULAR_EXPRESSION"):
        return None, said
    if says("FAIL_REGULAR_EXPRESSION"):
        return False, said
    return says("PASS_REGULAR_EXPRESSION") if "PASS_REGULAR_EXPRESSION" in properties else ran.returncode == 0, said


def version():
    with open(os.path.join(build, "CPackConfig.cmake")) as file:
        return re.search(r'set\(CPACK_PACKAGE_VERSION "(.+)"\)', file.read())[1]


tests = {name: test for name, test in listed().items() if not any(re.search(what, name) for what in LEFT_OUT)}
right = asked = 0
with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("APP_JOBS", "1"))) as pool:
    for name, (good, said) in zip(tests, pool.map(lambda test: result(*test), tests.values())):
        asked += good is not None
        right += bool(good)
        if good is False:
            print("  WRONG %s: %s" % (name, " ".join(said.split())[-600:]), flush=True)
print("PoCL's tests %s on %s: %d of %d tests right" % (version(), platforms.first_device(number), right, asked))
sys.exit(not asked or right < asked)
