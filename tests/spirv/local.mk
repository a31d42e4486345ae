# Modules of SPIR-V, as text and as bytes, that other tests read; and the kernel files as such.
if HAVE_OPENCL_LOADER
TESTS += tests/spirv/from_kernels.sh tests/spirv/instructions.sh
endif
EXTRA_DIST += tests/spirv/assemble tests/spirv/assemble_instruction tests/spirv/instructions \
	tests/spirv/instructions.sh tests/spirv/kernel.spvasm tests/spirv/compile tests/spirv/from_kernels.sh \
	tests/spirv/arguments.spvasm tests/spirv/arguments.spv \
	tests/spirv/constants.spvasm tests/spirv/constants.spv \
	tests/spirv/linked.spvasm tests/spirv/linked.spv \
	tests/spirv/once.spvasm tests/spirv/once.spv
