#!/bin/sh
# Protects: a profiler that NVTX loads sees each call as a range, launches with their kernels'
# names, extensions' calls too; without one, and with one that is not there, nothing changes.
folder=$(mktemp -d) || exit 2
trap 'rm -rf $folder' EXIT
source=${srcdir:-.}
failed=0
fail() {
	echo "$@"
	failed=1
}

# Every call that has a name has a row, but for the loader's own.
sed -nE 's/^(ENTRY|DIRECT|EXTENSION|LOADER|ALIAS|SUGGEST)\(([A-Za-z0-9]+).*/\2/p' $source/icd/api/entrypoints.def | sort >$folder/names
sed -nE 's/^[A-Z_]+\(([a-z_]+( \*)?, )?(cl[A-Z][A-Za-z0-9]+),.*/\3/p' $source/base/calls.def \
	$source/base/extension_calls.def | sort >$folder/rows
printf '%s\n' clGetExtensionFunctionAddress clGetExtensionFunctionAddressForPlatform \
	clIcdGetFunctionAddressForPlatformKHR clIcdGetPlatformIDsKHR clIcdSetPlatformDispatchDataKHR \
	>$folder/loader
[ "$(wc -l <$folder/rows)" -gt 150 ] || fail "the lists of calls cannot be read"
comm -3 $folder/names $folder/rows | tr -d '\t' | comm -3 - $folder/loader >$folder/differ
[ ! -s $folder/differ ] || fail "calls without a row, or rows without a call:" $(cat $folder/differ)

# record PROGRAM...: its ranges are in $folder/ranges, whole and one in the other.
record() {
	rm -f $folder/ranges
	NVTX_INJECTION64_PATH=$PWD/tests/api/libranges-listener.so RANGES_FILE=$folder/ranges "$@" \
		>$folder/out 2>&1 || { fail "$* fails with a profiler:"; tail -n 20 $folder/out; }
	awk '$2 == "push" { depth[$1]++ } $2 == "pop" { if (depth[$1]-- < 1) bad = 1 }
		$2 == "wrong" { bad = 1 } END { for (t in depth) if (depth[t]) bad = 1; exit bad }' \
		$folder/ranges || fail "$*: ranges that do not nest"
	[ "$(grep -c ' domain Culvert$' $folder/ranges)" = 1 ] || fail "$*: not one domain"
}
count() {
	grep -cE " push $1( |\$)" $folder/ranges
}

# What `culvert trace` writes between the program and the platform.  Its summary has the longest calls only, so the
# timeline is counted.
if [ -z "$SANITIZER_RUNTIME" ]; then
	record ./culvert trace -o $folder/trace.json tests/kernels/runner $source/tests/kernels/vector_add.clt
	for call in clBuildProgram clCreateKernel clCreateBuffer clSetKernelArg clEnqueueNDRangeKernel \
		clEnqueueReadBuffer clCreateContext; do
		traced=$(grep -c "\"name\":\"$call\",\"cat\":\"call\"" $folder/trace.json)
		[ "$traced" -gt 0 ] && [ "$(count $call)" = "$traced" ] ||
			fail "$call: $(count $call) ranges, $traced calls"
	done
	grep -q ' push clEnqueueNDRangeKernel vector_add$' $folder/ranges || fail "a launch without its kernel's name"
fi
# Also for a loader that has the table twice.
record tests/api/dispatch
record tests/api/usm
for call in clHostMemAllocINTEL clMemFreeINTEL clSetKernelArgMemPointerINTEL clSetKernelExecInfo; do
	[ "$(count $call)" -gt 0 ] || fail "$call is no range"
done
record tests/api/command_buffers
grep -q ' push clCommandNDRangeKernelKHR [a-z]' $folder/ranges || fail "a recorded launch without a name"
# Names that SPIR-V has are whole characters of UTF-8, in one line.
record tests/api/il_names
grep -q "^[0-9]* push clEnqueueNDRangeKernel gr$(printf '\303\266\303\237')e\$" $folder/ranges &&
	grep -q '^[0-9]* push clEnqueueNDRangeKernel a b$' $folder/ranges || fail "a launch of no proper name"
iconv -f utf-8 -t utf-8 $folder/ranges >$folder/text || fail "a range that is no UTF-8"
grep -qv '^[0-9]* \(push cl\|pop\|domain \)' $folder/ranges && fail "a range of several lines"
record tests/api/threads
[ "$(awk '$2 == "push" { print $1 }' $folder/ranges | sort -u | wc -l)" -gt 2 ] || fail "ranges of one thread alone"

# A profiler that does not start, and one that is not there.
rm -f $folder/ranges
NVTX_INJECTION64_PATH=$PWD/tests/api/libranges-listener.so tests/api/kernel >$folder/out 2>&1 ||
	{ fail "with a profiler that refuses:"; cat $folder/out; }
NVTX_INJECTION64_PATH=$folder/missing.so tests/api/kernel >$folder/out 2>&1 ||
	{ fail "without the profiler that is named:"; cat $folder/out; }
exit $failed
