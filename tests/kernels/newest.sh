#!/bin/sh
# Protects: what libnvvm's other compiler makes, which it has for compute_100 and on.  All kernel
# files run as on the newest GPUs.
test "${CULVERT_CUDA:-soft}" = soft || exit 77
CULVERT_SOFT_SM=120
export CULVERT_SOFT_SM
exec tests/kernels/runner "${srcdir:-.}"/tests/kernels/*.clt
