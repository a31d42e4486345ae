#!/bin/sh
# Protects: the tiled matrix product (local memory, barriers, two dimensions); and that such a program makes no
# driver call that every driver for Linux refuses, which CUDA's debugging tools would report as an error.
count=$(mktemp) || exit 2
trap 'rm -f "$count"' EXIT
CULVERT_SOFT_COUNT=$count tests/apps/matrix 128 || exit 1
! grep cuDeviceGetLuid "$count"
