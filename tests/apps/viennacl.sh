#!/bin/sh
# Protects: ViennaCL (headers), its kernels for vectors, dense and sparse matrices, and a solver.
# VIENNACL names the program, where it was built elsewhere.
here=$(dirname "$0")
if [ -n "$VIENNACL" ]; then
	exec "$VIENNACL"
fi
compiler=${CXX:-c++}
folder=$(mktemp -d) || exit 2
trap 'rm -rf $folder' EXIT
printf '#include <viennacl/version.hpp>\n#include <CL/cl.h>\n' |
	$compiler -DCL_TARGET_OPENCL_VERSION=120 -x c++ -fsyntax-only - >$folder/log 2>&1 ||
	{ echo "skipped: no C++ compiler that finds ViennaCL"; exit 77; }
$compiler -std=c++14 -w -O0 -DVIENNACL_WITH_OPENCL -DCL_TARGET_OPENCL_VERSION=120 "$here/viennacl.cpp" \
	-o $folder/viennacl -lOpenCL >$folder/log 2>&1 || { cat $folder/log; exit 1; }
$here/foreign $folder/viennacl
