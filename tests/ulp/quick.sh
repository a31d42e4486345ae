#!/bin/sh
# Protects: no math function's error exceeds the specification's bound, at a few points of each, with
# the default options and relaxed; and the way to look at every number of float, at a few of them.
tests/ulp/ulp --points 512
status=$?
test $status -eq 0 || exit $status
exec tests/ulp/ulp --points 64 --stride 1048576 exp half_tan log sinpi tan
