#!/bin/sh
# Protects: Boost.Compute (headers), its sorts, scans, sums and choices beside the C++ library's.
# BOOST_COMPUTE names the program, where it was built elsewhere; APP_BUILD=yes builds it, which takes as
# long as ten other tests.
here=$(dirname "$0")
if [ -n "$BOOST_COMPUTE" ]; then
	exec "$here/foreign" "$BOOST_COMPUTE"
fi
[ "$APP_BUILD" = yes ] || { echo "skipped: neither BOOST_COMPUTE nor APP_BUILD=yes"; exit 77; }
compiler=${CXX:-c++}
folder=$(mktemp -d) || exit 2
trap 'rm -rf $folder' EXIT
printf '#include <boost/compute/version.hpp>\n#include <CL/cl.h>\n' |
	$compiler -DCL_TARGET_OPENCL_VERSION=120 -x c++ -fsyntax-only - >$folder/log 2>&1 ||
	{ echo "skipped: no C++ compiler that finds Boost.Compute"; exit 77; }
$compiler -std=c++14 -w -O0 -DCL_TARGET_OPENCL_VERSION=120 "$here/boost_compute.cpp" \
	-o $folder/boost_compute -lOpenCL >$folder/log 2>&1 || { cat $folder/log; exit 1; }
"$here/foreign" $folder/boost_compute
