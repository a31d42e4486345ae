#!/bin/sh
# Protects: who may know whom.  A room that includes what it must not know is
# found here, before anyone builds on it.
srcdir=${srcdir:-.}
cd "$srcdir" || exit 2
failed=0

# forbid ROOM PATTERN WHY: no file of ROOM may include what PATTERN matches.
forbid() {
	found=$(find $1 \( -name '*.c' -o -name '*.h' -o -name '*.cpp' \) ! -path "$4" -exec \
		grep -nE "^[[:space:]]*#[[:space:]]*include[[:space:]]*[<\"]($2)" {} /dev/null \;)
	if [ -n "$found" ]; then
		printf '%s\n  %s\n' "$found" "$3"
		failed=1
	fi
}

none=/nonexistent
forbid base '(icd|frontend|backend|cache)/|cuda\.h|CL/|llvm|clang/' 'base knows nobody' $none
forbid frontend '(icd|backend|cache)/|cuda\.h|CL/' 'the frontend knows no GPU and no OpenCL handle' $none
forbid backend '(icd|frontend|cache)/|llvm|clang/' 'the backend knows no front desk and no LLVM' $none
forbid cache '(icd|frontend|backend)/|cuda\.h|CL/|llvm|clang/' 'the cache knows bytes alone' $none
forbid backend/softcuda '(icd|frontend|cache|backend/[a-z_]*\.h)|CL/|llvm|clang/' 'softcuda knows base alone' $none
forbid icd 'cuda\.h|llvm|clang/|backend/softcuda' 'CUDA and LLVM stay behind backend and frontend' $none
forbid icd 'cache/internal' 'a room is entered by its front door' $none
forbid icd '(frontend/(module|options|clang|lower|nvvm_ir))|backend/(gpu_internal|cuda_)' 'a room is entered by its front door' $none
forbid tools 'icd/|cuda\.h|llvm|clang/|backend/softcuda|cache/internal' 'the tool speaks OpenCL, and compiles as the front desk does' $none
forbid tools '(frontend/(module|options|clang|lower|nvvm_ir))|backend/(gpu_internal|cuda_)' 'a room is entered by its front door' $none

# <cuda.h> only where CUDA is spoken; C++ only in the frontend.
found=$(find base icd frontend cache backend -name '*.cpp' ! -path 'frontend/*' 2>/dev/null)
[ -z "$found" ] || { printf '%s\n  C++ outside the frontend\n' "$found"; failed=1; }

# A guest ends nobody's process; icd/compile_main.c is a process of ours.
found=$(grep -nE '(^|[^a-z_])(abort|exit|_exit|quick_exit|setlocale|signal|sigaction)[[:space:]]*\(' \
	$(find base icd frontend backend cache ! -path icd/compile_main.c \( -name "*.c" -o -name "*.cpp" \) 2>/dev/null) /dev/null |
	grep -vE '^[^:]*:[0-9]+:[[:space:]]*(/?\*|//)')
[ -z "$found" ] || { printf '%s\n  calls that end or disturb the host process\n' "$found"; failed=1; }

# What configure found comes before any system header, which it may change; but for programs that
# a test compiles as foreign ones.
for file in $(find base icd frontend backend cache tests tools -name '*.c' -o -name '*.cpp' 2>/dev/null |
	grep -vxE 'tests/apps/(viennacl|boost_compute)\.cpp'); do
	grep -m 1 '^#' "$file" | grep -qx '#include "config.h"' ||
		{ echo "$file: config.h is not what it includes first"; failed=1; }
done

# What LLVM's C interface has since version 18 comes by a header that older ones need.
names=$(sed -n 's/^#define \(LLVM[A-Za-z0-9]*\) .*/\1/p' frontend/llvm_compat.h | paste -s -d '|' -)
for file in $(grep -lwE "$names|LLVMFastMath[A-Za-z]*" frontend/*.c); do
	grep -qE '^#include "frontend/(llvm_compat|nvvm_ir)\.h"' "$file" ||
		{ echo "$file: built with LLVM 17 or older, it lacks frontend/llvm_compat.h"; failed=1; }
done

# A file is one noun.
for file in $(find base icd frontend backend cache tests tools -name '*.c' -o -name '*.h' -o -name '*.cpp' -o -name '*.cl' 2>/dev/null); do
	lines=$(wc -l < "$file")
	if [ "$lines" -gt 850 ]; then
		echo "$file: $lines lines: more than one noun"
		failed=1
	fi
done
exit $failed
