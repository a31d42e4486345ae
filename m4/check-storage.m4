# CULVERT_CHECK_STORAGE
# What the cache of built programs and program binaries are made with: xxHash, whose
# header alone is used, and zstd.  Sets ZSTD_LIBS.
AC_DEFUN([CULVERT_CHECK_STORAGE], [
	AC_CHECK_HEADER([xxhash.h], [],
		[AC_MSG_ERROR([xxhash.h not found; install libxxhash-dev])])
	AC_CHECK_HEADER([zstd.h], [],
		[AC_MSG_ERROR([zstd.h not found; install libzstd-dev])])
	ZSTD_LIBS=-lzstd
	# To be carried, a static build must not want it of the machine that it comes to.
	AS_IF([test "x$enable_static_llvm" = xyes && test -n "`$CC -print-file-name=libzstd.a | grep /`"],
		[ZSTD_LIBS=-l:libzstd.a])
	AC_SUBST([ZSTD_LIBS])
])
