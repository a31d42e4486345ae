#!/bin/sh
# Protects: an installed copy, found as the loader finds every driver, on the
# software device.  Arguments: the folders of libraries, of their parts, of .icd files; what those name.
lib=$1
parts=$2
vendors=$3
named=$4
failed=0
for file in "$lib/libculvert.so" "$parts/libculvert-softcuda.so" "$parts/culvert-softcuda-compile" "$parts/culvert-compile" "$vendors/culvert.icd"; do
	[ -f "$file" ] || { echo "$file is missing"; failed=1; }
done
# NVIDIA's PTX compiler where it was built in: it is looked for beside the other parts.
[ ! -f libculvert-ptxcompiler.so ] || [ -f "$parts/libculvert-ptxcompiler.so" ] ||
	{ echo "$parts/libculvert-ptxcompiler.so is missing"; failed=1; }
# The whole path: no linker has to be told of the folder.
[ "$(cat "$vendors/culvert.icd")" = "$named" ] ||
	{ echo "$vendors/culvert.icd does not name $named"; failed=1; }
# An installation below DESTDIR is not yet where its file says.
if [ "$named" != "$lib/libculvert.so" ]; then
	vendors=$(mktemp -d) || exit 99
	trap 'rm -rf "$vendors"' EXIT
	echo "$lib/libculvert.so" >"$vendors/culvert.icd"
fi
OCL_ICD_VENDORS=$vendors
CULVERT_CUDA=soft
export OCL_ICD_VENDORS CULVERT_CUDA
for test in vector_add barrier_reduction math_double; do
	tests/kernels/runner "${srcdir:-.}/tests/kernels/$test.clt" || { echo "$test failed"; failed=1; }
done
# What pkg-config says is enough for a program that includes the extensions' header.
prefix=${lib%/*}
if command -v pkg-config >/dev/null; then
	PKG_CONFIG_PATH=$prefix/share/pkgconfig
	export PKG_CONFIG_PATH
	flags=$(pkg-config --define-prefix --cflags culvert) || { echo "pkg-config finds no culvert"; failed=1; }
	[ -n "$(pkg-config --modversion culvert)" ] || { echo "culvert.pc has no version"; failed=1; }
	# It writes blanks of a folder's name as a shell does.
	printf '#define CL_TARGET_OPENCL_VERSION 300\n#include <CL/cl_culvert.h>\nclGetCudaContextCULVERT_fn get;\n' |
		eval "${CC:-cc} $flags -x c -fsyntax-only -" || { echo "the header does not compile"; failed=1; }
fi
CULVERT=$prefix/bin/culvert
if [ -x "$CULVERT" ]; then
	for completion in bash-completion/completions/culvert zsh/site-functions/_culvert fish/vendor_completions.d/culvert.fish; do
		[ -f "$prefix/share/$completion" ] || { echo "$prefix/share/$completion is missing"; failed=1; }
	done
	"$CULVERT" devices >/dev/null || { echo "$CULVERT devices failed"; failed=1; }
	"$CULVERT" compile "${srcdir:-.}/tests/kernels/vector_add.clt" >/dev/null ||
		{ echo "$CULVERT compile failed"; failed=1; }
fi
exit $failed
