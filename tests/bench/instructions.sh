#!/bin/sh
# Protects: what the enqueue path and a cached build cost, in instructions under callgrind.
exec "$PYTHON3" "${srcdir:-.}/tests/bench/instructions" "$PWD"
