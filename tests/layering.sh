#!/bin/sh
# Protects: which folder may include which.  A folder that includes what it must not is
# found here, before anyone builds on it.
srcdir=${srcdir:-.}
cd "$srcdir" || exit 2
failed=0

# forbid ROOM PATTERN WHY: no file of ROOM may include what PATTERN matches.
forbid() {
	found=$(find $1 \( -name '*.c' -o -name '*.h' -o -name '*.cpp' \) ! -path "$4" -exec \
		grep -nE "^[[:space:]]*#[[:space:]]*include[[:space:]]*[<\"]($2)" /dev/null {} +)
	if [ -n "$found" ]; then
		printf '%s\n  %s\n' "$found" "$3"
		failed=1
	fi
}

none=/nonexistent
# Of LLVM's archive BLAKE3 alone is taken, by its C interface.
forbid base '(icd|frontend|backend|cache|softcuda)/|cuda\.h|CL/|llvm|clang/' 'base knows nobody' base/hash.c
forbid base/hash.c '(icd|frontend|backend|cache|softcuda)/|cuda\.h|CL/|llvm/|clang' 'of LLVM a hash needs BLAKE3 alone' $none
forbid frontend '(icd|backend|cache|softcuda)/|cuda\.h|CL/' 'the frontend knows no GPU and no OpenCL handle' $none
forbid backend '(icd|frontend|cache|softcuda/[a-z]+)/|llvm|clang/' 'the backend knows no front desk and no LLVM' $none
forbid cache '(icd|frontend|backend|softcuda)/|cuda\.h|CL/|llvm|clang/' 'the cache knows bytes alone' $none
forbid softcuda '(icd|frontend|backend|tools)/|CL/|clang/' 'softcuda knows base and the cache' $none
forbid softcuda 'cache/' 'in softcuda code_cache.c alone knows the cache' softcuda/exec/code_cache.c
forbid softcuda 'cache/internal' 'only the public headers of a folder may be included' $none
forbid softcuda 'llvm' 'in softcuda the compiler of kernels alone knows LLVM' 'softcuda/jit/*'
forbid 'softcuda/exec softcuda/ptx softcuda/check softcuda/driver softcuda/calls' 'softcuda/jit/' 'the compiler of kernels is a program of its own' $none
forbid softcuda/jit 'softcuda/(ptx|check|driver|calls)/' 'the compiler of kernels knows the executor alone' $none
forbid softcuda/exec 'softcuda/(ptx|check|driver|calls)/' 'the executor of softcuda knows nobody' $none
forbid softcuda/ptx 'softcuda/(check|driver|calls)/' 'the reader of PTX knows the executor alone' $none
forbid softcuda/check 'softcuda/(ptx|driver|calls)/' 'what looks on knows the executor alone' $none
forbid softcuda/driver 'softcuda/calls/' 'what calls work on knows no calls' $none
forbid icd 'cuda\.h|llvm|clang/|softcuda/' 'CUDA and LLVM stay behind backend and frontend' $none
forbid icd 'cache/internal' 'only the public headers of a folder may be included' $none
forbid icd '(frontend/(module|clang|lower|nvvm_ir))|backend/(gpu_internal|cuda_)' 'only the public headers of a folder may be included' $none
forbid tools 'icd/(api|object|thread|memory|program|order|transfer|launch|graph)/|cuda\.h|llvm|clang/|softcuda/|cache/internal' 'the tool uses OpenCL, and of icd only icd/compile' $none
forbid tools '(frontend/(module|clang|lower|nvvm_ir))|backend/(gpu_internal|cuda_)' 'only the public headers of a folder may be included' $none

# The reader of SPIR-V: what of the frontend it may include; others include its public header only.
found=$(grep -nE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"frontend/' frontend/spirv/*.[ch] |
	grep -vE '"frontend/(spirv/[a-z_]*\.(h|def)|(spirv|frontend|module|options|symbol|llvm_compat)\.h)"')
[ -z "$found" ] || { printf '%s\n  frontend/spirv may not include this header of the frontend\n' "$found"; failed=1; }
found=$(grep -rnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"frontend/spirv/' frontend icd tools tests --include='*.[ch]' --include='*.cpp' |
	grep -v '^frontend/spirv/')
[ -z "$found" ] || { printf '%s\n  only frontend/spirv.h may be included\n' "$found"; failed=1; }
[ "$(wc -l <frontend/spirv/README.md)" -le 10 ] || { echo "frontend/spirv/README.md: more than ten lines"; failed=1; }

