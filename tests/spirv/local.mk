# Modules of SPIR-V, as text and as bytes, that other tests read; and the kernel files as such.
# instructions.sh runs $(spirv_instructions_clt) .
if HAVE_OPENCL_LOADER
TESTS += $(spirv_scripts)
endif
