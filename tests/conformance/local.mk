# The runner of the conformance tests; the tests themselves are not part of Culvert.
if HAVE_OPENCL_LOADER
TESTS += tests/conformance/runner.sh tests/conformance/micro.sh
endif
EXTRA_DIST += tests/conformance/run tests/conformance/compare tests/conformance/runner.sh \
	tests/conformance/micro.sh tests/conformance/expected/softcuda.txt tests/conformance/expected/culvert-h200.txt \
	tests/conformance/report tests/conformance/peers/nvidia-580-h200.txt tests/conformance/peers/pocl-cuda-h200.txt \
	tests/conformance/lists/micro.csv tests/conformance/lists/math.csv tests/conformance/lists/left-out.txt \
	tests/conformance/lists/parts.txt
