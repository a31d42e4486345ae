#!/bin/sh
# Protects: every overload of every builtin that Clang declares is defined in the
# builtin library.
"$PYTHON3" -c '' 2>/dev/null || { echo "skipped: no $PYTHON3"; exit 77; }
LLVM_NM=$("$LLVM_CONFIG" --bindir)/llvm-nm
[ -x "$LLVM_NM" ] || { echo "skipped: no $LLVM_NM"; exit 77; }
exec "$PYTHON3" "${srcdir:-.}/tests/unit/builtins_coverage.py" --clang "$CLANG" --nm "$LLVM_NM" \
	--libdevice "$LIBDEVICE" frontend/builtins/*.bc
