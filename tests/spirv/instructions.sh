#!/bin/sh
# Protects: instructions of SPIR-V that no compiler at hand makes of OpenCL C.
here=${srcdir:-.}
command -v "${SPIRV_AS:-spirv-as}" >/dev/null || {
	echo "no assembler of SPIR-V"
	exit 77
}
# A scope too narrow shows on no processor, but to the checker of races.
export CULVERT_SOFT_CHECK=race,stop
tests/kernels/runner --il "$here/tests/spirv/assemble_instruction" "$here"/tests/spirv/instructions/*.clt
