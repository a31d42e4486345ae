#!/bin/sh
# Protects: what libnvvm's other compiler makes, which it has for compute_100 and on.  All kernel
# files run as on the newest GPUs, with the oldest driver that knows them.
test "${CULVERT_CUDA:-soft}" = soft || exit 77
CULVERT_SOFT_SM=120 CULVERT_SOFT_DRIVER=12.8
export CULVERT_SOFT_SM CULVERT_SOFT_DRIVER
kernels=${srcdir:-.}/tests/kernels
# The checker is on or off for a whole process, so files that need it run alone.
for file in $(grep -l '^//! check' "$kernels"/*.clt); do
	tests/kernels/runner "$file" || test $? = 77 || exit 1
done
CULVERT_DUMP=$(mktemp -d) || exit 99
trap 'rm -rf "$CULVERT_DUMP"' EXIT
export CULVERT_DUMP
tests/kernels/runner $(grep -L '^//! check' "$kernels"/*.clt) || exit 1
# Their code for other processors than this one is made, but not run.
tests/unit/soft_jit_for +neon $(ls "$CULVERT_DUMP"/*.ptx | grep -v plain) || [ $? = 77 ]
