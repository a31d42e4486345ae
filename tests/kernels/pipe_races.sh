#!/bin/sh
# Protects: whoever reads a packet of a pipe has it as it was written, whatever the memory's order: no processor
# shows that, but the checker of races does.
export CULVERT_SOFT_CHECK=race,memory,stop
exec tests/kernels/runner "${srcdir:-.}/tests/kernels/pipe_storm.clt"
