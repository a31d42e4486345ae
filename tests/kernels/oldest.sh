#!/bin/sh
# Protects: the oldest GPUs and the oldest driver that are supported.  All kernel files run as on sm_75 with
# a driver for CUDA 12.0.
test "${CULVERT_CUDA:-soft}" = soft || exit 77
CULVERT_SOFT_SM=75 CULVERT_SOFT_DRIVER=12.0
export CULVERT_SOFT_SM CULVERT_SOFT_DRIVER
exec tests/kernels/runner "${srcdir:-.}"/tests/kernels/*.clt
