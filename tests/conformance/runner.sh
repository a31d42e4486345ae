#!/bin/sh
# Protects tests/conformance/run: that each way a conformance test can end is told apart,
# that one ending never takes the rest along, and that what got worse is found.  The
# tests here are shell scripts with the CTS's command line; no CTS is needed.
set -u
here=${srcdir:-.}/tests/conformance
PYTHON3=${PYTHON3:-python3}
"$PYTHON3" -c 'import ctypes' 2>/dev/null || { echo "no python3"; exit 77; }
# An OpenCL library with a sanitizer in it cannot be loaded by a program without.
[ -z "${SANITIZER_RUNTIME:-}" ] || { echo "skipped: a sanitizer"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0
check() { # check TEXT COMMAND...
	text=$1
	shift
	"$@" || { echo "FAIL: $text"; failed=1; }
}

mkdir -p "$work/cts/test_conformance/basic" "$work/cts/test_conformance/other"
cat >"$work/cts/test_conformance/basic/test_basic" <<'END'
#!/bin/sh
[ "$1" != --list ] || { printf '\tgood\n\tbad\n\tnothing\n\tdies\n\thangs\n\tsilent\n'; exit 0; }
say() { echo "{\"results\":{\"$1\":\"$2\"}}" >"$CL_CONFORMANCE_RESULTS_FILENAME"; }
echo "run $*" >>"$COUNT"
case $1 in
good) echo "${CUDA_VISIBLE_DEVICES:-} $(sed -n 's/^Cpus_allowed_list:.//p' /proc/self/status)" >"$COUNT.place"
	say good pass && [ -n "${CL_WIMPY_MODE:-}" ] && echo "$CL_WIMPY_MODE" >"$COUNT.wimpy" ;;
