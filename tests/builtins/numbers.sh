#!/bin/sh
# Protects: the values of the integer, common, geometric and relational functions, and conversions.
exec tests/builtins/values --quick integer common geometric relational convert
