#!/bin/sh
# Protects: the tool has names of kernels as SPIR-V has them: in tables and JSON, as an argument, in a timeline.
# The modules are made with Khronos' assembler.
folder=$(mktemp -d) || exit 2
trap 'rm -rf $folder' EXIT
command -v "${SPIRV_AS:-spirv-as}" >/dev/null || {
	echo "no assembler of SPIR-V"
	exit 77
}
failed=0
fail() {
	echo "$@"
	failed=1
}
# module FILE NAME...: a kernel of each name, as a string of the assembler, which stores its number, from 0 on
module() {
	file=$1 number=0
	shift
	{
		printf 'OpCapability Kernel\nOpCapability Addresses\nOpMemoryModel Physical64 OpenCL\n'
		for name in "$@"; do
			printf 'OpEntryPoint Kernel %%k%d "%s"\n' $number "$name"
			number=$((number + 1))
		done
		printf '%%void = OpTypeVoid\n%%uint = OpTypeInt 32 0\n%%p = OpTypePointer CrossWorkgroup %%uint\n'
		printf '%%f = OpTypeFunction %%void %%p\n'
		for i in $(seq 0 $((number - 1))); do printf '%%c%d = OpConstant %%uint %d\n' $i $i; done
		for i in $(seq 0 $((number - 1))); do
			printf '%%k%d = OpFunction %%void None %%f\n%%o%d = OpFunctionParameter %%p\n' $i $i
			printf '%%b%d = OpLabel\nOpStore %%o%d %%c%d Aligned 4\nOpReturn\nOpFunctionEnd\n' $i $i $i
		done
	} >$folder/text
	"${SPIRV_AS:-spirv-as}" --target-env spv1.0 -o $file $folder/text || exit 2
}
great=$(printf 'gr\303\266\303\237er')
long=$(printf '%0300d' 0)
line=$(printf 'a\nb\033[31m')
module $folder/many.spv plain "$great" 'a b;\"c\"' "$line" '' "${long}1" "${long}2"
module $folder/one.spv 'x;y'
module $folder/none.spv ''

# Tables and JSON; what a terminal would obey is not printed.
./culvert compile $folder/many.spv --emit info >$folder/out || fail "many.spv does not compile"
grep -q "^$great  *[0-9-]" $folder/out && grep -q '^a b;"c"  *[0-9-]' $folder/out &&
	grep -q '^a?b?\[31m  *[0-9-]' $folder/out || { fail "names in the table:"; cat $folder/out; }
./culvert compile $folder/many.spv --emit info --json >$folder/info.json || fail "no JSON"

# run CODE ARGUMENT...: exit code; what was printed is in out
run() {
	wanted=$1
	shift
	./culvert run "$@" >$folder/out 2>$folder/errors
	code=$?
	[ $code = $wanted ] || { fail "run $*: exit code $code, not $wanted"; cat $folder/out $folder/errors; }
}
number=0
for name in plain "$great" 'a b;"c"' "$line" '' "${long}1" "${long}2"; do
	run 0 $folder/many.spv -k "$name" -g 1 -a fill:1:99
	grep -q " $number\$" $folder/out || { fail "kernel '$name' is not number $number:"; cat $folder/out; }
	number=$((number + 1))
done
# clean FILE: nothing in it that a terminal would obey
clean() {
	LC_ALL=C tr -d '\n\t -~\200-\377' <$1 >$folder/control
	[ ! -s $folder/control ] || { fail "control characters are printed:"; cat -v $1; }
}
run 2 $folder/many.spv -g 1 -a fill:1:99
clean $folder/errors
run 1 $folder/many.spv -k none -g 1 -a fill:1:99
clean $folder/errors
CULVERT_CACHE_DIR=$folder/cache CULVERT_CACHE=on
export CULVERT_CACHE_DIR CULVERT_CACHE
mkdir $folder/cache
run 0 $folder/many.spv -k plain -g 1 -a fill:1:99
./culvert cache list >$folder/out || fail "no list of the cache"
grep -q "plain, $great, a b;\"c\"" $folder/out || { fail "names in the cache's list:"; cat -v $folder/out; }
clean $folder/out
# The only kernel needs no name, whatever it is.
run 0 $folder/one.spv -g 1 -a fill:1:99
run 0 $folder/none.spv -g 1 -a fill:1:99
run 1 $folder/one.spv -k x -g 1 -a fill:1:99

# A timeline, with names whole: those of C++ differ at their ends.
if [ -z "$SANITIZER_RUNTIME" ] && [ -x tests/api/il_names ]; then
	"${srcdir:-.}/tests/apps/foreign" ./culvert trace -o $folder/trace.json --json tests/api/il_names \
		>$folder/summary.json 2>$folder/errors || { fail "no trace of il_names"; cat $folder/errors; }
	"${PYTHON3:-python3}" - $folder/trace.json $folder/summary.json <<'END' || fail "names in a timeline"
import json, sys
commands = {e["name"] for e in json.load(open(sys.argv[1])) if e.get("cat") == "command"}
summary = {r["name"] for r in json.load(open(sys.argv[2]))["commands"]}
wanted = {"plain", "gr\u00f6\u00dfe", "\U0001f980", 'a"b\\c', "a\nb", "\x01x", "", " ", "a,b", 1100 * "x", 10000 * "\u00e9\u00e8"}
assert wanted <= commands, wanted - commands
assert wanted <= summary, wanted - summary
END
	"${srcdir:-.}/tests/apps/foreign" ./culvert trace -o $folder/trace.json tests/api/il_names >$folder/out 2>&1
	clean $folder/out
fi
"${PYTHON3:-python3}" - $folder/info.json "$great" "$line" "${long}1" <<'END' || fail "names in JSON"
import json, sys
names = [k["name"] for k in json.load(open(sys.argv[1]))["kernels"]]
assert sorted(names) == sorted(["plain", sys.argv[2], 'a b;"c"', sys.argv[3], "", sys.argv[4], sys.argv[4][:-1] + "2"]), names
END
exit $failed
