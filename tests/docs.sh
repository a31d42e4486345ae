#!/bin/sh
# Protects: the README's list of environment variables against base/config.def, and the
# list of softcuda's calls against those that the driver makes; the tool's man page; the
# document of the conformance tests against what they said.
"${srcdir:-.}/scripts/option-table" --check || exit 1
"${srcdir:-.}/scripts/soft-api-table" --check || exit 1
"${srcdir:-.}/scripts/command-table" --check || exit 1
"${srcdir:-.}/tests/conformance/report" --check || exit 1
# The library itself: every call of the driver's list is exported.
nm -D --defined-only libculvert-softcuda.so | awk '{print $3}' | sed 's/@.*//' >docs-exported
sed -n 's/^CUDA_SYMBOL(\([A-Za-z0-9_]*\),.*/\1/p' "${srcdir:-.}/backend/cuda_symbols.def" |
	grep -vxFf docs-exported >docs-missing
status=$?
sed 's/^/libculvert-softcuda.so lacks /' docs-missing
rm -f docs-exported docs-missing
[ $status -eq 1 ]
