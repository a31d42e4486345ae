#!/bin/sh
# Protects: the bench programs, their CUDA twins, and the runners, on software devices: every
# group runs and gives the rows that its twin gives, platforms take turns, and what fails is
# told.
here=${srcdir:-.}/tests/bench
# The PTX of the CUDA twins is that of the toolkit, which an older driver does not know.
[ -z "${CULVERT_SOFT_DRIVER:-}" ] || { echo "the twins need the toolkit's driver"; exit 77; }
out=bench-test.$$
mkdir "$out" || exit 2
trap 'rm -rf "$out"' EXIT
BENCH_CUDA=$PWD/libculvert-softcuda.so
export BENCH_CUDA
run="$PYTHON3 $here/run --build . --tiny --as-built"
fail() {
	echo "$*"
	cat "$out"/log
	exit 1
}

# Every group.  Two devices: copies between them, and a job that they share.
cuda=
[ ! -f tests/bench/kernels.ptx ] || cuda=--cuda
groups=launch,transfer,overlap,kernels,matrix,half,alloc,devices,scale
CULVERT_SOFT_DEVICES=2 $run --platforms culvert $cuda --groups $groups --out "$out/all" 2>"$out/log" ||
	fail "a group failed"
$PYTHON3 - "$out/all" $groups $cuda <<'END' || fail "the results are not whole"
import json, os, sys
import xml.dom.minidom
folder, cuda = sys.argv[1], "--cuda" in sys.argv
data = json.load(open(folder + "/results.json"))
missing = [row["name"] for row in data["rows"]
           if not ("culvert" in row["sides"] or "culvert" in row["skipped"])
           or cuda and not ("cuda" in row["sides"] or "cuda" in row["skipped"])]
assert not missing, missing
groups = {row["group"] for row in data["rows"]}
assert groups == set(sys.argv[2].split(",")), groups
skipped = {row["name"] for row in data["rows"] if "culvert" in row["skipped"]}
assert skipped <= {"a job shared by 4", "copies from each of 4 to the next, 256 MiB"}, skipped
table = open(folder + "/table.md").read()
assert all(row["name"] in table for row in data["rows"] if row["sides"])
pictures = [name for name in os.listdir(folder) if name.endswith(".svg")]
assert bool(pictures) == cuda, pictures
for name in pictures:
    xml.dom.minidom.parse(os.path.join(folder, name))
END

# The program that compares ways to bring tiles to local memory verifies what they compute.
tests/run-with-culvert tests/bench/bench_copies --tiny >"$out/copies" 2>"$out/log" || fail "bench_copies failed"
[ "$(grep -c '"value"' "$out/copies")" -eq 10 ] || fail "bench_copies has other rows than it should"

# The software device beside PoCL and Oclgrind, where they are: the table has a row for the program, and its mean.
if [ -z "${SANITIZER_RUNTIME:-}" ]; then
	$PYTHON3 $here/soft --build . --tiny --rounds 1 --only "stream, triad" >"$out/soft" 2>"$out/log" || fail "soft failed"
	grep -q '^| stream, triad | [0-9.]* | [0-9.]* |' "$out/soft" || fail "soft's table has no row for the program"
fi

# In turn: a round of each before the next.  A sanitizer would report PoCL's own faults.
second=pocl
[ -z "${SANITIZER_RUNTIME:-}" ] || second=again=$PWD/libculvert.so
$run --platforms culvert,missing,$second --groups alloc,cache --rounds 2 --out "$out/two" 2>"$out/log" ||
	fail "the second platform failed"
if grep -q '^pocl: not there' "$out/log"; then
	echo "PoCL is not installed: taking turns was not tried"
else
	turns=$(sed -n 's/^alloc on \([a-z]*\):.*/\1/p' "$out/log" | tr '\n' ' ')
	[ "$turns" = "culvert ${second%%=*} culvert ${second%%=*} " ] || fail "the turns: $turns"
	grep -q '"rounds": 2' "$out/two/results.json" || fail "not two rounds"
	# What looks inside Culvert is not asked of others.
	grep '"group": "cache"' "$out/two/results.json" >"$out/cache"
	grep -q '100 KiB' "$out/cache" || fail "the cache was not measured"
	grep -q "\"${second%%=*}\": {" "$out/cache" && fail "the cache was measured on another platform"
fi
grep -q '^missing: not there, left out' "$out/log" || fail "a platform that is not there was not told"

# A platform that cannot be loaded fails the run.
if $run --platforms culvert,broken=/nonexistent/libbroken.so --groups alloc --out "$out/bad" 2>"$out/log"; then
	fail "a program that failed was not told"
fi
grep -q '^FAILED alloc on broken: status 1' "$out/log" || fail "another failure than was planted"

# A platform by the file that names it, and a program that takes too long.
echo "$PWD/libculvert.so" >"$out/other.icd"
other=other=$PWD/$out/other.icd
$run --platforms "$other" --groups alloc --out "$out/named" 2>"$out/log" || fail "a platform that an .icd file names"
grep -q '"other": {"rounds"' "$out/named/results.json" || fail "its rows are not there"
if $run --platforms "$other" --groups alloc --each 0.001 --out "$out/late" 2>"$out/log"; then
	fail "a program that takes too long was not told"
fi
grep -q '^FAILED alloc on other: more than 0.001 s' "$out/log" || fail "another failure than a late program"
