#!/bin/sh
# Protects: `culvert compile`: each stage of a kernel with no driver at all, figures that
# are ptxas's own, diagnostics and exit codes.
folder=$(mktemp -d) || exit 2
trap 'rm -rf $folder' EXIT
failed=0
fail() {
	echo "$@"
	failed=1
}
# The tool compiles where there is no GPU and no driver.
CULVERT_CUDA=/nonexistent/libcuda.so.1
export CULVERT_CUDA
cat >$folder/kernel.cl <<'END'
kernel void twice(global int *data, int by)
{
	local int part[256];
	part[get_local_id(0)] = data[get_global_id(0)];
	barrier(CLK_LOCAL_MEM_FENCE);
	data[get_global_id(0)] = BY * by * part[get_local_id(0) ^ 1];
}
kernel void nothing(void) {}
END
for arch in sm_75 sm_90 sm_120; do
	./culvert compile $folder/kernel.cl --arch $arch --emit ptx -- -DBY=2 >$folder/$arch.ptx ||
		{ fail "$arch: no PTX"; continue; }
	grep -q "^.target $arch\$" $folder/$arch.ptx || fail "$arch: another target"
	grep -q '\.entry twice' $folder/$arch.ptx || fail "$arch: no entry"
done
# Vectors of 8 and 16 bytes or shorts are one access of 16 bytes, and dot products of bytes are made of the words that were loaded.
cat >$folder/narrow.cl <<'END'
kernel void bytes(global uchar16 *to, global const uchar16 *from) { to[get_global_id(0)] = from[get_global_id(0)] + (uchar)1; }
kernel void shorts(global short8 *to, global const short8 *from) { to[get_global_id(0)] = from[get_global_id(0)] * (short)3; }
END
cat >$folder/dots.cl <<'END'
kernel void dots(global int *to, global const char8 *from)
{
	const char8 a = from[get_global_id(0)], b = from[get_global_id(0) + 1];
	to[get_global_id(0)] = a.s0 * b.s0 + a.s1 * b.s1 + a.s2 * b.s2 + a.s3 * b.s3 + a.s4 * b.s4 + a.s5 * b.s5 +
			       a.s6 * b.s6 + a.s7 * b.s7;
}
END
for arch in sm_75 sm_90 sm_120; do
	./culvert compile $folder/narrow.cl --arch $arch --emit ptx >$folder/narrow.ptx || fail "$arch: narrow.cl: no PTX"
	counts=$(grep -c 'ld.global.*v4\.[ub]32' $folder/narrow.ptx),$(grep -c 'st.global.*v4\.[ub]32' $folder/narrow.ptx)
	[ $counts = 2,2 ] || fail "$arch: narrow.cl: loads and stores of 16 bytes: $counts, not 2,2"
	./culvert compile $folder/dots.cl --arch $arch --emit ptx >$folder/dots.ptx || fail "$arch: dots.cl: no PTX"
	counts=$(grep -c 'ld.global.*v2\.[ub]32' $folder/dots.ptx),$(grep -c dp4a $folder/dots.ptx),$(grep -c 'prmt\|or\.b' $folder/dots.ptx)
	[ $counts = 2,2,0 ] || fail "$arch: dots.cl: loads of 8 bytes, dp4a, bytes put together: $counts, not 2,2,0"
