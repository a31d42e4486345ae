#!/bin/sh
# Protects: the README's list of environment variables against base/config.def, and the
# list of softcuda's calls against those that the driver makes; the tool's man page; the
# document of the conformance tests against what they said; the comparison of features: each
# row names tests that exist, and the README's rows are the same.
"${srcdir:-.}/scripts/option-table" --check || exit 1
"${srcdir:-.}/scripts/soft-api-table" --check || exit 1
"${srcdir:-.}/scripts/command-table" --check || exit 1
"${srcdir:-.}/tests/conformance/report" --check || exit 1
# The rows of a page's comparison of features.
rows() {
	sed -n '/^| feature/,/^$/p' "${srcdir:-.}/$1" | sed '1,2d; /^$/d'
}
rows docs/comparison.md | while IFS= read -r row; do
	tests=$(echo "$row" | sed 's/.* | \(.*\) |$/\1/' | grep -oE '`[^`]*`' | tr -d '`')
	[ -n "$tests" ] || echo "docs/comparison.md names no test: $row"
	for test in $tests; do
		[ -e "${srcdir:-.}/$test" ] || [ -e "${srcdir:-.}/$test.c" ] ||
			echo "docs/comparison.md names $test, which does not exist"
	done
done >docs-missing
rows README.md | while IFS= read -r row; do
	grep -qF -e "$row" "${srcdir:-.}/docs/comparison.md" ||
		echo "docs/comparison.md has no row that begins like README's $row"
done >>docs-missing
[ "$(rows README.md | wc -l)" -ge 10 ] || echo "README.md has no comparison of features" >>docs-missing
if [ -s docs-missing ]; then
	cat docs-missing
	exit 1
fi
# The library itself: every call of the driver's list is exported.
nm -D --defined-only libculvert-softcuda.so | awk '{print $3}' | sed 's/@.*//' >docs-exported
sed -n 's/^CUDA_SYMBOL(\([A-Za-z0-9_]*\),.*/\1/p' "${srcdir:-.}/backend/cuda_symbols.def" |
	grep -vxFf docs-exported >docs-missing
status=$?
sed 's/^/libculvert-softcuda.so lacks /' docs-missing
rm -f docs-exported docs-missing
[ $status -eq 1 ]
