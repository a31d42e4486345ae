# CULVERT_CHECK_PTXCOMPILER
# --with-ptxcompiler=DIR: where NVIDIA's PTX compiler library lies: include/ and lib/ of a
# CUDA toolkit or an unpacked wheel.  By default the CUDA folders are looked through; what
# is not found is done without.  Sets PTX_COMPILER_ARCHIVE, PTX_COMPILER_CPPFLAGS, and
# PTX_COMPILER_MAJOR in config.h: the CUDA version that the library is of.
AC_DEFUN([CULVERT_CHECK_PTXCOMPILER], [
	AC_REQUIRE([CULVERT_CHECK_CUDA])
	AC_ARG_WITH([ptxcompiler],
		[AS_HELP_STRING([--with-ptxcompiler=DIR],
			[folder of NVIDIA's PTX compiler library; no: always the driver's compiler (default: the CUDA folders)])],
		[], [with_ptxcompiler=yes])
	PTX_COMPILER_ARCHIVE=
	PTX_COMPILER_CPPFLAGS=
	ptx_compiler_major=
	AS_CASE([$with_ptxcompiler],
		[no], [culvert_ptx_roots=],
		[yes], [culvert_ptx_roots=$culvert_cuda_roots],
		[culvert_ptx_roots=$with_ptxcompiler])
	for root in $culvert_ptx_roots; do
		for sub in "" /nvidia/cu13 /nvidia/cu12; do
			for lib in lib64 lib; do
				AS_IF([test -z "$PTX_COMPILER_ARCHIVE" &&
					test -f "$root$sub/include/nvPTXCompiler.h" &&
					test -f "$root$sub/$lib/libnvptxcompiler_static.a"], [
					PTX_COMPILER_ARCHIVE=$root$sub/$lib/libnvptxcompiler_static.a
					PTX_COMPILER_CPPFLAGS="-isystem $root$sub/include"])
			done
		done
	done
	AS_IF([test -n "$PTX_COMPILER_ARCHIVE"], [
		AC_MSG_CHECKING([the version of $PTX_COMPILER_ARCHIVE])
		culvert_saved_CPPFLAGS=$CPPFLAGS
		culvert_saved_LIBS=$LIBS
		CPPFLAGS="$CPPFLAGS $PTX_COMPILER_CPPFLAGS"
		LIBS="$PTX_COMPILER_ARCHIVE -lpthread -lm -ldl $LIBS"
		AC_RUN_IFELSE([AC_LANG_PROGRAM([
#include <stdio.h>
#include <nvPTXCompiler.h>], [
			unsigned int major, minor;
			FILE *file = fopen("conftest.version", "w");
			if (!file || nvPTXCompilerGetVersion(&major, &minor))
				return 1;
			fprintf(file, "%u %u\n", major, minor);
			return fclose(file);])],
			[ptx_compiler_major=`sed 's/ .*//' conftest.version`], [], [])
		rm -f conftest.version
		CPPFLAGS=$culvert_saved_CPPFLAGS
		LIBS=$culvert_saved_LIBS
		AC_MSG_RESULT([${ptx_compiler_major:-cannot be used}])
		AS_IF([test -z "$ptx_compiler_major"], [PTX_COMPILER_ARCHIVE=])])
	AS_IF([test -n "$PTX_COMPILER_ARCHIVE"], [
		AC_DEFINE([HAVE_PTX_COMPILER], [1], [NVIDIA's PTX compiler library is there.])
		AC_DEFINE_UNQUOTED([PTX_COMPILER_MAJOR], [$ptx_compiler_major], [Of which CUDA it is.])],
		[AS_CASE([$with_ptxcompiler], [yes|no], [],
			[AC_MSG_ERROR([no nvPTXCompiler.h and libnvptxcompiler_static.a under $with_ptxcompiler])])])
	AM_CONDITIONAL([HAVE_PTX_COMPILER], [test -n "$PTX_COMPILER_ARCHIVE"])
	AC_SUBST([PTX_COMPILER_ARCHIVE])
	AC_SUBST([PTX_COMPILER_CPPFLAGS])
])
