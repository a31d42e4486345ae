#!/bin/sh
# Protects: programs in a container that lets nothing be written: a read-only root without a writable /tmp, no home, a user
# without a name, no capability, no network.  Programs are compiled and run, doctor says that nothing is stored, and with a folder
# that can be written, programs are stored there.
command -v bwrap >/dev/null || { echo "skipped: no bwrap (apt install bubblewrap)"; exit 77; }
folder=$(mktemp -d) || exit 99
trap 'rm -rf "$folder"' EXIT
failed=0
# contained WORD... -- COMMAND...: in such a container; the words are bwrap's, before all `--ro-bind / /`.
contained() {
	bwrap --ro-bind / / --dev /dev --proc /proc --unshare-all --uid 4711 --gid 4711 --cap-drop ALL --new-session \
		--chdir "$PWD" --unsetenv HOME --unsetenv XDG_CACHE_HOME --unsetenv CULVERT_CACHE_DIR --unsetenv CULVERT_CACHE --setenv CULVERT_CUDA soft \
		--setenv OCL_ICD_VENDORS "$PWD/vendors" "$@" >"$folder/out" 2>&1
}
contained -- true || { echo "skipped: bwrap cannot make a container here: $(head -n 1 "$folder/out")"; exit 77; }
contained -- sh -c ': >"$1"' sh "$folder/file" && { echo "the root can be written"; exit 1; }
contained -- sh -c ': >/tmp/file' && { echo "/tmp can be written"; exit 1; }

# good WHAT TEXT WORD...: the command succeeds, and says the text.
good() {
	what=$1 text=$2
	shift 2
	contained "$@" || { echo "$what: exit code $?"; cat "$folder/out"; failed=1; }
	grep -qF -e "$text" "$folder/out" || { echo "$what: '$text' is not said:"; cat "$folder/out"; failed=1; }
}
doubled='kernel void doubled(global int *numbers) { numbers[get_global_id(0)] *= 2; }'
echo "$doubled" >"$folder/doubled.cl"
if command -v clinfo >/dev/null; then
	good "clinfo" "Platform #0: Culvert" -- clinfo --list
fi
good "a program" 14 -- ./culvert run "$folder/doubled.cl" --kernel doubled --global 8 --arg range:8
good "a program of tests/api" "" -- tests/api/buffers
good "no home" "no cache folder" -- ./culvert doctor
good "no home" "compiled and ran a kernel correctly" -- ./culvert doctor
good "a home that is not there" "no cache folder" --setenv HOME /nonexistent -- ./culvert doctor
good "a home that cannot be written" "is not writable, so every process compiles again" --setenv HOME / -- ./culvert doctor
good "a program with such a home" 14 --setenv HOME / -- ./culvert run "$folder/doubled.cl" --kernel doubled --global 8 --arg range:8
# The one folder that can be written.
mkdir -m 700 "$folder/cache"
for found in "0 hits" "0 misses"; do
	good "a folder of its own" "$found" --bind "$folder/cache" "$folder/cache" --setenv CULVERT_CACHE_DIR "$folder/cache" \
		--setenv CULVERT_DEBUG info -- ./culvert run "$folder/doubled.cl" --kernel doubled --global 8 --arg range:8
done
exit $failed
