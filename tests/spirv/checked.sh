#!/bin/sh
# Protects: what the checker of the software device tells of modules of SPIR-V: lines of the source, and which
# components of vectors are read and written.
here=${srcdir:-.}
test "${CULVERT_CUDA:-soft}" = soft || exit 77
command -v "${SPIRV_AS:-spirv-as}" >/dev/null || {
	echo "no assembler of SPIR-V"
	exit 77
}
# A fault ends the use of the device in its process.
for file in "$here"/tests/spirv/checked/*.clt; do
	tests/kernels/runner --il "$here/tests/spirv/assemble_instruction" "$file" || exit 1
done
