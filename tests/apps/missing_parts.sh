#!/bin/sh
# Protects: what a program sees where something is missing.  No libnvvm, or no
# compiler: CL_COMPILER_NOT_AVAILABLE and a log that names what was tried.  No driver:
# a platform without devices, in silence.
file=${srcdir:-.}/tests/kernels/vector_add.clt
folder=$(mktemp -d) || exit 2
trap 'rm -rf $folder' EXIT
failed=0
# expect WHAT TEXT: the last run failed with -3 and its log has TEXT.
expect() {
	grep -q 'build failed with -3' $folder/out && grep -qF "$2" $folder/out && return
	echo "$1: expected -3 and \"$2\" in the log, got:"
	cat $folder/out
	failed=1
}

CULVERT_LIBNVVM=/nonexistent/libnvvm.so tests/kernels/runner "$file" >$folder/out 2>&1
expect "no libnvvm" /nonexistent/libnvvm.so

if [ -f ./libculvert-frontend.so ]; then
	mkdir $folder/lone $folder/vendors
	cp libculvert.so libculvert-softcuda.so $folder/lone
	echo "$folder/lone/libculvert.so" >$folder/vendors/culvert.icd
	OCL_ICD_VENDORS=$folder/vendors tests/kernels/runner "$file" >$folder/out 2>&1
	expect "no compiler" $folder/lone/libculvert-frontend.so
fi

if command -v clinfo >/dev/null; then
	CULVERT_CUDA=/nonexistent/libcuda.so.1 \
		"${srcdir:-.}/tests/apps/foreign" clinfo --raw >$folder/out 2>$folder/errors
	grep -q '#DEVICES *0' $folder/out || { echo "no driver: expected no devices:"; cat $folder/out; failed=1; }
	grep -q Culvert $folder/out || { echo "no driver: the platform is gone"; failed=1; }
	[ ! -s $folder/errors ] || { echo "no driver: it is not silent:"; cat $folder/errors; failed=1; }
fi
exit $failed
