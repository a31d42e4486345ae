# The runner of the conformance tests; the tests themselves are not part of Culvert.
if HAVE_OPENCL_LOADER
TESTS += $(conformance_scripts)
endif
