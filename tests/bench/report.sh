#!/bin/sh
# Protects: what is made of a run: medians, ratios, aims, pictures; and that docs/performance.md
# is what the committed runs give.
here=${srcdir:-.}/tests/bench
docs=${srcdir:-.}/docs
out=report-test.$$
mkdir "$out" || exit 2
trap 'rm -rf "$out"' EXIT
fail() {
	echo "$*"
	exit 1
}

# Three rounds by hand: Culvert by CUDA is 2/4, 6/4, 3/3: a median of 1, where the medians' ratio
# would be 3/4.  NVIDIA's died in the second.
cat >"$out/run.json" <<'END'
{"machine": {"cores": 4, "system": "Linux", "date": "2026-01-02"}, "mode": "full", "rounds": 3,
 "sides": {"nvidia": {"platform": "N", "device": "GPU & <Co>", "driver": "1"},
           "culvert": {"platform": "Culvert", "device": "GPU & <Co>", "driver": "2"},
           "cuda": {"platform": "CUDA", "device": "GPU & <Co>", "driver": "3"}},
 "failures": [],
 "rows": [
{"group": "launch", "name": "launch and finish", "unit": "us", "better": "lower", "skipped": {},
 "sides": {"culvert": {"rounds": [2, 6, 3], "low": 1, "high": 9},
           "nvidia": {"rounds": [8, null, 12], "low": 8, "high": 12},
           "cuda": {"rounds": [4, 4, 3], "low": 3, "high": 5}}},
{"group": "launch", "name": "enqueue to callback", "unit": "us", "better": "lower", "skipped": {},
 "sides": {"culvert": {"rounds": [9, 9, 9], "low": 9, "high": 9},
           "nvidia": {"rounds": [10, 10, 10], "low": 10, "high": 10}}},
{"group": "launch", "name": "launches", "unit": "k/s", "better": "higher",
 "skipped": {"nvidia": "no such queue"},
 "sides": {"culvert": {"rounds": [300], "low": 300, "high": 300},
           "cuda": {"rounds": [400], "low": 400, "high": 400}}},
{"group": "overlap", "name": "the longest part alone", "unit": "ms", "better": "lower", "skipped": {},
 "sides": {"culvert": {"rounds": [4], "low": 4, "high": 4}, "cuda": {"rounds": [5], "low": 5, "high": 5}}},
{"group": "overlap", "name": "3 queues by role", "unit": "ms", "better": "lower", "skipped": {},
 "sides": {"culvert": {"rounds": [5], "low": 5, "high": 5}, "cuda": {"rounds": [6], "low": 6, "high": 6}}},
{"group": "scale", "name": "an event, 1", "unit": "us", "better": "lower", "skipped": {},
 "sides": {"culvert": {"rounds": [1], "low": 1, "high": 1}}},
{"group": "scale", "name": "an event, 1000000", "unit": "us", "better": "lower", "skipped": {},
 "sides": {"culvert": {"rounds": [2], "low": 2, "high": 2}}}
]}
END
$PYTHON3 "$here/report" "$out/run.json" --write "$out/page.md" || fail "no document"
has() { grep -qF -- "$1" "$out/page.md" || { cat "$out/page.md"; fail "not in the document: $1"; }; }
has '| launch and finish | us ↓ | 4.00 | 3.00 | 10.0 | 1.00 (0.50–1.50) | 0.25 |'
has '| enqueue to callback | us ↓ | – | 9.00 | 10.0 | – | 0.90 |'
has '| launches | k/s ↑ | 400 | 300 | – | 0.75 | – |'
has '| time to launch and finish, relative to CUDA | ≤ 1.03 | 1.00 | met |'
has '| time from enqueue to callback, relative to NVIDIA | ≤ 0.80 | 0.90 | **missed** |'
has '| launches, one thread, relative to CUDA | ≥ 0.97 | 0.75 | **missed** |'
has '| time from user event to finish, relative to NVIDIA | ≤ 0.70 | – | not measured |'
has '| 3 queues by role | 1.20 | 1.25 |'
has "Not measured on NVIDIA's OpenCL (no such queue): launches."
has '![an-event](page/an-event.svg)'
has '![launch](page/launch.svg)'
grep -q '>0.75</text>' "$out/page/launch.svg" || fail "the picture has no bar of 0.75"
# A bar beyond the scale has a mark.
$PYTHON3 - "$here" <<'END' || fail "a bar that leaves the scale has no mark, or another has one"
import sys
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
import picture
assert sum("#ffffff" in part for part in picture.bar(0, [picture.MOST * 2], "#000000")) == 2
assert not any("#ffffff" in part for part in picture.bar(0, [picture.MOST], "#000000"))
END
grep -q '<circle' "$out/page/an-event.svg" || fail "the plot has no points"
for picture in "$out"/page/*.svg; do
	$PYTHON3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' "$picture" || fail "$picture"
done
$PYTHON3 "$here/report" "$out/run.json" --check "$out/page.md" || fail "what was written is refused"
echo more >>"$out/page/launch.svg"
! $PYTHON3 "$here/report" "$out/run.json" --check "$out/page.md" >"$out/said" || fail "a changed picture passes"
grep -q 'launch.svg is not what the runs give' "$out/said" || fail "the changed picture is not named"

# A platform that only an earlier run of a group had: a table of its own, of the rows that it has.
sed -e 's/"nvidia"/"pocl"/; s/\[9, 9, 9\]/[8, 8, 8]/; s/"group": "overlap"/"group": "alloc"/' "$out/run.json" >"$out/earlier.json"
$PYTHON3 "$here/report" "$out/earlier.json" "$out/run.json" --write "$out/page.md" || fail "no document of two"
has '| launch and finish | us ↓ | 4.00 | 3.00 | 10.0 | 1.00 (0.50–1.50) | 0.25 |'
has 'Compared with PoCL, in another run:'
has '| what | unit | Culvert | PoCL | Culvert / PoCL |'
has '| enqueue to callback | us ↓ | 8.00 | 10.0 | 0.80 |'
[ "$(grep -c 'Compared with' "$out/page.md")" = 1 ] || fail "more than one table beside PoCL"
[ "$(grep -c '^| launches |' "$out/page.md")" = 1 ] || fail "a row that PoCL has not, beside PoCL"
# One run of several.
$PYTHON3 "$here/report" "$out/earlier.json" "$out/run.json" --join "$out/joined.json" || fail "no joined run"
grep -c '"group": "launch"' "$out/joined.json" | grep -qx 3 || fail "not the last run's launches alone"
grep -c '"group": "alloc"' "$out/joined.json" | grep -qx 2 || fail "a group of the first run is missing"

# What the last run had no means for is an earlier one's.
$PYTHON3 - "$out" <<'END' || exit 1
import json, sys
run = json.load(open(sys.argv[1] + "/run.json"))
for row in run["rows"]:
    if row["name"] == "launches":
        row["sides"], row["skipped"] = {}, {"culvert": "no such GPU"}
json.dump(run, open(sys.argv[1] + "/fewer.json", "w"))
END
$PYTHON3 "$here/report" "$out/run.json" "$out/fewer.json" --join "$out/joined.json" || fail "no joined run"
grep '"name": "launches"' "$out/joined.json" | grep -q 400 || fail "an earlier run's row is lost"

# A program that died in the middle leaves the rows that it had finished.
$PYTHON3 - "$here" <<'END' || fail "an output that is cut off"
import sys
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
import figures
row = '{"group": "g", "name": "n%d", "unit": "us", "better": "lower", "value": 1, "low": 1, "high": 1}'
text = '{"bench": "g", "platform": "P", "device": "D", "driver": "1", "rows": [\n' + row % 1 + ",\n" + row % 2
assert [r["name"] for r in figures.parse(text + ',\n{"gro')["rows"]] == ["n1", "n2"]
assert len(figures.parse(text + "\n]}\n")["rows"]) == 2
assert figures.parse("no such platform") is None
run = figures.Run({}, "full")
run.add("culvert", figures.parse(text), 1)
assert run.rows[("g", "n1")]["sides"]["culvert"]["rounds"] == [None, 1]
assert figures.value(run.rows[("g", "n1")], "culvert") == 1
import importlib.machinery, importlib.util
loader = importlib.machinery.SourceFileLoader("run", sys.argv[1] + "/run")
runner = importlib.util.module_from_spec(importlib.util.spec_from_loader("run", loader))
loader.exec_module(runner)
twins = runner.twins_rows
text = '{"twins": [\n  {"name": "a", "ours_us": 2, "nvcc_us": 4},\n  {"name": "b", "ours_us": 3, "nvcc_us": 5}'
for cut in (",\n  {\"na", "\n], \"count\": 2}\n"):
    ours, cuda = twins(text + cut)
    assert [row["value"] for row in ours] == [2, 3] and [row["value"] for row in cuda] == [4, 5]
assert twins("") == [[], []]
END

# The committed document.
set -- "$here"/results/*.json
[ -f "$1" ] || exit 0
$PYTHON3 "$here/report" "$@" --check "$docs/performance.md"
