# CULVERT_CHECK_STORAGE
# What the cache of built programs and program binaries are made with: xxHash, whose
# header alone is used, zstd, and nettle for SHA-256.  Sets HASH_LIBS, and STORAGE_LIBS for all of them.
AC_DEFUN([CULVERT_CHECK_STORAGE], [
	AC_CHECK_HEADER([xxhash.h], [],
		[AC_MSG_ERROR([xxhash.h not found; install libxxhash-dev])])
	AC_CHECK_HEADER([zstd.h], [],
		[AC_MSG_ERROR([zstd.h not found; install libzstd-dev])])
	AC_CHECK_HEADER([nettle/sha2.h], [],
		[AC_MSG_ERROR([nettle/sha2.h not found; install nettle-dev])])
	ZSTD_LIBS=-lzstd
	# To be carried, a static build must not want it of the machine that it comes to.
	AS_IF([test "x$enable_static_llvm" = xyes && test -n "`$CC -print-file-name=libzstd.a | grep /`"],
		[ZSTD_LIBS=-l:libzstd.a])
	# A few kilobytes of code, where a library would cost each process a tenth of a
	# millisecond to load; the archive has to be code for shared objects.
	AC_CACHE_CHECK([how nettle is linked], [culvert_cv_nettle_libs], [
		culvert_save_LIBS=$LIBS culvert_save_LDFLAGS=$LDFLAGS culvert_save_CFLAGS=$CFLAGS
		culvert_cv_nettle_libs=
		for culvert_nettle in -l:libnettle.a -lnettle; do
			LIBS="$culvert_nettle $culvert_save_LIBS"
			LDFLAGS="$culvert_save_LDFLAGS -shared" CFLAGS="$culvert_save_CFLAGS -fPIC"
			AC_LINK_IFELSE([AC_LANG_SOURCE([[
				#include <nettle/sha2.h>
				void culvert_hash(void);
				void culvert_hash(void)
				{
					struct sha256_ctx state;
					sha256_init(&state);
					sha256_update(&state, 1, (const unsigned char *)"");
				}]])],
				[culvert_cv_nettle_libs=$culvert_nettle])
			AS_IF([test -n "$culvert_cv_nettle_libs"], [break])
		done
		LIBS=$culvert_save_LIBS LDFLAGS=$culvert_save_LDFLAGS CFLAGS=$culvert_save_CFLAGS])
	AS_IF([test -z "$culvert_cv_nettle_libs"],
		[AC_MSG_ERROR([programs with nettle cannot be linked; install nettle-dev])])
	HASH_LIBS=$culvert_cv_nettle_libs
	STORAGE_LIBS="$HASH_LIBS $ZSTD_LIBS"
	AC_SUBST([HASH_LIBS])
	AC_SUBST([STORAGE_LIBS])
])