bad) [ -n "${MENDED:-}" ] && say bad pass || { say bad fail; exit 1; } ;;
nothing) say nothing skip ;;
dies) kill -SEGV $$ ;;
hangs) sleep 600 ;;
silent) exit 3 ;;
esac
END
cat >"$work/cts/test_conformance/other/test_other" <<'END'
#!/bin/sh
[ "$1" != --list ] || { printf '\tone\n'; exit 0; }
[ "$*" = "single 5 one" ] && echo '{"results":{"one":"pass"}}' >"$CL_CONFORMANCE_RESULTS_FILENAME"
[ "$1" = small_images ] && [ "$2" = one ] && echo '{"results":{"one":"pass"}}' >"$CL_CONFORMANCE_RESULTS_FILENAME"
END
cat >"$work/cts/test_conformance/other/test_conversions" <<'END'
#!/bin/sh
[ "$1" != --list ] || { printf '\tconversions\n'; exit 0; }
echo "$*" >>"$COUNT.parts"
[ "$*" = "53 53" ] && [ -n "${BAD:-}" ] && { echo '{"results":{"conversions":"fail"}}' >"$CL_CONFORMANCE_RESULTS_FILENAME"; exit 1; }
[ "$*" != "106 53" ] || [ -z "${LONG:-}" ] || sleep 60
echo '{"results":{"conversions":"pass"}}' >"$CL_CONFORMANCE_RESULTS_FILENAME"
END
cat >"$work/cts/test_conformance/other/test_words" <<'END'
#!/bin/sh
[ "$1" != --list ] || { printf '\tone\n\tint\n'; exit 0; }
[ "$*" = "read int" ] && echo '{"results":{"int":"pass"}}' >"$CL_CONFORMANCE_RESULTS_FILENAME"
END
cat >"$work/cts/test_conformance/other/test_bruteforce" <<'END'
#!/bin/sh
[ "$1" != --list ] || { printf '\thalf_sin\n\tmath_edge_cases\n\tsin\n'; exit 0; }
echo "$*" >>"$COUNT.math"
for name; do :; done
echo "{\"results\":{\"$name\":\"pass\"}}" >"$CL_CONFORMANCE_RESULTS_FILENAME"
END
echo 'Words,other/test_words read int' >"$work/words.csv"
echo 'Math,other/test_bruteforce' >"$work/math.csv"
echo 'Basic,basic/test_basic nothing g*' >"$work/order.csv"
echo 'Conversions,other/test_conversions' >"$work/long.csv"
chmod +x "$work"/cts/test_conformance/*/test_*
cat >"$work/list.csv" <<'END'
# a list
Basic,basic/test_basic
Other,other/test_other small_images
All,other/test_other single 5 all
CL_DEVICE_TYPE_CPU, Processors,other/test_other
OpenCL-GL Sharing,gl/test_gl
Absent,absent/test_absent
END
export COUNT="$work/count"
run() {
	timeout 120 "$PYTHON3" "$here/run" --cts "$work/cts" --build . --list "$work/list.csv" --out "$work/out" --timeout 2 \
		--jobs 2 "$@" >"$work/log" 2>&1
}
has() { grep -q -- "$1" "$work/log"; }
result() { # result TEST STATUS
	"$PYTHON3" - "$work/out/results.json" "$1" "$2" <<'END'
import json, sys
seen = {r['test']: r['status'] for r in json.load(open(sys.argv[1]))['results']}
sys.exit(0 if seen.get(sys.argv[2]) == sys.argv[3] else 'seen: %r' % seen)
END
}

run
check "status 1 as something failed" [ $? -eq 1 ]
check "a pass" result test_basic/good pass
check "a failure" result test_basic/bad fail
check "a skipped one" result test_basic/nothing skip
check "a crash is named by its signal" result test_basic/dies crash:SIGSEGV
check "a hang" result test_basic/hangs timeout
check "an exit without results" result test_basic/silent error:3
check "options before the sub-test" result 'test_other small_images/one' pass
check "all is every sub-test, each by its name" result 'test_other single 5/one' pass
check "a program that is not there" result 'test_absent/*' missing
check "lines for CPUs are left out with the reason" has 'left out: Processors: required of CPU'
check "left-out.txt is obeyed" has 'left out: OpenCL-GL Sharing: opens a window'
check "JUnit counts" grep -q 'name="Basic" tests="6" failures="4" skipped="1"' "$work/out/junit.xml"
check "the table's sum" has '^total  *3  *1  *1  *1  *1  *2 '

run --resume
check "--resume runs nothing twice" [ "$(wc -l <"$COUNT")" -eq 6 ]
head -n 3 "$work/out/results.jsonl" >"$work/part" && printf '{"line": "Bas' >>"$work/part"
mv "$work/part" "$work/out/results.jsonl"
run --resume
check "--resume after a kill runs the rest" result test_basic/silent error:3

run --list "$work/words.csv"
check "a sub-test that has another program's option as its name" result 'test_words read/int' pass
check "and it alone" has '^1 sub-tests of words.csv'

run --filter 'test_basic/good'
mv "$work/out" "$work/earlier"
before=$(wc -l <"$COUNT")
run --filter 'test_basic/[gb]*' --take "$work/earlier"
check "--take counts what passed in an earlier run" result test_basic/good pass
check "and runs only the rest" [ "$(wc -l <"$COUNT")" -eq $((before + 1)) ]
run --filter 'test_basic/bad' --take "$work/out"
check "what failed there runs again" [ "$(wc -l <"$COUNT")" -eq $((before + 2)) ]
run --take "$work/nothing"
check "--take of no run is wrong usage" [ $? -eq 2 ]

run --filter 'test_basic/[gb]*' --write-expected "$work/seen"
before=$(wc -l <"$COUNT")
run --filter 'test_basic/[gb]*' --take "$work/seen"
check "--take counts what passed by a table" [ "$(wc -l <"$COUNT")" -eq $((before + 1)) ]
run --list "$work/order.csv" --jobs 1
check "sub-tests run in the order that their line names them" \
	[ "$(tail -n 2 "$COUNT")" = "$(printf 'run nothing\nrun good')" ]

core=$(sed -n 's/^Cpus_allowed_list:.\([0-9]*\).*/\1/p' /proc/self/status)
run --filter 'test_basic/good' --place "5:$core-$core"
check "--place: the GPU and the cores" [ "$(cat "$COUNT.place")" = "5 $core" ]
run --place 5
check "--place without cores is wrong usage" [ $? -eq 2 ]
run --place 5:100000-100000
check "and with cores that are not there" [ $? -eq 2 ]

