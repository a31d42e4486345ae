#!/bin/sh
# Protects: an installed copy, found as the loader finds every driver, on the
# software device.  Arguments: the folders of libraries, of their parts, of .icd files.
lib=$1
parts=$2
vendors=$3
failed=0
for file in "$lib/libculvert.so" "$parts/libculvert-softcuda.so" "$parts/culvert-compile" "$vendors/culvert.icd"; do
	[ -f "$file" ] || { echo "$file is missing"; failed=1; }
done
# The bare name: the dynamic linker knows where libraries are.
[ "$(cat "$vendors/culvert.icd")" = libculvert.so ] ||
	{ echo "$vendors/culvert.icd does not name libculvert.so alone"; failed=1; }
OCL_ICD_VENDORS=$vendors
LD_LIBRARY_PATH=$lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
CULVERT_CUDA=soft
export OCL_ICD_VENDORS LD_LIBRARY_PATH CULVERT_CUDA
for test in vector_add barrier_reduction math_double; do
	tests/kernels/runner "${srcdir:-.}/tests/kernels/$test.clt" || { echo "$test failed"; failed=1; }
done
exit $failed
