# CULVERT_CHECK_LLVM
# --with-llvm=CONFIG: the llvm-config of the LLVM whose Clang we put in process.
# Sets LLVM_CONFIG, LLVM_VERSION, LLVM_MAJOR, LLVM_CPPFLAGS, LLVM_FILES, CLANG, CLANG_RESOURCE_DIR, and what is linked:
# COMPILER_LIBS to libculvert-frontend.so, CODE_COMPILER_LIBS to culvert-softcuda-compile; LLVM_LIBS, LLVM_CODE_LIBS
# and LLVM_JIT_LIBS to tests and tools of the build, and to libculvert.so with --enable-static-llvm.
AC_DEFUN([CULVERT_CHECK_LLVM], [
	AC_REQUIRE([AC_PROG_CXX])
	AC_ARG_WITH([llvm],
		[AS_HELP_STRING([--with-llvm=CONFIG], [llvm-config of LLVM 15 or newer (default: 19, then the newest)])],
		[], [with_llvm=])
	AS_IF([test -n "$with_llvm"],
		[LLVM_CONFIG=$with_llvm],
		[AC_PATH_PROGS([LLVM_CONFIG], [llvm-config-19 llvm-config-20 llvm-config-21 llvm-config-22 llvm-config-18 llvm-config-17 llvm-config-16 llvm-config-15 llvm-config])])
	AS_IF([test -z "$LLVM_CONFIG" || ! $LLVM_CONFIG --version >/dev/null 2>&1],
		[AC_MSG_ERROR([llvm-config not found; install llvm-19-dev and libclang-19-dev, or use --with-llvm=CONFIG])])
	LLVM_VERSION=`$LLVM_CONFIG --version`
	LLVM_MAJOR=`echo "$LLVM_VERSION" | sed 's/\..*//'`
	AS_IF([test "$LLVM_MAJOR" -lt 15],
		[AC_MSG_ERROR([LLVM $LLVM_VERSION is too old; 15 or newer is required])])
	AS_CASE([$LLVM_MAJOR], [15|16|17|18|19|20|21|22], [],
		[AC_MSG_WARN([LLVM $LLVM_VERSION has not been tested; 15 to 22 have been])])
	llvm_prefix=`$LLVM_CONFIG --prefix`
	llvm_libdir=`$LLVM_CONFIG --libdir`
	LLVM_CPPFLAGS="-isystem `$LLVM_CONFIG --includedir` -D__STDC_CONSTANT_MACROS -D__STDC_FORMAT_MACROS -D__STDC_LIMIT_MACROS"
	AC_PATH_PROGS([CLANG], [clang], [], [`$LLVM_CONFIG --bindir`])
	AS_IF([test -z "$CLANG"], [AC_MSG_ERROR([clang of LLVM $LLVM_VERSION not found: it compiles the builtin library; install clang-$LLVM_MAJOR])])
	CLANG_RESOURCE_DIR=`$CLANG -print-resource-dir`
	AS_IF([test ! -f "$CLANG_RESOURCE_DIR/include/opencl-c-base.h"],
		[AC_MSG_ERROR([$CLANG_RESOURCE_DIR/include/opencl-c-base.h not found; install libclang-common-$LLVM_MAJOR-dev])])

	AS_IF([test "x$enable_static_llvm" = xyes], [
		llvm_linkage=static
		CULVERT_STATIC_LLVM
		LLVM_LIBS=$culvert_static_libs
		LLVM_CODE_LIBS=$culvert_static_code_libs
		LLVM_JIT_LIBS=$culvert_static_jit_libs
		COMPILER_LIBS=$LLVM_LIBS
		CODE_COMPILER_LIBS=$LLVM_CODE_LIBS
	], [
		llvm_linkage=shared
		CULVERT_SHARED_LLVM
		COMPILER_LIBS=$LLVM_LIBS
		CODE_COMPILER_LIBS=$LLVM_CODE_LIBS
		# Compilers with LLVM inside start in half of the time, since the symbols of shared libraries need not be
		# looked up.  Tests that consist of LLVM and little else stay small.  With sanitizers, functions of LLVM's headers
		# are not what LLVM was compiled with, and the linker would take ours for both.
		AS_IF([test "x$enable_static_llvm" != xno && test "x$enable_sanitizers" = xno &&
				$LLVM_CONFIG --link-static --libs core >/dev/null 2>&1], [
			CULVERT_STATIC_LLVM
			CULVERT_TRY_STATIC_LLVM
			AS_IF([test "x$culvert_static_links" = xyes], [
				llvm_linkage="static in the compilers"
				COMPILER_LIBS=$culvert_static_libs
				CODE_COMPILER_LIBS=$culvert_static_code_libs
				LLVM_FILES=
			])
		])
	])
	AC_LANG_PUSH([C++])
	culvert_saved_CPPFLAGS=$CPPFLAGS
	CPPFLAGS="$CPPFLAGS $LLVM_CPPFLAGS -std=c++17"
	AC_CHECK_HEADER([clang/Frontend/CompilerInstance.h], [],
		[AC_MSG_ERROR([Clang's headers not found; install libclang-$LLVM_MAJOR-dev])])
	CPPFLAGS=$culvert_saved_CPPFLAGS
	AC_LANG_POP([C++])
	AM_CONDITIONAL([STATIC_LLVM], [test "x$enable_static_llvm" = xyes])
	AC_SUBST([LLVM_CONFIG])
	AC_SUBST([LLVM_VERSION])
	AC_SUBST([LLVM_MAJOR])
	AC_SUBST([LLVM_CPPFLAGS])
	AC_SUBST([LLVM_LIBS])
	AC_SUBST([LLVM_JIT_LIBS])
	AC_SUBST([LLVM_CODE_LIBS])
	AC_SUBST([COMPILER_LIBS])
	AC_SUBST([CODE_COMPILER_LIBS])
	AC_SUBST([LLVM_FILES])
	AC_SUBST([CLANG])
	AC_SUBST([CLANG_RESOURCE_DIR])
])

# CULVERT_STATIC_LLVM
# Sets culvert_static_libs, culvert_static_code_libs and culvert_static_jit_libs: LLVM_LIBS, LLVM_CODE_LIBS and
# LLVM_JIT_LIBS of the archives.
AC_DEFUN([CULVERT_STATIC_LLVM], [
	culvert_static_config="$LLVM_CONFIG --link-static"
	culvert_clang_libs="-lclangFrontend -lclangDriver -lclangParse -lclangSerialization -lclangCodeGen -lclangSema -lclangAnalysis -lclangEdit -lclangASTMatchers -lclangAST -lclangSupport -lclangLex -lclangBasic -lclangAPINotes"
	AS_IF([test "$LLVM_MAJOR" -ge 22], [culvert_clang_libs="$culvert_clang_libs -lclangOptions -lclangAnalysisLifetimeSafety"])
	AS_IF([test "$LLVM_MAJOR" -lt 18], [culvert_clang_libs=`echo "$culvert_clang_libs" | sed 's/-lclangAPINotes//'`])
	# What is never reached is left out, so its own needs need not be met.
	llvm_components="bitreader bitwriter linker option frontendopenmp coverage profiledata target irreader scalaropts"
	AS_IF([test "$LLVM_MAJOR" -ge 16], [llvm_components="$llvm_components frontendhlsl windowsdriver"])
	AS_IF([test "$LLVM_MAJOR" -ge 18], [llvm_components="$llvm_components frontendoffloading"])
	culvert_static_libs="-Wl,--gc-sections -L$llvm_libdir -Wl,--start-group $culvert_clang_libs -Wl,--end-group `$culvert_static_config --libs $llvm_components` `$culvert_static_config --system-libs`"
	# Debian's llvm-config names Polly, which its packages lack and nothing here needs.
	culvert_static_libs=`echo "$culvert_static_libs -static-libstdc++ -static-libgcc" | sed 's/-lPolly[[A-Z]]*//g'`
	# llvm-config's "native" is the machine that it was built for.
	culvert_native=native
	AS_IF([test "x$cross_compiling" = xyes],
		[AS_CASE([$host_alias], [aarch64*], [culvert_native=aarch64], [x86_64*], [culvert_native=x86])])
	# What tests run code with.
	culvert_static_jit_libs=`$culvert_static_config --libs orcjit $culvert_native | sed 's/-lPolly[[A-Z]]*//g'`
	# To be carried, it must not want these of the machine that it comes to.
	culvert_static_code_libs="-L$llvm_libdir `$culvert_static_config --libs $culvert_native passes` `$culvert_static_config --system-libs`"
	culvert_static_code_libs=`echo "$culvert_static_code_libs -static-libstdc++ -static-libgcc" | sed 's/-lPolly[[A-Z]]*//g'`
	for library in z zstd; do
		AS_IF([test -n "`$CC -print-file-name=lib$library.a | grep /`"],
			[culvert_static_libs=`echo "$culvert_static_libs" | sed "s/-l$library\( \|\$\)/-l:lib$library.a\1/g"`
			culvert_static_code_libs=`echo "$culvert_static_code_libs" | sed "s/-l$library\( \|\$\)/-l:lib$library.a\1/g"`])
	done
])

# CULVERT_SHARED_LLVM
# Sets LLVM_LIBS, LLVM_CODE_LIBS and LLVM_FILES of the shared libraries.
AC_DEFUN([CULVERT_SHARED_LLVM], [
	# Distributions ship the library without the link that -lclang-cpp wants.
	culvert_clang_cpp=
	for file in "$llvm_libdir"/libclang-cpp.so "$llvm_libdir"/libclang-cpp.so.$LLVM_MAJOR*; do
		AS_IF([test -z "$culvert_clang_cpp" && test -f "$file"],
			[culvert_clang_cpp=-l:`basename "$file"`])
	done
	AS_IF([test -z "$culvert_clang_cpp"],
		[AC_MSG_ERROR([libclang-cpp of LLVM $LLVM_VERSION not found; install libclang-cpp$LLVM_MAJOR])])
	# As a list of C strings: what the compiler's build is known by, see fe_compiler_build.  The files
	# themselves: packages for developers bring the links, and are not where a package of ours is.
	# Of a cross build they are named as the other system has them, without the folder of its root here.
	culvert_clang_file=$llvm_libdir/`echo "$culvert_clang_cpp" | sed 's/^-l://'`
	culvert_sysroot=
	AS_IF([test "x$cross_compiling" = xyes],
		[culvert_sysroot=`$CC -print-sysroot 2>/dev/null`
		culvert_sysroot=`test -z "$culvert_sysroot" || readlink -f "$culvert_sysroot"`])
	LLVM_FILES=
	for file in $culvert_clang_file `$LLVM_CONFIG --link-shared --libfiles core`; do
		file=`readlink -f "$file" | sed "s|^$culvert_sysroot/|/|"`
		LLVM_FILES="$LLVM_FILES\"$file\", "
	done
	# Where the loader finds this very file by itself, our library names no path: packages want none.
	culvert_rpath="-Wl,-rpath,$llvm_libdir"
	AS_IF([test "x$cross_compiling" = xyes],
		[culvert_found=`readlink -f $culvert_clang_file`
		culvert_found=`basename $culvert_found`
		culvert_found=`$CC -print-file-name=$culvert_found`],
		[culvert_found=`PATH=$PATH:/sbin:/usr/sbin ldconfig -p 2>/dev/null | sed -n 's/.*libclang-cpp.* => //p'`])
	for file in $culvert_found; do
		AS_IF([test "$file" -ef "$culvert_clang_file"], [culvert_rpath=])
	done
	LLVM_LIBS="-L$llvm_libdir $culvert_rpath $culvert_clang_cpp `$LLVM_CONFIG --link-shared --libs core`"
	LLVM_CODE_LIBS="-L$llvm_libdir $culvert_rpath `$LLVM_CONFIG --link-shared --libs core`"
])

# CULVERT_TRY_STATIC_LLVM
# Sets culvert_static_links to yes if a compiler can be linked with the archives: some distributions do not ship them, or
# not what they need, and an untested LLVM may have others.
AC_DEFUN([CULVERT_TRY_STATIC_LLVM], [
	AC_MSG_CHECKING([whether the archives of LLVM and Clang can be linked])
	culvert_static_links=no
	AC_LANG_PUSH([C++])
	culvert_saved_CPPFLAGS=$CPPFLAGS
	culvert_saved_LIBS=$LIBS
	CPPFLAGS="$CPPFLAGS $LLVM_CPPFLAGS -std=c++17 -fno-rtti"
	LIBS="$culvert_static_libs $culvert_static_code_libs $LIBS"
	AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <clang/CodeGen/ModuleBuilder.h>
#include <clang/Frontend/CompilerInstance.h>
#include <llvm-c/Target.h>]],
		[[void *volatile used = (void *)&clang::CreateLLVMCodeGen;
bool (clang::CompilerInstance::*volatile execute)(clang::FrontendAction &) = &clang::CompilerInstance::ExecuteAction;
clang::CompilerInstance compiler;
return LLVMInitializeNativeTarget() || !used || !execute || !compiler.hasDiagnostics();]])],
		[culvert_static_links=yes])
	CPPFLAGS=$culvert_saved_CPPFLAGS
	LIBS=$culvert_saved_LIBS
	AC_LANG_POP([C++])
	AC_MSG_RESULT([$culvert_static_links])
])
