#!/bin/sh
# Protects: no function is left over that nothing calls, or only tests.  A function counts as used if another
# object of the product needs its symbol, or if its name stands twice in the product's sources: where it is
# defined and, in the same file, where it is called.
srcdir=${srcdir:-.}
NM=${NM:-nm}
rooms='base backend cache frontend icd softcuda tools'
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT

# Interfaces that tests need and the product does not: caches of a test's own, lists of the names that a table
# handles, the processor's levels one by one, and programs of the executor without a driver.
allowed='cache_destroy fe_ir_native_intrinsic fe_lower_intrinsic_name fe_lower_math_name exec_level_choose
	soft_program_function'

$NM -A -P -g $(find $rooms \( -name '*.a' -o -name '*.o' ! -path '*tests_*' \)) >"$work/symbols" 2>/dev/null
if [ "$(grep -c ' T ' "$work/symbols")" -lt 500 ] || grep -q __gnu_lto "$work/symbols"; then
	echo "$NM does not show the symbols of these objects"
	exit 77
fi
(cd "$srcdir" && find $rooms \( -name '*.c' -o -name '*.cpp' -o -name '*.def' -o -name '*.map' \) -exec cat {} +) |
	tr -cs 'A-Za-z0-9_' '\n' >"$work/words"

# Exported functions are called from outside; objects whose source is gone define functions without a word.
awk -v allowed="$allowed" '
	BEGIN {
		count = split(allowed, names, /[ \t\n]+/)
		for (i = 1; i <= count; i++)
			excepted[names[i]]
	}
	FILENAME ~ /words$/ { words[$1]++; next }
	$3 == "U" { needed[$2] }
	$3 == "T" && $2 !~ /^(cl|cu|door_|_Z|_?llvm_|main$)/ { defined[$2] }
	END {
		for (name in defined) {
			if (words[name] == 1 && !(name in needed) && !(name in excepted)) {
				print name ": nothing calls it, or only tests"
				failed = 1
			}
		}
		for (name in excepted)
			if (!(name in defined) || name in needed || words[name] != 1) {
				print name ": is used, or gone, and need not be allowed"
				failed = 1
			}
		exit failed
	}' "$work/words" "$work/symbols"