# The folders of icd, each with those that it may include.
rooms='
include
object    include
thread
compile
memory    include object thread
program   include object compile memory
order     include object thread memory program
transfer  include object thread memory program order
launch    include object thread memory program order transfer
graph     include object thread memory program order transfer launch
api       include object thread compile memory program order transfer launch graph
'
while read -r room known; do
	[ -n "$room" ] || continue
	pattern=$(echo "$room $known" | tr ' ' '|')
	found=$(grep -rnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"icd/' "icd/$room" --include='*.[ch]' --include='*.def' |
		grep -vE "\"icd/($pattern)/")
	[ -z "$found" ] || { printf '%s\n  icd/%s may include: %s\n' "$found" "$room" "${known:-no other folder of icd}"; failed=1; }
	[ "$(wc -l <"icd/$room/README.md")" -le 10 ] || { echo "icd/$room/README.md: more than ten lines"; failed=1; }
done <<END
$rooms
END
for file in $(find icd -name '*.c' -o -name '*.h' -o -name '*.def'); do
	room=$(echo "$file" | sed -n 's|^icd/\([a-z]*\)/[^/]*$|\1|p')
	echo "$rooms" | grep -qE "^${room:-none}( |$)" || { echo "$file: in no folder of icd"; failed=1; }
done

# <cuda.h> only where CUDA is spoken; C++ only in the frontend, and for what LLVM's C interface lacks.
found=$(find base icd frontend cache backend softcuda -name '*.cpp' ! -path 'frontend/*' \
	! -path softcuda/jit/option.cpp 2>/dev/null)
[ -z "$found" ] || { printf '%s\n  C++ outside the frontend\n' "$found"; failed=1; }

# A guest ends nobody's process; these files are of processes of ours.
found=$(grep -nE '(^|[^a-z_])(abort|exit|_exit|quick_exit|setlocale|signal|sigaction)[[:space:]]*\(' \
	$(find base icd frontend backend cache softcuda ! -path icd/compile/compile_main.c ! -path base/own_process.c ! -path softcuda/jit/main.c \( -name "*.c" -o -name "*.cpp" \) 2>/dev/null) /dev/null |
	grep -vE '^[^:]*:[0-9]+:[[:space:]]*(/?\*|//)')
[ -z "$found" ] || { printf '%s\n  calls that end or disturb the host process\n' "$found"; failed=1; }

# What configure found comes before any system header, which it may change; but for programs that
# a test compiles as foreign ones.
found=$(awk '
	BEGIN { for (i = 1; i < ARGC; i++) others[ARGV[i]] }
	/^#/ { if ($0 == "#include \"config.h\"") delete others[FILENAME]; nextfile }
	END { for (file in others) print file ": config.h is not what it includes first" }
' $(find base icd frontend backend cache softcuda tests tools -name '*.c' -o -name '*.cpp' 2>/dev/null |
	grep -vxE 'tests/apps/((viennacl|boost_compute|another_clang)\.cpp|(another_llvm|dpcpp_preload|halo|starpu_mpi)\.c)'))
[ -z "$found" ] || { echo "$found"; failed=1; }

# What LLVM's C interface has since version 18 comes by a header that older ones need.
names=$(sed -n 's/^#define \(LLVM[A-Za-z0-9]*\) .*/\1/p' frontend/llvm_compat.h | paste -s -d '|' -)
for file in $(grep -lwE "$names|LLVMFastMath[A-Za-z]*" frontend/*.c frontend/spirv/*.c); do
	grep -qE '^#include "frontend/(llvm_compat|nvvm_ir)\.h"' "$file" ||
		{ echo "$file: built with LLVM 17 or older, it lacks frontend/llvm_compat.h"; failed=1; }
done

# A file is one noun.
found=$(wc -l $(find base icd frontend backend cache softcuda tests tools -name '*.c' -o -name '*.h' -o -name '*.cpp' -o -name '*.cl' 2>/dev/null) |
	awk '$1 > 850 && $2 != "total" { print $2 ": " $1 " lines: more than one noun" }')
[ -z "$found" ] || { echo "$found"; failed=1; }

# A line of C has at most 120 columns; a tab goes to the next multiple of 8.
long=$(find base icd frontend backend cache softcuda tests tools \( -name '*.c' -o -name '*.h' \) ! -path 'frontend/embedded/*' -exec awk '
	length($0) > 15 {
		parts = split($0, part, "\t")
		columns = 0
		for (i = 1; i <= parts; i++)
			columns += length(part[i]) + (i < parts ? 8 - (columns + length(part[i])) % 8 : 0)
		if (columns > 120)
			printf "%s:%d: %d columns, at most 120\n", FILENAME, FNR, columns
	}' {} + 2>/dev/null)
if [ -n "$long" ]; then
	echo "$long"
	failed=1
fi
exit $failed
