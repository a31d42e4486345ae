#!/bin/sh
# Protects: no math function's error exceeds the specification's bound, at a few points of each.
exec tests/ulp/ulp --points 1024
