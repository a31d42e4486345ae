# Modules of SPIR-V, as text and as bytes, that other tests read; and the kernel files as such.
if HAVE_OPENCL_LOADER
TESTS += $(spirv_scripts)
endif
# instructions.sh and checked.sh run these.
not_tests += $(spirv_instructions_clt) $(spirv_checked_clt)
