#!/bin/sh
# Protects: the values of the math functions in both precisions.
exec tests/builtins/values --quick math math_double math_half native
