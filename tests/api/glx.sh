#!/bin/sh
# Protects: sharing with OpenGL contexts of GLX, which programs with windows of X11 use: what gl_sharing, gl_order and
# gl_event do with EGL.  A display of its own is started (Xvfb); CULVERT_TEST_GLX_DISPLAY=:0 names another, where
# there is a GPU.
if [ -n "$SANITIZER_RUNTIME" ]; then
	echo "skipped: libraries of X11 keep memory"
	exit 77
fi
folder=$(mktemp -d) || exit 2
server=
trap '[ -z "$server" ] || kill $server; rm -rf $folder' EXIT
if [ -n "$CULVERT_TEST_GLX_DISPLAY" ]; then
	DISPLAY=$CULVERT_TEST_GLX_DISPLAY
else
	command -v Xvfb >/dev/null || { echo "skipped: Xvfb is not installed"; exit 77; }
	mkfifo $folder/number || exit 2
	Xvfb -displayfd 5 -screen 0 320x200x24 -nolisten tcp 5>$folder/number >$folder/server 2>&1 &
	server=$!
	read -r number <$folder/number || { echo "skipped: Xvfb does not start:"; tail -n 5 $folder/server; exit 77; }
	DISPLAY=:$number
fi
export DISPLAY CULVERT_TEST_GL=glx
# A display without a GPU does not name NVIDIA's library.
[ "$CULVERT_CUDA" = soft ] || export __GLX_VENDOR_LIBRARY_NAME=${__GLX_VENDOR_LIBRARY_NAME:-nvidia}
ran=0 failed=0
for test in gl_sharing gl_order gl_event; do
	tests/api/$test >$folder/out 2>&1
	case $? in
	0) ran=$((ran + 1)) ;;
	77) grep -m 1 '^skipped' $folder/out ;;
	*)
		echo "$test fails with GLX:"
		tail -n 20 $folder/out
		failed=1 ;;
	esac
done
[ $failed = 0 ] || exit 1
[ $ran -gt 0 ] || exit 77
