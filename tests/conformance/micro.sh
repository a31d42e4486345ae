#!/bin/sh
# Protects what the conformance tests say of Culvert on the software device: the list
# `micro`, beside expected/softcuda.txt.  CULVERT_CTS names a build of the tests, which
# are not part of Culvert; without it there is nothing to do.
set -u
here=${srcdir:-.}/tests/conformance
[ -n "${CULVERT_CTS:-}" ] || { echo "CULVERT_CTS names no build of the conformance tests"; exit 77; }
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT
CULVERT_CUDA=soft "$here/run" --cts "$CULVERT_CTS" --build . --list micro --timeout 300 --out "$out" \
	--expect "$here/expected/softcuda.txt"
