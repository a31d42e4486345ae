#!/bin/sh
# Protects: clCreateProgramWithIL.  Kernel files, made SPIR-V by Clang and the LLVM/SPIR-V
# translator where there are some, give what they give as OpenCL C.
#
#	FROM_KERNELS=all from_kernels.sh    all of them, minutes; a name for each that fails
here=${srcdir:-.}
find_program() { # names
	for name; do
		command -v "$name" && return
	done
}
CLANG_SPIRV=${CLANG_SPIRV:-$(find_program clang-15 clang-16 clang-17 clang-18)}
LLVM_SPIRV=${LLVM_SPIRV:-$(find_program llvm-spirv-15 llvm-spirv-16 llvm-spirv-17 llvm-spirv-18)}
[ -n "$CLANG_SPIRV" ] && [ -n "$LLVM_SPIRV" ] || {
	echo "no Clang with llvm-spirv"
	exit 77
}
export CLANG_SPIRV LLVM_SPIRV
files=
if [ "$FROM_KERNELS" = all ]; then
	files=$(ls "$here"/tests/kernels/*.clt)
else
	for name in arguments_struct atomics_c11 barriers_in_control control_switch convert_saturate \
		image_samplers language_structs local_null local_structures math_pointers options_defines pipe_groups pipe_reservations \
		pipe_unoptimized printf_vectors \
		scan_local shuffle_masks sub_group_ids vload_vstore; do
		files="$files $here/tests/kernels/$name.clt"
	done
fi
tests/kernels/runner --il "$here/tests/spirv/compile" $files
code=$?
# Of several files a skipped one is none that fails.
exit $code
