#!/bin/sh
# Protects: who may call whom among the files of a room.  Files that call each other in a circle
# (the strongly connected components of what nm shows of their objects) can only be understood
# together.  Each such component stands in components.list; one that is new or has grown fails,
# and so does a list that allows more than there is, so that it can only shrink.
srcdir=${srcdir:-.}
list=$srcdir/tests/components.list
NM=${NM:-nm}

symbols() {
	for archive in icd/libicd.a icd/compile/libcompile.a frontend/libfrontend.a backend/libbackend.a cache/libcache.a base/libbase.a; do
		$NM -A -P -g $archive | sed 's|^\([a-z]*\)/[^[]*\[\([^]]*\)\.o\(bj\)*\]: |\1/\2 |'
	done
	for archive in softcuda/ptx/libptx.a softcuda/exec/libexec.a softcuda/check/libcheck.a softcuda/driver/libdriver.a softcuda/jit/libjit.a; do
		$NM -A -P -g $archive | sed 's|/lib[a-z]*\.a\[lib[a-z]*_a-\([^]]*\)\.o\]: |/\1 |'
	done
	# The calls are no archive: its objects, but for those whose source is gone.
	set --
	for object in softcuda/calls/libculvert_softcuda_so-*.o; do
		name=${object##*_so-}
		[ ! -f "$srcdir/softcuda/calls/${name%.o}.c" ] || set -- "$@" "$object"
	done
	$NM -A -P -g "$@" | sed 's|^[^:]*_so-\([^:]*\)\.o: |softcuda/calls/\1 |'
}
all=$(symbols 2>&1)
case $all in
*__gnu_lto* | *__asan_* | *__tsan_* | *__ubsan_* | *__msan_*)
	echo "objects of link-time optimisation or of sanitizers do not show the calls of the source"
	exit 77
	;;
esac
if [ "$(printf '%s\n' "$all" | grep -c ' T ')" -lt 500 ]; then
	echo "$NM does not show the symbols of these objects"
	exit 77
fi

printf '%s\n' "$all" | awk -v list="$list" '
	# What softcuda defines is a library of its own: of names that both have it means its own.
	function space(object) { return object ~ /^softcuda\// ? "soft" : "main" }
	{
		object = $1
		sub("/lib[a-z]*_a-", "/", object)
		objects[object]
		if ($3 ~ /^[TDBRSGCi]$/)
			owner[space(object), $2] = object
		else if ($3 == "U")
			needs[object] = needs[object] " " $2
	}
	# The objects that one object reaches, itself among them only through others.
	function reach(from, edges, seen,    waiting, head, tail, count, names, i) {
		waiting[tail++] = from
		while (head < tail) {
			count = split(edges[waiting[head++]], names, " ")
			for (i = 1; i <= count; i++)
				if (!(names[i] in seen)) {
					seen[names[i]]
					waiting[tail++] = names[i]
				}
		}
	}
	function sorted(set,    count, names, name, i, j, text) {
		for (name in set)
			names[++count] = name
		for (i = 2; i <= count; i++) {
			name = names[i]
			for (j = i - 1; j > 0 && names[j] > name; j--)
				names[j + 1] = names[j]
			names[j + 1] = name
		}
		for (i = 1; i <= count; i++)
			text = text (i > 1 ? " " : "") names[i]
		return text
	}
	function forget(set,    name) { for (name in set) delete set[name] }
	function size(text,    names) { return split(text, names, " ") }
	# The calls within a component, which say where it can be cut.
	function show(component,    names, count, i, j, inside, wanted, to) {
		count = split(component, names, " ")
		for (i = 1; i <= count; i++)
			inside[names[i]]
		for (i = 1; i <= count; i++)
			for (j = split(needs[names[i]], wanted, " "); j > 0; j--) {
				to = owner[space(names[i]), wanted[j]]
				if (to != names[i] && to in inside)
					print "    " names[i] " calls " wanted[j] " of " to
			}
	}
	END {
		for (object in objects)
			for (i = split(needs[object], wanted, " "); i > 0; i--) {
				to = owner[space(object), wanted[i]]
				if (to && to != object) {
					calls[object] = calls[object] " " to
					callers[to] = callers[to] " " object
				}
			}
		for (object in objects) {
			if (object in placed)
				continue
			forget(down); forget(up); forget(both)
			reach(object, calls, down)
			reach(object, callers, up)
			for (other in down)
				if (other in up) {
					both[other]
					placed[other]
				}
			component = sorted(both)
			if (component)
				found[component]
		}
		# A line that begins with a blank goes on with the component of the line before.
		while ((getline line < list) > 0) {
			if (line ~ /^#/ || line !~ /[^ \t]/)
				continue
			if (line !~ /^[ \t]/ && entry) {
				allowed[entry]
				entry = ""
			}
			entry = entry " " line
		}
		if (entry)
			allowed[entry]
		for (entry in allowed) {
			forget(both)
			for (i = split(entry, names, " "); i > 0; i--)
				both[names[i]]
			known[sorted(both)]
		}
		for (component in found)
			print size(component) " files call each other in a circle: " component
		for (component in found)
			if (!(component in known)) {
				print "new or changed: " component
				show(component)
				failed = 1
			}
		for (component in known)
			if (!(component in found)) {
				print list " allows what is not there any more: " component
				failed = 1
			}
		exit failed
	}'
