#!/bin/sh
# Protects: HACKING.md's map of the source.  Each line "FILE FUNCTION what it does" of its routes names a file that
# defines the function, and a function that a file further up the route names: otherwise nothing there calls it, and
# the route is wrong.  That is not asked of the first function of a route, nor of the first one after a line that
# begins with "--" (another process or library).  Each folder of the product is listed.
srcdir=${srcdir:-.}
cd "$srcdir" || exit 2
failed=0

complain() {
	echo "HACKING.md: $*"
	failed=1
}

lines=0
above=
while read -r file function _; do
	case $file in
	start)
		above= entry=true
		continue
		;;
	--)
		entry=true
		continue
		;;
	esac
	lines=$((lines + 1))
	if [ ! -f "$file" ]; then
		complain "there is no $file"
		continue
	fi
	grep -qE "^([A-Za-z_][A-Za-z0-9_ ]*[ *])?$function\(" "$file" || complain "$file does not define $function"
	# Its own file may be the caller's; then it names the function outside the definition, too.
	if ! $entry && ! grep -hwF "$function" $above | grep -qvE "^([A-Za-z_][A-Za-z0-9_ ]*[ *])?$function\("; then
		complain "no file above $file on its route names $function"
	fi
	above="$above $file" entry=false
done <<END
$(awk '/^```/ { inside = !inside; if (inside) print "start"; next } inside' HACKING.md)
END
[ "$lines" -ge 30 ] || complain "only $lines lines of routes were found"

for folder in base frontend backend cache softcuda tools tests icd/*/; do
	grep -qF "\`${folder%/}/\`" HACKING.md || complain "$folder is in no table"
done
exit $failed