done
./culvert compile $folder/kernel.cl --emit ll --options -DBY=2 | grep -q '^define .*@twice' || fail "no IR"
./culvert compile $folder/kernel.cl --emit nvvm -O -DBY=2 -o $folder/out.nvvm || fail "no NVVM IR"
grep -q nvvmir.version $folder/out.nvvm || fail "that is no NVVM IR"
# Where branches meet, values are in the order of the variables' declarations, after if and else and in a loop's head; also
# where others lie between them that are stored once.  The types tell them apart.
cat >$folder/order.cl <<'END'
kernel void branches(global float *p, int n)
{
	long a;
	int next = n + 1;
	float b;
	int other = n ^ 7;
	int c;
	int third = n * 3;
	double d;
	if (n > 3) {
		a = p[3]; b = p[1]; c = n; d = p[2];
	} else {
		a = 4; b = p[5]; c = 5; d = p[7];
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	p[a] = b * c + (float)d + next * other * third;
}
kernel void loop(global float *p, int n)
{
	double d = p[9];
	float b = p[1];
	long a = p[3];
	for (uchar i = 0; i < n; i++)
		if (p[i] > b) {
			d += p[i]; a++;
		} else
			b *= 2;
	p[a] = b + (float)d;
}
END
./culvert compile $folder/order.cl --emit nvvm -o $folder/order.nvvm || fail "order.cl: no NVVM IR"
[ "$(sed -n 's/.* = phi \([a-z0-9]*\) .*/\1/p' $folder/order.nvvm | head -n 8 | tr '\n' ' ')" = "i64 float i32 double double float i64 i8 " ] ||
	fail "values are not in the order of the declarations"
# Lines for debuggers and profilers, when they are asked for.
for line in 1 4 6; do
	./culvert compile $folder/kernel.cl --emit ptx -O "-g -DBY=2" | grep -q "^[[:space:]]*\.loc[[:space:]]*1 $line " ||
		fail "-g: no code of line $line"
done
spirv=${srcdir:-.}/tests/spirv/constants.spv
# They reach machine code, of each architecture, where code is optimised and where it is not.
cat >$folder/inlined.cl <<'END'
int twice(int v)
{
	return v * 2;
}
kernel void inlined(global int *p)
{
	p[get_global_id(0)] = twice(p[get_global_id(0)]);
}
END
# check_lines FILE OPTIONS: its PTX for $arch is assembled, and the machine code has lines.
check_lines()
{
	./culvert compile "$1" --arch $arch --emit ptx -O "$2" -o $folder/lines.ptx
	how=-lineinfo
	grep -q '^.target.*, debug' $folder/lines.ptx && how=-g
	$PTXAS -arch=$arch $how -o $folder/lines.cubin $folder/lines.ptx ||
		{ fail "$arch: $1: $2: not assembled"; return; }
	for section in .debug_line .nv_debug_line_sass; do
		grep -qaF $section $folder/lines.cubin || fail "$arch: $1: $2: no $section"
	done
}
if [ -x "$PTXAS" ]; then
	for arch in $($PTXAS --help | grep -o "'sm_[0-9]*'" | tr -d "'" | sort -u); do
		./culvert compile $folder/kernel.cl --arch $arch --emit ptx -O -DBY=1 >/dev/null 2>&1 || continue
		for source in $folder/inlined.cl "$spirv"; do
			check_lines "$source" -g
			check_lines "$source" "-g -cl-opt-disable"
		done
		# Where nothing is optimised, with variables and types, and as such to be assembled.
		./culvert compile $folder/inlined.cl --arch $arch --emit ptx -O "-g -cl-opt-disable" -o $folder/full.ptx
		if grep -q '^.target.*, debug' $folder/full.ptx; then
			$PTXAS -g -arch=$arch -o $folder/full.cubin $folder/full.ptx || fail "$arch: debug: not assembled"
			for word in .debug_info .nv_debug_line_sass; do
				grep -qaF $word $folder/full.cubin || fail "$arch: debug: no $word"
			done
			grep -qaw v $folder/full.cubin || fail "$arch: debug: the variable has no name"
			./culvert compile $folder/inlined.cl --arch $arch --emit cubin -O "-g -cl-opt-disable" \
				-o $folder/own.cubin 2>/dev/null && { grep -qaF .debug_info $folder/own.cubin ||
				fail "$arch: debug: the cubin describes no variables"; }
			# By these names tools find a function and its file.
			./culvert compile $folder/inlined.cl --arch $arch --emit nvvm -O "-g -cl-opt-disable" >$folder/full.ll
			grep -qa 'name: "inlined", linkageName: "inlined"' $folder/full.ll || fail "$arch: debug: no linkage name"
			unit=$(sed -n 's/.*DICompileUnit(.* file: !\([0-9]*\),.*/\1/p' $folder/full.ll)
			grep -qa "^!$unit = !DIFile(filename: \".*inlined.cl\"" $folder/full.ll || fail "$arch: debug: no file"
		elif [ "$LLVM_MAJOR" -ge 19 ]; then
			fail "$arch: -g -cl-opt-disable describes no variables"
		fi
		./culvert compile $folder/inlined.cl --arch $arch --emit ptx -O -g | grep -q '\.loc.* 3 .*inlined_at 1 7 ' ||
			fail "$arch: -g: what was inlined is not said to be"
		./culvert compile $folder/inlined.cl --arch $arch --emit cubin -O -g -o $folder/own.cubin 2>/dev/null || continue
		grep -qaF .debug_line $folder/own.cubin || fail "$arch: -g: the cubin has no lines"
	done
fi
./culvert compile $folder/kernel.cl --emit ptx -O -DBY=2 | grep -q '\.loc' && fail "lines that nobody asked for"
./culvert compile $folder/kernel.cl -O -DBY=2 >$folder/info || fail "no info"
grep -q '^twice ' $folder/info && grep -q '^nothing ' $folder/info || fail "the info lacks a kernel"

if [ -x "$PTXAS" ]; then
	CUDA_HOME=$(dirname "$(dirname "$PTXAS")")
	export CUDA_HOME
	# The figures, against those of ptxas itself.
	$PTXAS -v -arch=sm_90 -o $folder/ptxas.cubin $folder/sm_90.ptx 2>$folder/ptxas.log
	registers=$(sed -n "/entry function 'twice'/,/Used/s/.*Used \([0-9]*\) registers.*/\1/p" $folder/ptxas.log)
	local_B=$(sed -n "/entry function 'twice'/,/Used/s/.* \([0-9]*\) bytes smem.*/\1/p" $folder/ptxas.log)
	[ "$local_B" = 1024 ] || fail "ptxas: $local_B bytes of shared memory, not 1024"
	./culvert compile $folder/kernel.cl --json -O -DBY=2 >$folder/json || fail "no JSON"
	sed -n '/"name": "twice"/,/"arguments"/p' $folder/json >$folder/twice
	grep -qF "\"registers\": $registers," $folder/twice || fail "twice: not $registers registers"
	grep -qF "\"local_B\": $local_B," $folder/twice || fail "twice: not $local_B bytes of local memory"
	./culvert compile $folder/kernel.cl --emit cubin -O -DBY=2 -o $folder/kernel.cubin || fail "no cubin"
	[ "$(dd if=$folder/kernel.cubin bs=1 skip=1 count=3 2>/dev/null)" = ELF ] || fail "the cubin is no ELF file"
	# A kernel that cannot keep its values in registers says so.
	cat >$folder/spill.cl <<'END'
kernel void spill(global float *data)
{
	float a[48];
	for (int i = 0; i < 48; i++) a[i] = data[i * 64 + get_global_id(0)];
	for (int k = 0; k < 8; k++)
		for (int i = 0; i < 48; i++) a[i] = a[i] * a[(i * 7 + 3) % 48] + data[k];
	for (int i = 0; i < 48; i++) data[i * 64 + get_global_id(0)] = a[i];
}
END
	./culvert compile $folder/spill.cl --json -- -cl-nv-maxrregcount=24 | grep '"spill_store_B": [1-9]' >/dev/null ||
		fail "24 registers: no spills are told"
fi

if [ -x "$PYTHON3" ] && [ -f $folder/json ]; then
	"$PYTHON3" - $folder/json <<'END' || fail "that is not the JSON that was promised"
import json, sys
info = json.load(open(sys.argv[1]))
twice, nothing = info["kernels"]
assert [a["kind"] for a in twice["arguments"]] == ["global", "value"] and not nothing["arguments"]
END
fi

echo 'kernel void bad(global int *p) { p[0] = unknown; }' >$folder/bad.cl
./culvert compile $folder/bad.cl >$folder/out 2>$folder/errors
[ $? = 1 ] || fail "a mistake in the source: not exit code 1"
grep -q "^$folder/bad.cl:1:41: error: .*undeclared identifier 'unknown'" $folder/errors || fail "a mistake in the source: it is not told"
grep -q "$(printf '\033')" $folder/errors && fail "a mistake in the source: colours in a file"
# The file's name as it was given, and a header beside it.
(cd $folder && "$OLDPWD/culvert" compile bad.cl) >$folder/out 2>$folder/errors
grep -q "^bad.cl:1:41: error: " $folder/errors || { fail "the file is not named as it was given:"; cat $folder/errors; }
mkdir $folder/sub
echo '#define VALUE 77' >$folder/sub/h.h
printf '%s\n' '#include "h.h"' 'kernel void k(global int *p) { p[0] = VALUE; }' >$folder/sub/k.cl
./culvert compile $folder/sub/k.cl --emit nvvm | grep -q 'i32 77' || fail "a header beside the file is not found"
[ ! -s $folder/out ] || fail "a mistake in the source: something on stdout"
# As JSON in any case: what failed, and each message with its place.
json_says() { # what is asserted of j, arguments
	says=$1
	shift
	./culvert compile --json "$@" >$folder/out 2>$folder/errors
	code=$?
	[ ! -x "$PYTHON3" ] || "$PYTHON3" -c 'import json, sys
j = json.load(open(sys.argv[1]))
assert j["exit"] == int(sys.argv[2]), j["exit"]
assert '"$says" $folder/out $code || { fail "compile --json $*: not ${says}:"; cat $folder/out; }
}
json_says 'j["kernels"] == [] and j["failure"] is None or j["failure"]' $folder/bad.cl
json_says 'j["exit"] == 1 and j["messages"][0]["severity"] == "error" and j["messages"][0]["line"] == 1
assert j["messages"][0]["column"] == 41 and j["messages"][0]["file"].endswith("bad.cl")
assert "unknown" in j["messages"][0]["text"] and j["messages"][0]["text"] in j["log"]' $folder/bad.cl
json_says 'j["exit"] == 1 and j["failure"].endswith("none.cl: No such file or directory") and j["kernels"] == []' $folder/none.cl
json_says 'j["exit"] == 2 and "-no-such-option" in j["log"] and j["kernels"] == []' $folder/kernel.cl -- -no-such-option
json_says 'j["exit"] == 0 and j["failure"] is None and len(j["kernels"]) == 2 and j["messages"] == []' $folder/kernel.cl -- -DBY=2
printf '%s\n' '#warning "12:3: error: odd"' 'kernel void k(void) {}' >"$folder/w 1:2: note.cl"
json_says 'len(j["messages"]) == 1 and j["exit"] == 0
m = j["messages"][0]
assert m["severity"] == "warning" and m["line"] == 1 and m["column"] == 2 and m["file"].endswith("w 1:2: note.cl"), m' "$folder/w 1:2: note.cl"
(
	CULVERT_LIBNVVM=/nonexistent/libnvvm.so
	json_says 'j["exit"] == 3 and "/nonexistent/libnvvm.so" in j["log"]' $folder/kernel.cl -- -DBY=2
	exit $failed
) || failed=1
# Nobody reads on: the end of a program in a pipe, not a crash of the compiler.
./culvert compile $folder/kernel.cl --emit ptx -O -DBY=2 >$folder/whole.ptx
[ "$(wc -c <$folder/whole.ptx)" -gt 100 ] || fail "no PTX to be cut"
{ ./culvert compile $folder/kernel.cl --emit ptx -O -DBY=2 2>$folder/errors; echo $? >$folder/code; } | true
[ "$(cat $folder/code)" = 141 ] || fail "a closed pipe: exit code $(cat $folder/code)"
[ ! -s $folder/errors ] || { fail "a closed pipe:"; cat $folder/errors; }
# In colours on a terminal alone: the same words are there, whatever is around them.
escape=$(printf '\033')
coloured() { # TERM, NO_COLOR, COMMAND...
	TERM=$1 NO_COLOR=$2
	export TERM NO_COLOR
	shift 2
	"$PYTHON3" -c 'import pty, sys; pty.spawn(sys.argv[1:])' "$@" </dev/null 2>&1 | tr -d '\r' >$folder/terminal
	sed "s/$escape\[[0-9]*m//g" $folder/terminal | grep -q "^$folder/bad.cl:1:41: error: .*'unknown'$" ||
		{ fail "$*: on a terminal:"; cat $folder/terminal; }
	grep -q "$escape\[31merror:$escape\[0m" $folder/terminal
}
if [ -x "$PYTHON3" ]; then
	for command in "compile" "run -g 1 -a zero:1"; do
		[ "$command" = compile ] || [ "${CULVERT_TEST_CUDA:-soft}" = soft ] || continue
		(
			[ "$command" = compile ] || CULVERT_CUDA=soft
			coloured xterm '' ./culvert $command $folder/bad.cl || fail "$command: no colours on a terminal"
			coloured xterm 1 ./culvert $command $folder/bad.cl && fail "$command: colours in spite of NO_COLOR"
			coloured dumb '' ./culvert $command $folder/bad.cl && fail "$command: colours on a terminal that has none"
			exit $failed
		) || failed=1
	done
fi
./culvert compile $folder/none.cl 2>/dev/null
[ $? = 1 ] || fail "no file: not exit code 1"
for wrong in '--arch sm_9x' '--emit elf' '--json --emit ptx' '-o out'; do
	./culvert compile $wrong $folder/kernel.cl >/dev/null 2>&1
	[ $? = 2 ] || fail "$wrong: not exit code 2"
done
./culvert compile $folder/kernel.cl --emit ptx -- -no-such-option 2>/dev/null
[ $? = 2 ] || fail "a wrong build option: not exit code 2"
CULVERT_LIBNVVM=/nonexistent/libnvvm.so ./culvert compile $folder/kernel.cl -O -DBY=2 2>$folder/errors
[ $? = 3 ] || fail "no libnvvm: not exit code 3"
grep -q /nonexistent/libnvvm.so $folder/errors || fail "no libnvvm: the log does not say so"
# SPIR-V, to LLVM IR and to PTX.
./culvert compile $spirv --emit ptx | grep -q '\.entry values' || fail "SPIR-V: no entry"
./culvert compile $spirv --emit ptx -O -g | grep -q '\.file.*"values.cl"' || fail "SPIR-V, -g: not the file of OpLine"
./culvert compile $spirv --emit ll | grep -q '^define .*@culvert.kernel.values(' || fail "SPIR-V: no LLVM IR"
head -c 200 $spirv >$folder/short.spv
./culvert compile $folder/short.spv >/dev/null 2>$folder/errors
[ $? = 1 ] && grep -q SPIR-V $folder/errors || fail "half of a module: not exit code 1 and a word on why"
# A compiler that crashes is told of as one (libnvvm-fault.so crashes for some names).
if [ -f tests/stress/libnvvm-fault.so ] && [ -f "$CULVERT_LIBNVVM" ]; then
	compile_planted()
	{
		echo "kernel void $1(global int *p) { p[0] = 1; }" >$folder/crash.cl
		shift
		FAULT_NVVM_REAL=$CULVERT_LIBNVVM FAULT_NVVM_PLANTED=1 ASAN_OPTIONS=handle_segv=0 \
			TSAN_OPTIONS=handle_segv=0 CULVERT_LIBNVVM=$PWD/tests/stress/libnvvm-fault.so \
			./culvert compile $folder/crash.cl ${*:---emit ptx} >$folder/out 2>$folder/errors
	}
	compile_planted plant_segv
	[ $? = 1 ] || fail "a crash of the compiler's: not exit code 1"
	grep -q "crash.cl: the compiler crashed: " $folder/errors || fail "a crash of the compiler's: it is not told"
	[ ! -s $folder/out ] || fail "a crash of the compiler's: something on stdout"
	compile_planted plant_segv --json
	[ $? = 1 ] || fail "a crash of the compiler's, as JSON: not exit code 1"
	grep -q '"failure": ".*crash.cl: the compiler crashed: ' $folder/out && tail -n 1 $folder/out | grep -qx '}' ||
		{ fail "a crash of the compiler's: no JSON of it"; cat $folder/out; }
	compile_planted plant_optimised || fail "a crash where libnvvm optimises: not built"
	grep -q "compiled again without optimization" $folder/errors || fail "not optimised: it is not told"
	grep -q "entry plant_optimised" $folder/out || fail "not optimised: no kernel"
	# The optimised code stores before it computes what.  It is looked at from sm_100 on.
	stores_early()
	{
		grep -A 1 'st\.global' $folder/out | grep -q 'mov\.'
	}
	compile_planted plant_early --emit ptx --arch sm_90 || fail "computed too late: not built for sm_90"
	stores_early || fail "computed too late: libnvvm-fault.so has not changed the code"
	compile_planted plant_early --emit ptx --arch sm_100 || fail "computed too late: not built"
	grep -q "reads the register %r[0-9]* of plant_early before it is computed; compiled without optimization" \
		$folder/errors || { cat $folder/errors; fail "computed too late: it is not told"; }
	! stores_early || fail "computed too late: that is the code"
	compile_planted plant_early_refused --emit ptx --arch sm_100 &&
		fail "computed too late, and refused without optimization: built"
	[ -s $folder/out ] && fail "computed too late, and refused without optimization: code"
	grep -q "of plant_early_refused before it is computed" $folder/errors ||
		fail "computed too late, and refused without optimization: it is not told"
fi
# What never ends is given up, and wants no more memory than it may have.
if [ -f tests/stress/libnvvm-fault.so ] && [ -f "$CULVERT_LIBNVVM" ]; then
	started=$(date +%s)
	CULVERT_COMPILER_TIMEOUT=2 compile_planted plant_hang
	[ $? = 1 ] || fail "a compiler that hangs: not exit code 1"
	[ $(($(date +%s) - started)) -lt 30 ] || fail "a compiler that hangs: waited for longer than 2 seconds"
	grep -q "did not finish within 2 seconds" $folder/errors || fail "a compiler that hangs: it is not told"
fi
if [ -z "$SANITIZER_RUNTIME" ]; then
	echo 'constant int a[] = {[0 ... 2000000000] = 3}; kernel void k(global int *p) { *p = a[*p]; }' >$folder/large.cl
	CULVERT_COMPILER_MEMORY=300M ./culvert compile $folder/large.cl 2>$folder/errors
	[ $? = 1 ] || fail "too much memory: not exit code 1"
	grep -q "300 MiB (CULVERT_COMPILER_MEMORY)" $folder/errors || fail "too much memory: it is not told"
fi
exit $failed
