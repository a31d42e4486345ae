# CULVERT_TRY_FLAG(KIND, FLAG, VARIABLE)
# Appends the flag where a program can be compiled (KIND compile) or linked (link) with it.
AC_DEFUN([CULVERT_TRY_FLAG], [
	AC_MSG_CHECKING([whether $CC takes $2])
	culvert_saved_cflags=$CFLAGS culvert_saved_ldflags=$LDFLAGS
	m4_if([$1], [link], [LDFLAGS="$LDFLAGS $2"], [CFLAGS="$CFLAGS -Werror $2"])
	m4_if([$1], [link], [AC_LINK_IFELSE], [AC_COMPILE_IFELSE])([AC_LANG_PROGRAM()],
		[culvert_takes=yes], [culvert_takes=no])
	CFLAGS=$culvert_saved_cflags LDFLAGS=$culvert_saved_ldflags
	AC_MSG_RESULT([$culvert_takes])
	AS_IF([test $culvert_takes = yes], [$3="$$3 $2"])
])

# CULVERT_HARDENING
# Sets culvert_hard_code, culvert_hard_cppflags and culvert_hard_ldflags, what makes a mistake of ours harder
# to exploit, and PARSER_CFLAGS: more of that for code that reads what strangers made and is no
# part of a launch, which it would cost 9 % more instructions.  Stacks are guarded, returns and jumps go to where code means them to (CET, BTI), string
# functions know sizes, and tables of addresses cannot be written to once a library is loaded.
AC_DEFUN([CULVERT_HARDENING], [
	AC_REQUIRE([AC_PROG_CC])
	culvert_hard_code= culvert_hard_cppflags= culvert_hard_ldflags= PARSER_CFLAGS=
	CULVERT_TRY_FLAG([link], [-Wl,-z,relro], [culvert_hard_ldflags])
	CULVERT_TRY_FLAG([link], [-Wl,-z,now], [culvert_hard_ldflags])
	CULVERT_TRY_FLAG([link], [-Wl,-z,noexecstack], [culvert_hard_ldflags])
	# Sanitizers see the same mistakes, and more of them.
	AS_IF([test "x$enable_sanitizers" = xno], [
		CULVERT_TRY_FLAG([compile], [-fstack-protector], [culvert_hard_code])
		CULVERT_TRY_FLAG([compile], [-fstack-protector-strong], [PARSER_CFLAGS])
		CULVERT_TRY_FLAG([compile], [-fstack-clash-protection], [culvert_hard_code])
		# Each for one architecture: CET, BTI.
		CULVERT_TRY_FLAG([compile], [-fcf-protection], [culvert_hard_code])
		CULVERT_TRY_FLAG([compile], [-mbranch-protection=standard], [culvert_hard_code])
		# Some compilers, and packagers, ask for it themselves; without optimization it is nothing.
		AC_COMPILE_IFELSE([AC_LANG_PROGRAM([], [
#if defined(_FORTIFY_SOURCE) || !defined(__OPTIMIZE__)
#error
#endif
			])], [culvert_hard_cppflags="-D_FORTIFY_SOURCE=2"])])
])

