#!/bin/sh
# Protects: what tests/apps/survey keeps of the programs: a line with fewer right results is not kept and fails, unless
# --worse asks for it; a program that counted nothing, or said nothing of its results, has not succeeded.
PYTHON3=${PYTHON3:-python3}
command -v "$PYTHON3" >/dev/null || exit 77
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
cp "${srcdir:-.}/tests/apps/survey" "$work/survey" || exit 99
table=$work/table.txt
failed=0

# Programs of the survey, which say what the test wants them to.
says() { # program's file, line, exit code
	printf '#!/bin/sh\necho "%s"\nexit %s\n' "$2" "$3" >"$work/$1"
	chmod +x "$work/$1"
}
survey() {
	"$PYTHON3" "$work/survey" --write "$table" "$@" >"$work/said" 2>&1
}
kept() { # what the table has to say, without the time
	if ! grep -q "^$1, [0-9]* s\$" "$table"; then
		echo "the table has no line '$1':"
		cat "$table" "$work/said"
		failed=1
	fi
}
right() { # survey's arguments
	survey "$@" || { echo "survey $* failed:"; cat "$work/said"; failed=1; }
}
wrong() {
	if survey "$@"; then
		echo "survey $* did not fail:"
		cat "$work/said"
		failed=1
	fi
}

says vkfft.py "VkFFT 1.0 on device: 5 of 6 transforms right" 1
right vkfft
kept "vkfft: VkFFT 1.0 on device: 5 of 6 transforms right"
# Better, and as good with more asked.
says vkfft.py "VkFFT 1.1 on device: 6 of 6 transforms right" 0
right vkfft
says vkfft.py "VkFFT 1.2 on device: 6 of 7 transforms right" 1
right vkfft
kept "vkfft: VkFFT 1.2 on device: 6 of 7 transforms right"
# Worse: fewer right, none counted, no count, an end by a signal.
for line in "VkFFT 1.3 on device: 5 of 5 transforms right" "VkFFT 1.3 on device: 0 of 0 transforms right" \
	"VkFFT 1.3 is lost"; do
	for code in 0 1 139; do
		says vkfft.py "$line" $code
		wrong vkfft
		grep -q "^survey: worse: " "$work/said" || { echo "not said to be worse: $line"; failed=1; }
		kept "vkfft: VkFFT 1.2 on device: 6 of 7 transforms right"
	done
done
# Asked for, a worse line is kept; one that counts nothing says that the program failed.
says vkfft.py "VkFFT 1.4 on device: 4 of 7 transforms right" 1
right --worse vkfft
kept "vkfft: VkFFT 1.4 on device: 4 of 7 transforms right"
says vkfft.py "VkFFT 1.5 on device: 0 of 0 transforms right" 0
right --worse vkfft
if ! grep -q "^vkfft: failed with 0: " "$table"; then
	echo "none of no results is success:"
	cat "$table"
	failed=1
fi
# One that is absent leaves its line; others' lines stay.
says x264.py "x264 1 on device: 2 of 2 checks right" 0
right x264
says x264.py "skipped: no x264" 77
right x264
kept "x264: x264 1 on device: 2 of 2 checks right"
test "$(wc -l <"$table")" -eq 2 || { echo "lines were lost:"; cat "$table"; failed=1; }
exit $failed
