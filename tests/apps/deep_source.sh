#!/bin/sh
# Protects: the host, from a source that nests a hundred thousand levels deep.
folder=$(mktemp -d) || exit 2
trap 'rm -rf $folder' EXIT
awk 'BEGIN {
	print "//! protects the host\n//! buffer int out[1] = 0\n//! run deep(out) global 1\n//! expect out = 1"
	printf "kernel void deep(global int *out) { out[0] = "
	for (i = 0; i < 100000; i++) printf "- "
	print "1; }"
}' >$folder/deep.clt
exec tests/kernels/runner $folder/deep.clt