run --filter 'test_basic/hangs' --total 1 --timeout 60
check "the whole run's time cuts a test short" [ $? -eq 1 ]
check "what it cut is not run, and no timeout" has 'not run, the time was up: 1 '
check "and says nothing of the test" sh -c '! grep -q hangs "$1/results.json"' - "$work/out"

run --filter 'test_basic/good'
check "--filter, and status 0 as nothing failed" [ $? -eq 0 ]
run --write-expected "$work/expected"
run --expect "$work/expected"
check "as expected" [ $? -eq 0 ]
# From here on without the one that hangs until its time is up, which has been expected above.
others() { run --filter 'test_basic/[!h]*' --filter test_other "$@"; }
export MENDED=1
others --expect "$work/expected"
check "better is not worse" [ $? -eq 0 ]
check "better is said" has 'better: test_basic/bad: pass, expected fail'
others --write-expected "$work/expected"
unset MENDED
others --expect "$work/expected"
check "worse makes it fail" [ $? -eq 1 ]
check "worse is said" has 'WORSE: test_basic/bad: fail, expected pass'
cp "$work/out/results.json" "$work/a.json"
sed 's/"fail"/"pass"/' "$work/a.json" >"$work/b.json"
check "compare shows where two differ" sh -c '"$1" "$2" "$3" "$4" | grep -q "^test_basic/bad  *fail  *pass"' - \
	"$PYTHON3" "$here/compare" "$work/a.json" "$work/b.json"
run --platform 'none of this name'
check "a platform that is not there is wrong usage" [ $? -eq 2 ]
check "and those that are there are named" has 'there are: .*Culvert'
cp "$work/list.csv" "$work/cts/test_conformance/opencl_conformance_tests_full.csv"
run --list full --platform culv --filter 'test_basic/good'
check "the CTS' own list, and a platform by a part of its name" has '^1 sub-tests of .*_full.csv on Culvert'
rm "$COUNT"
run --slice 1/2 --filter 'test_basic/[gbn]*' --wimpy
check "a slice is every second" [ "$(sort "$COUNT")" = "$(printf 'run good\nrun nothing')" ]
check "the reduced mode" [ "$(cat "$COUNT.wimpy")" = 1 ]

run --list "$work/long.csv"
check "without --parts one process" [ "$(cat "$COUNT.parts")" = "" ]
rm "$COUNT.parts"
run --list "$work/long.csv" --parts
check "in parts, and passed" result test_conversions/conversions pass
check "each part once" [ "$(sort -u "$COUNT.parts" | wc -l) $(wc -l <"$COUNT.parts")" = "20 20" ]
check "parts count as one" has '^total  *1  *[.0] '
BAD=1 run --list "$work/long.csv" --parts
check "a part that fails fails it" result test_conversions/conversions fail
LONG=1 run --list "$work/long.csv" --parts
check "a part that hangs makes it a timeout" result test_conversions/conversions timeout
LONG=1 run --list "$work/long.csv" --parts --total 1 --timeout 60
check "with a part that has not run there is no result" sh -c '! grep -q test_conversions "$1"' - "$work/out/results.json"

run --list "$work/math.csv"
check "math is one process without --parts" [ "$(sort "$COUNT.math" | tr '\n' ' ')" = "half_sin math_edge_cases sin " ]
rm "$COUNT.math"
run --list "$work/math.csv" --parts
check "a part for each precision that a function has" [ "$(sort "$COUNT.math")" = "$(
	LC_ALL=C.UTF-8 printf '%s\n' '-d -g -r half_sin' '-d -g -r sin' '-f -d -g sin' '-f -d -r sin' '-f -g -r sin' \
		math_edge_cases | sort)" ]
check "and a result for each function" result test_bruteforce/sin pass
rm "$COUNT.math"
run --list math --jobs 1
check "it has the cheapest precision first" [ "$(head -n 1 "$COUNT.math")" = '-d -g -r half_sin' ]
check "each precision is a result of its own" result 'test_bruteforce -f -d -g/sin' pass
check "all five" has '^total  *5 '

run --list "$work/none.csv"
check "a list that is not there is wrong usage" [ $? -eq 2 ]
[ $failed -eq 0 ] || cat "$work/log"
exit $failed
