#!/bin/sh
# Protects: a test that lies in a folder is run by `make check`, and a new one is found by itself.
srcdir=${srcdir:-.}
script=$(cd "$srcdir" && pwd)/tests/list-tests
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
failed=0
fail() { echo "$*"; failed=1; }

# -- what lies there is run ---------------------------------------------------------------
MAKEFLAGS='' make -s list-tests | sort >"$work/run" || exit 99
grep -qx tests/kernels/vector_add.clt "$work/run" || { echo "without OpenCL's loader few tests are run"; exit 77; }
(
	cd "$srcdir" || exit 99
	find tests -name '*.sh' -o -name '*.clt' ! -path 'tests/spirv/*' -o -path 'tests/apps/*.py'
	grep -lE '^int main\(|_MAIN\(|^LITMUS_[0-9]' tests/api/*.c tests/litmus/*.c tests/stress/*.c tests/unit/t_*.c |
		while read -r file; do
			[ -f "${file%.c}.sh" ] || echo "${file%.c}"
		done
) | sort >"$work/there"
[ "$(wc -l <"$work/there")" -gt 500 ] || fail "only $(wc -l <"$work/there") tests lie below tests"
# What this build leaves out, a local.mk names: it has the condition.
cat "$srcdir"/tests/local.mk "$srcdir"/tests/*/local.mk | sed 's/#.*//' | tr ' \t' '\n\n' >"$work/named"
comm -23 "$work/there" "$work/run" >"$work/missing"
while read -r test; do
	grep -qxF "$test" "$work/named" || fail "$test lies there, and make check does not run it"
done <"$work/missing"
for test in $(cat "$work/run"); do
	case $test in *.sh | *.clt | *.py) [ -f "$srcdir/$test" ] || fail "make check runs $test, which does not exist" ;; esac
done

# -- what is new is found -----------------------------------------------------------------
(cd "$srcdir" && find tests -type d) | (cd "$work" && mkdir tree && cd tree && xargs mkdir -p)
for file in "$srcdir"/tests/local.mk "$srcdir"/tests/*/local.mk "$srcdir"/tests/*/*/local.mk; do
	cp "$file" "$work/tree/${file#"$srcdir"/}"
done
cd "$work/tree" || exit 99
touch tests/kernels/new.clt tests/kernels/broken/new.clt tests/tools/new.sh tests/apps/new.py tests/kernels/part.c
for program in api/new api/helper unit/t_new unit/t_soft_new unit/helper stress/new; do
	echo 'int main(void) { return 0; }' >tests/$program.c
done
echo 'int part;' >tests/api/new_part.c
touch tests/api/helper.sh
list() { sh "$script" . 2>&1; }
list || fail "list-tests does not take a tree with new tests"
# One line for each list.
sed -e ':a' -e '/\\$/N; s/ *\\\n[[:space:]]*/ /; ta' tests/tests.mk >lists
found() { grep -qE "^$1 = (.* )?$2( |\$)" lists || fail "$2 is not found in $1: $(grep "^$1 =" lists)"; }
found kernels_clt tests/kernels/new.clt
found kernels_broken_clt tests/kernels/broken/new.clt
found kernels_sources tests/kernels/part.c
found tools_scripts tests/tools/new.sh
found apps_scripts tests/apps/new.py
found api_tests tests/api/new
found tests_api_new_SOURCES tests/api/new_part.c
found api_programs tests/api/helper
found api_scripts tests/api/helper.sh
found unit_tests tests/unit/t_new
found tests_unit_t_soft_new_LDADD '\$\(soft_libs\)'
found unit_programs tests/unit/helper
found stress_tests tests/stress/new
found tests_dist tests/api/new_part.c

# -- what nobody would run is refused -----------------------------------------------------
echo 'int nothing;' >tests/api/alone.c
case $(list) in *tests/api/alone.c*) ;; *) fail "a source that is part of nothing is passed over" ;; esac
rm tests/api/alone.c
mkdir tests/newcomer && touch tests/newcomer/test.sh
case $(list) in *newcomer_scripts*) ;; *) fail "a folder that no local.mk knows is passed over" ;; esac
exit $failed