# CULVERT_COMPILER_FLAGS
# Sets CULVERT_CFLAGS, CULVERT_CXXFLAGS, CULVERT_CPPFLAGS and CULVERT_LDFLAGS:
# what our own code is built with, whatever CFLAGS the user chose; and
# SANITIZER_RUNTIME: what a program built without a sanitizer loads to use a
# library built with it.
AC_DEFUN([CULVERT_COMPILER_FLAGS], [
	AC_REQUIRE([AC_PROG_CC])
	AC_REQUIRE([AC_PROG_CXX])
	culvert_warnings="-Wall -Wextra -Wvla"
	CULVERT_CFLAGS="-std=c11 $culvert_warnings -Wmissing-prototypes -Wstrict-prototypes"
	CULVERT_CXXFLAGS="-std=c++17 $culvert_warnings -fno-rtti -fexceptions"
	culvert_code="-fPIC -fvisibility=hidden -ffp-contract=off -pthread"
	CULVERT_CPPFLAGS=
	CULVERT_LDFLAGS="-pthread"

	AS_IF([test "x$enable_hardening" != xno], [
		CULVERT_HARDENING
		culvert_code="$culvert_code $culvert_hard_code"
		CULVERT_CPPFLAGS="$culvert_hard_cppflags"
		CULVERT_LDFLAGS="$CULVERT_LDFLAGS $culvert_hard_ldflags"])
	AC_SUBST([PARSER_CFLAGS])
	AS_IF([test "x$enable_werror" = xyes], [
		CULVERT_CFLAGS="$CULVERT_CFLAGS -Werror"
		CULVERT_CXXFLAGS="$CULVERT_CXXFLAGS -Werror"])
	AS_IF([test "x$enable_debug" = xyes],
		[CULVERT_CPPFLAGS="$CULVERT_CPPFLAGS -DCULVERT_DEBUG_CHECKS"],
		[CULVERT_CPPFLAGS="$CULVERT_CPPFLAGS -DNDEBUG"])
	AS_CASE([$enable_sanitizers],
		[no], [],
		[yes], [AC_MSG_ERROR([--enable-sanitizers needs a list, e.g. address,undefined])],
		[culvert_code="$culvert_code -fsanitize=$enable_sanitizers -fno-omit-frame-pointer -fno-sanitize-recover=undefined"
		 CULVERT_LDFLAGS="$CULVERT_LDFLAGS -fsanitize=$enable_sanitizers"])
	AM_CONDITIONAL([SANITIZERS], [test "x$enable_sanitizers" != xno])
	SANITIZER_RUNTIME=
	culvert_runtime=
	AS_CASE([,$enable_sanitizers,],
		[*,address,*], [culvert_runtime=asan],
		[*,thread,*], [culvert_runtime=tsan])
	AS_IF([test -n "$culvert_runtime"], [
		# Clang also finds GCC's runtimes, which are not for it.
		culvert_machine=`$CC -dumpmachine | sed 's/-.*//'`
		AS_IF([$CC -dM -E -x c /dev/null | grep __clang__ >/dev/null],
			[culvert_files="libclang_rt.$culvert_runtime-$culvert_machine.so libclang_rt.$culvert_runtime.so"],
			[culvert_files=lib$culvert_runtime.so])
		for file in $culvert_files; do
			# The compiler answers with the bare name when it has no such file.
			path=`$CC -print-file-name="$file"`
			AS_IF([test -z "$SANITIZER_RUNTIME" && test -f "$path"], [SANITIZER_RUNTIME=$path])
		done
		# It must find what throws exceptions when it starts.
		AS_IF([test -n "$SANITIZER_RUNTIME"],
			[SANITIZER_RUNTIME="$SANITIZER_RUNTIME:libstdc++.so.6"])])
	AC_SUBST([SANITIZER_RUNTIME])
	CULVERT_CFLAGS="$CULVERT_CFLAGS $culvert_code"
	CULVERT_CXXFLAGS="$CULVERT_CXXFLAGS $culvert_code"
	AC_SUBST([CULVERT_CFLAGS])
	AC_SUBST([CULVERT_CXXFLAGS])
	AC_SUBST([CULVERT_CPPFLAGS])
	AC_SUBST([CULVERT_LDFLAGS])
])

# CULVERT_EXEC_FLAGS
# Sets EXEC_CFLAGS, what the hot files of the software driver's interpreter are compiled with besides: the part of
# -O3 that makes vectors of their loops, each flag by its name, for CFLAGS come later and say -O2.  X86_LEVELS:
# whether they can be compiled for the levels of x86-64.
AC_DEFUN([CULVERT_EXEC_FLAGS], [
	AC_REQUIRE([CULVERT_COMPILER_FLAGS])
	EXEC_CFLAGS=
	CULVERT_TRY_FLAG([compile], [-ftree-vectorize], [EXEC_CFLAGS])
	CULVERT_TRY_FLAG([compile], [-fvect-cost-model=dynamic], [EXEC_CFLAGS])
	CULVERT_TRY_FLAG([compile], [-funswitch-loops], [EXEC_CFLAGS])
	CULVERT_TRY_FLAG([compile], [-fpeel-loops], [EXEC_CFLAGS])
	AC_SUBST([EXEC_CFLAGS])
	culvert_levels=
	CULVERT_TRY_FLAG([compile], [-march=x86-64-v4], [culvert_levels])
	AM_CONDITIONAL([X86_LEVELS], [test -n "$culvert_levels"])
	AS_IF([test -n "$culvert_levels"],
		[AC_DEFINE([CULVERT_X86_LEVELS], [1], [The interpreter's hot files are compiled for the levels of x86-64, too.])])
])
