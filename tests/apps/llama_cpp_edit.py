#!/usr/bin/python3
"""Edits the OpenCL backend of llama.cpp (ggml's src/ggml-opencl) so that it takes a GPU of any vendor that can be asked
for sub-groups of 32, as Culvert's can by cl_intel_required_subgroup_size.  Such a GPU is treated as Intel's are; kernels
that require sub-groups of 16 get these where the device offers them, and sub-groups of 32 elsewhere.  Mistakes are mended
as well: vectors of four floats at addresses that are no multiple of 16 (OpenCL C 3.0, 6.3.5), a sum over a work-group
of 64 that takes it for one sub-group, and a kernel that counts on sub-groups of 16 and does not require them, which those
GPUs forgive, and convolutions of rows whose elements are not next to each other, which are left to the processor.
	tests/apps/llama_cpp_edit.py GGML       the folder of ggml's source (llama.cpp's ggml)
What it changes can be looked at, and offered, with git diff there.  Written for ggml 0.21.0 (d99724f2); it stops
without a change where it does not find what it expects."""
import glob
import os
import re
import sys

QUERY = """\
// Whether the device can be asked for sub-groups of that size (cl_intel_required_subgroup_size).
static bool ggml_opencl_has_sub_groups_of(cl_device_id device, size_t wanted) {
    const cl_device_info sub_group_sizes_intel = 0x4108;
    size_t bytes = 0;
    if (clGetDeviceInfo(device, sub_group_sizes_intel, 0, NULL, &bytes) != CL_SUCCESS) {
        return false;
    }
    std::vector<size_t> sizes(bytes / sizeof(size_t));
    if (clGetDeviceInfo(device, sub_group_sizes_intel, bytes, sizes.data(), NULL) != CL_SUCCESS) {
        return false;
    }
    return std::find(sizes.begin(), sizes.end(), wanted) != sizes.end();
}

"""
# (what is looked for, what takes its place, how often it is there at least)
HOST = [
    (r"(?=// check if device should be accepted\n)", QUERY, 1),
    (r'(else if \(strstr\(dev_ctx->device_name\.c_str\(\), "Intel"\))\)',
     r"\1 || ggml_opencl_has_sub_groups_of(dev_ctx->device, 32))", 1),
    (r"(?=\n    size_t max_workgroup_size;\n    bool fp16_support;)",
     "\n    int small_sub_group = 16; // of kernels for Intel's GPUs", 1),
    (r"(    backend_ctx->gpu_family = dev_ctx->gpu_family;\n)",
     r"\1    backend_ctx->small_sub_group = ggml_opencl_has_sub_groups_of(dev_ctx->device, 16) ? 16 : 32;" "\n", 1),
    (r'(" -cl-finite-math-only -cl-fast-relaxed-math")(?=;\n\n    if \(backend_ctx->adreno_use_large_buffer\))',
     r'\1 +' "\n" r'                               " -D INTEL_SG=" + std::to_string(backend_ctx->small_sub_group)', 1),
    # The kernel reads rows as float4.
    (r"(case GGML_OP_RMS_NORM:\n +return op->ne\[0\] % 4 == 0 && ggml_is_contiguous_rows\(op->src\[0\]\));",
     r"\1 && op->src[0]->nb[1] % 16 == 0;", 1),
    # The kernel assumes that the elements of a row are next to each other.
    (r"(case GGML_OP_CONV_2D:\n +return )(\(op->src\[0\]->type[^;]*);",
     r"\1op->src[0]->nb[0] == ggml_type_size(op->src[0]->type) &&" "\n"
     r"                   op->src[1]->nb[0] == ggml_type_size(op->src[1]->type) && (\2);", 1),
    (r"\b((?:nth0|sgs) +=) 16;", r"\1 backend_ctx->small_sub_group;", 20),
    # whisper.cpp asks for these before anything else has made the backend's context.
    (r"(    ggml_backend_opencl_device_context \* dev_ctx = .*buffer_type->device->context;\n)(?=    return "
     r"dev_ctx->backend_ctx->alignment;)", r"\1    ggml_cl_init(buffer_type->device);\n", 1),
    (r"(        ggml_backend_opencl_device_context \* dev_ctx = .*buffer_type->device->context;\n)(?=        max_size = )",
     r"\1        ggml_cl_init(buffer_type->device);\n", 1),
]
KERNELS = [
    (r"(intel_reqd_sub_group_size)\(16\)", r"\1(INTEL_SG)", 1),
    (r"(#define (?:N_SIMDWIDTH|N_SUBGROUP_SIZE)) 16\b", r"\1 INTEL_SG", 0),
]

# What other kernels get wrong: (file, edits).
MISTAKES = {
    # Its kernels for halves ask the same.
    "mul_mv_f32_f32.cl": [
        (r"    if \(ne00 < 128\) \{",
         "    const ulong first_y = (ulong) (src1 + i12*nb12 + i13*nb13);\n"
         "    if (ne00 < 128 || (((ulong) x | first_y | nb11) & 15) != 0) {", 1)],
    # It counts on sub-groups of this size, as its counterpart for one matrix says.
    "mul_mv_id_mxfp4_f32_flat.cl": [
        (r"(?<=\n)(?=kernel void kernel_mul_mv_id_mxfp4_f32_flat\()",
         "#ifdef INTEL_GPU\nREQD_SUBGROUP_SIZE_16\n#elif defined (ADRENO_GPU)\nREQD_SUBGROUP_SIZE_64\n#endif\n", 1)],
    "ssm_conv.cl": [(r"\bdot\(s\[i0\], c\[i0\]\)", "dot(vload4(i0, (global float *) s), c[i0])", 1)],
    "ssm_scan.cl": [(r"\bsub_group_reduce_add\(", "work_group_reduce_add(", 2)],
}


def read(path):
    with open(path) as file:
        return file.read()


def edited(path, text, edits):
    """The TEXT of that file after the EDITS."""
    for wanted, instead, least in edits:
        text, count = re.subn(wanted, instead, text)
        if count < least:
            sys.exit("llama_cpp_edit: %s has no %r" % (path, wanted))
    return text


folder = os.path.join(sys.argv[1] if len(sys.argv) == 2 else sys.exit(__doc__), "src/ggml-opencl")
host = os.path.join(folder, "ggml-opencl.cpp")
texts = {host: edited(host, read(host), HOST)}
for kernel in glob.glob(os.path.join(folder, "kernels/*.cl")):
    text = read(kernel)
    if "intel_reqd_sub_group_size(16)" in text:
        texts[kernel] = edited(kernel, text, KERNELS)
for name, edits in MISTAKES.items():
    kernel = os.path.join(folder, "kernels", name)
    texts[kernel] = edited(kernel, texts.get(kernel) or read(kernel), edits)
if len(texts) < 4:
    sys.exit("llama_cpp_edit: no kernels in " + folder)
for path, text in texts.items():
    with open(path, "w") as file:
        file.write(text)
print("%d files edited in %s" % (len(texts), folder))
