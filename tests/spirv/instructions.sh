#!/bin/sh
# Protects: instructions of SPIR-V that no compiler at hand makes of OpenCL C.
here=${srcdir:-.}
command -v "${SPIRV_AS:-spirv-as}" >/dev/null || {
	echo "no assembler of SPIR-V"
	exit 77
}
# What the device lists (CL_DEVICE_SPIRV_EXTENSIONS), a module here asks for.
listed=$(sed -n '/char \*const extensions\[\]/,/};/p' "$here/frontend/spirv/module.c" | grep -o 'SPV_[A-Za-z0-9_]*')
[ "$(echo "$listed" | wc -l)" -gt 15 ] || { echo "the list of extensions cannot be read"; exit 1; }
for name in $listed; do
	grep -q "\"$name\"" "$here"/tests/spirv/instructions/*.clt "$here"/tests/spirv/*.spvasm ||
		{ echo "$name: no module asks for it"; exit 1; }
done
# A scope too narrow shows on no processor, but to the checker of races.
export CULVERT_SOFT_CHECK=race,stop
tests/kernels/runner --il "$here/tests/spirv/assemble_instruction" "$here"/tests/spirv/instructions/*.clt
