# CULVERT_CHECK_CUDA
# --with-cuda=DIR: a CUDA toolkit, or a folder that NVIDIA's wheels were unpacked
# into.  Only headers and libdevice are taken from it; libcuda and libnvvm are
# found at run time.  Sets CUDA_CPPFLAGS, LIBDEVICE, PTXAS (tests), NVCC (twins of
# measurements), and a default place of libnvvm for the build tree.
AC_DEFUN([CULVERT_CHECK_CUDA], [
	AC_ARG_WITH([cuda],
		[AS_HELP_STRING([--with-cuda=DIR],
			[CUDA toolkit, or unpacked NVIDIA wheels (default: CUDA_HOME, CUDA_PATH, /usr/local/cuda)])],
		[], [with_cuda=])
	culvert_cuda_roots="$with_cuda"
	AS_IF([test -z "$with_cuda"],
		[culvert_cuda_roots="$CUDA_HOME $CUDA_PATH /usr/local/cuda /opt/cuda /usr/lib/cuda /usr"])
	cuda_include=
	LIBDEVICE=
	NVVM_LIBRARY=
	PTXAS=
	NVCC=
	for root in $culvert_cuda_roots; do
		for sub in "" /nvidia/cu13 /nvidia/cu12 /nvidia/cuda_runtime /nvidia/cuda_nvcc; do
			dir=$root$sub
			AS_IF([test -z "$cuda_include" && test -f "$dir/include/cuda.h"],
				[cuda_include=$dir/include])
			AS_IF([test -z "$LIBDEVICE" && test -f "$dir/nvvm/libdevice/libdevice.10.bc"],
				[LIBDEVICE=$dir/nvvm/libdevice/libdevice.10.bc])
			for lib in nvvm/lib64 lib lib64; do
				AS_IF([test -z "$NVVM_LIBRARY" && test -f "$dir/$lib/libnvvm.so.4"],
					[NVVM_LIBRARY=$dir/$lib/libnvvm.so.4])
			done
			AS_IF([test -z "$PTXAS" && test -x "$dir/bin/ptxas"], [PTXAS=$dir/bin/ptxas])
			AS_IF([test -z "$NVCC" && test -x "$dir/bin/nvcc"], [NVCC=$dir/bin/nvcc])
		done
	done
	AS_IF([test -z "$cuda_include"],
		[AC_MSG_ERROR([cuda.h not found; use --with-cuda=DIR or run scripts/try, which fetches it])])
	AS_IF([test -z "$LIBDEVICE"],
		[AC_MSG_ERROR([libdevice.10.bc not found under the CUDA folders; use --with-cuda=DIR])])
	CUDA_CPPFLAGS="-I$cuda_include"
	AS_IF([test -f "$cuda_include/nvtx3/nvToolsExt.h"],
		[AC_DEFINE([HAVE_NVTX], [1], [NVTX's headers are there.]) have_nvtx=yes], [have_nvtx=no])
	AM_CONDITIONAL([HAVE_NVTX], [test $have_nvtx = yes])
	dnl An nvcc may lack the host compiler or the headers that it wants.
	AS_IF([test -n "$NVCC"], [
		AC_MSG_CHECKING([whether $NVCC works])
		echo '#include <cuda_fp16.h>' >conftest.cu
		echo '__global__ void k(float *x) { x@<:@0@:>@ = __half2float(__float2half(x@<:@0@:>@)); }' >>conftest.cu
		AS_IF(["$NVCC" -arch=sm_90 -ptx -o conftest.ptx conftest.cu >&AS_MESSAGE_LOG_FD 2>&1],
			[nvcc_works=yes], [nvcc_works=no; NVCC=])
		rm -f conftest.cu conftest.ptx
		AC_MSG_RESULT([$nvcc_works])])
	AM_CONDITIONAL([HAVE_NVCC], [test -n "$NVCC"])
	AC_SUBST([CUDA_CPPFLAGS])
	AC_SUBST([LIBDEVICE])
	AC_SUBST([NVVM_LIBRARY])
	AC_SUBST([PTXAS])
	AC_SUBST([NVCC])
])
