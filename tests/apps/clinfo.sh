#!/bin/sh
# Protects: clinfo, unchanged from the distribution: every query that it makes is
# answered, nothing is printed besides, two runs agree, for 0, 1 and 4 devices.
command -v clinfo >/dev/null || { echo "clinfo is not installed"; exit 77; }
folder=$(mktemp -d) || exit 2
trap 'rm -rf $folder' EXIT
foreign=${srcdir:-.}/tests/apps/foreign
failed=0
runs=0
wrong=0
fail() {
	echo "$@"
	failed=1
}
# With a GPU the number of devices is its own affair.
counts="0 1 4"
[ "$CULVERT_CUDA" = soft ] || counts=any
for count in $counts; do
	[ $count = any ] || { CULVERT_SOFT_DEVICES=$count; export CULVERT_SOFT_DEVICES; }
	for form in --raw --human; do
		runs=$((runs + 1))
		before=$failed
		failed=0
		$foreign clinfo $form >$folder/first 2>$folder/errors || fail "clinfo $form failed with $count devices"
		[ ! -s $folder/errors ] || { fail "clinfo $form printed with $count devices:"; cat $folder/errors; }
		if grep -nE 'error -?[0-9]+|<get' $folder/first; then
			fail "clinfo $form found queries that were not answered, with $count devices"
		fi
		wrong=$((wrong + failed))
		[ $before = 0 ] || failed=1
	done
	$foreign clinfo --raw >$folder/first 2>/dev/null
	$foreign clinfo --raw >$folder/second 2>/dev/null
	cmp -s $folder/first $folder/second || { fail "two runs differ:"; diff $folder/first $folder/second; }
	seen=$(grep -c 'CL_DEVICE_NAME' $folder/first)
	[ $count != any ] || [ "$seen" -gt 0 ] || { fail "clinfo shows no device"; wrong=$runs; }
	[ $count = any ] || [ "$seen" = $count ] || { fail "clinfo shows $seen devices, not $count"; wrong=$runs; }
done
device=$(sed -n 's/^\[.*CL_DEVICE_NAME  *//p' $folder/first | head -n 1)
version=$(clinfo --version | sed -n 's/.*version *//p')
echo "clinfo $version on ${device:-no device}: $((runs - wrong)) of $runs outputs right"
exit $failed
