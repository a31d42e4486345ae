#!/bin/sh
# Protects: the pictures of the pages: what scripts/picture draws of a terminal and of a trace, and that each
# picture that is kept is one, and is shown by a page.
here=${srcdir:-.}
[ -x "$PYTHON3" ] || { echo "no Python"; exit 77; }
folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT
failed=0
fail() {
	echo "$@"
	failed=1
}
draw() { "$PYTHON3" "$here/scripts/picture" "$@"; }

# A terminal: colours, bold, what XML would take for its own, a line that is too long, a progress bar.
printf 'a \033[31mred\033[0m <&>\r\n\033[1mbold\033[0m\r\n0123456789ABC\r\n 10 %%\r 99 %%\rdone\r\n' >"$folder/kept"
draw terminal --columns 10 "$folder/kept.svg" - <"$folder/kept" || fail "no picture of a terminal"
# A timeline of two queues; the second begins 10 us after the first, in a window of 40.
cat >"$folder/trace.json" <<'END2'
[{"name": "thread_name", "cat": "track", "ph": "M", "pid": 7, "tid": 101, "args": {"name": "queue 1: a GPU"}},
 {"name": "thread_name", "cat": "track", "ph": "M", "pid": 7, "tid": 102, "args": {"name": "queue 2: a GPU"}},
 {"name": "clFinish", "cat": "call", "ph": "X", "pid": 7, "tid": 7, "ts": 1000, "dur": 60, "args": {}},
 {"name": "WriteBuffer", "cat": "command", "ph": "X", "pid": 7, "tid": 101, "ts": 1010, "dur": 20, "args": {}},
 {"name": "twice", "cat": "command", "ph": "X", "pid": 7, "tid": 102, "ts": 1020, "dur": 30, "args": {}}]
END2
draw timeline "$folder/trace.svg" "$folder/trace.json" || fail "no picture of a trace"
draw timeline --last 10 "$folder/end.svg" "$folder/trace.json" || fail "no picture of the end of a trace"
draw timeline "$folder/again.svg" "$folder/trace.json" && cmp "$folder/trace.svg" "$folder/again.svg" ||
	fail "the same trace gives another picture"
draw timeline "$folder/none.svg" 2>/dev/null && fail "a picture of no trace"
draw sunset "$folder/none.svg" x 2>/dev/null && fail "a picture of a kind that there is none of"
draw terminal "$folder/none.svg" ./no-such-program 2>/dev/null && fail "a picture of no program"
# A trace in which nothing is drawn, or that is none, is told in a line.
refused() {
	what=$1
	shift
	draw timeline "$@" 2>"$folder/said" && fail "a picture of $what"
	[ "$(grep -c '^scripts/picture: ' "$folder/said")" = 1 ] && [ "$(wc -l <"$folder/said")" = 1 ] ||
		fail "$what is not told in a line: $(cat "$folder/said")"
}
echo '[]' >"$folder/empty.json"
head -n 2 "$folder/trace.json" | sed '2s/,$/]/' >"$folder/queues.json"
head -n 3 "$folder/trace.json" >"$folder/half.json"
echo '[{"ph": "X", "name": "twice"}]' >"$folder/poor.json"
refused "a trace without events" "$folder/none.svg" "$folder/empty.json"
refused "a trace of queues alone" "$folder/none.svg" "$folder/queues.json"
refused "half a trace" "$folder/none.svg" "$folder/half.json"
refused "events without times" "$folder/none.svg" "$folder/poor.json"
refused "the time behind the end" --from 1000 "$folder/none.svg" "$folder/trace.json"
refused "no trace" "$folder/none.svg" "$folder/absent.json"
[ ! -e "$folder/none.svg" ] || fail "a mistake leaves a picture"
NO_COLOR= draw terminal "$folder/tool.svg" ./culvert --version || fail "no picture of a command"
"$PYTHON3" - "$folder" "$here" <<'END2' || failed=1
import glob, os, sys
import xml.etree.ElementTree as tree
SVG = "{http://www.w3.org/2000/svg}"
folder, here = sys.argv[1:]


def parts(file, kind):
    return list(tree.parse(file).getroot().iter(SVG + kind))


texts = parts(folder + "/kept.svg", "text")
lines = {}
for text in texts:
    lines[text.get("y")] = lines.get(text.get("y"), "") + text.text
assert list(lines.values()) == ["a red <&>", "bold", "0123456789", "ABC", "done"], lines
assert [t.text for t in texts if t.get("fill") == "#f2777a"] == ["red"]
assert [t.text for t in texts if t.get("font-weight")] == ["bold"]

# In a group each: its tooltip and its rectangle. 40 us are 880 wide.
bars = {g.find(SVG + "title").text: g.find(SVG + "rect") for g in parts(folder + "/trace.svg", "g")}
assert sorted(bars) == ["WriteBuffer, 20.0 us", "clFinish, 60.0 us", "twice, 30.0 us"], sorted(bars)
write, kernel = bars["WriteBuffer, 20.0 us"], bars["twice, 30.0 us"]
assert [float(write.get(k)) for k in ("x", "width")] == [110, 440], write.attrib
assert [float(kernel.get(k)) for k in ("x", "width")] == [330, 660], kernel.attrib
assert float(bars["clFinish, 60.0 us"].get("width")) == 880 and write.get("y") != kernel.get("y")
assert "WriteBuffer, 20.0 us" not in [g.find(SVG + "title").text for g in parts(folder + "/end.svg", "g")]
shown = [t.text for t in parts(folder + "/tool.svg", "text")]
assert shown[0] == "$ culvert --version" and shown[1].startswith("culvert "), shown

pages = "".join(open(page).read() for page in glob.glob(here + "/docs/*.md") + [here + "/README.md"])
kept = glob.glob(here + "/docs/pictures/*.svg")
assert kept, "no picture is kept"
for picture in kept:
    assert len(parts(picture, "text")) > 5, picture
    assert "pictures/" + os.path.basename(picture) in pages, picture + " is on no page"
END2
exit $failed
