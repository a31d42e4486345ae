# CULVERT_CHECK_STORAGE
# What the cache of built programs and program binaries are made with: xxHash (its header alone), zstd, and
# BLAKE3.  Requires CULVERT_CHECK_LLVM.  Sets HASH_LIBS, and STORAGE_LIBS for all of them.
AC_DEFUN([CULVERT_CHECK_STORAGE], [
	AC_CHECK_HEADER([xxhash.h], [],
		[AC_MSG_ERROR([xxhash.h not found; install libxxhash-dev])])
	AC_CHECK_HEADER([zstd.h], [],
		[AC_MSG_ERROR([zstd.h not found; install libzstd-dev])])
	ZSTD_LIBS=-lzstd
	# To be carried, a static build must not want it of the machine that it comes to.
	AS_IF([test "x$enable_static_llvm" = xyes && test -n "`$CC -print-file-name=libzstd.a | grep /`"],
		[ZSTD_LIBS=-l:libzstd.a])
	CULVERT_CHECK_BLAKE3
	STORAGE_LIBS="$HASH_LIBS $ZSTD_LIBS"
	AC_SUBST([STORAGE_LIBS])
])

# CULVERT_CHECK_BLAKE3
# LLVM has BLAKE3 with a C interface (llvm-c/blake3.h, LLVM 15 and newer).  Its objects are taken out of
# LLVM's archive into base/libbase.a, so that a hash does not load LLVM.  Where LLVM was installed without archives, the
# library of BLAKE3's authors is used.  Sets BLAKE3_OBJECTS, LLVM_SUPPORT_ARCHIVE, HASH_CPPFLAGS and HASH_LIBS.
AC_DEFUN([CULVERT_CHECK_BLAKE3], [
	LLVM_SUPPORT_ARCHIVE=$llvm_libdir/libLLVMSupport.a
	BLAKE3_OBJECTS= HASH_CPPFLAGS= HASH_LIBS= hash_from=
	AC_MSG_CHECKING([for BLAKE3 in $LLVM_SUPPORT_ARCHIVE])
	culvert_saved_LIBS=$LIBS culvert_saved_LDFLAGS=$LDFLAGS culvert_saved_CFLAGS=$CFLAGS
	LIBS="$LLVM_SUPPORT_ARCHIVE $LIBS"
	LDFLAGS="$LDFLAGS -shared" CFLAGS="$CFLAGS $LLVM_CPPFLAGS -fPIC"
	AS_IF([test -f "$LLVM_SUPPORT_ARCHIVE"], [
		AC_LINK_IFELSE([AC_LANG_SOURCE([[
			#include <llvm-c/blake3.h>
			void culvert_hash(llvm_blake3_hasher *hasher);
			void culvert_hash(llvm_blake3_hasher *hasher)
			{
				llvm_blake3_hasher_init(hasher);
			}]])], [hash_from=LLVM])])
	LIBS=$culvert_saved_LIBS LDFLAGS=$culvert_saved_LDFLAGS CFLAGS=$culvert_saved_CFLAGS
	AS_IF([test "x$hash_from" = xLLVM], [
		AC_MSG_RESULT([yes])
		AC_DEFINE([HASH_FROM_LLVM], [1], [BLAKE3 is LLVM's, in llvm-c/blake3.h.])
		HASH_CPPFLAGS=$LLVM_CPPFLAGS
		for member in `$AR t "$LLVM_SUPPORT_ARCHIVE" | grep blake3`; do
			BLAKE3_OBJECTS="$BLAKE3_OBJECTS base/blake3/$member"
		done
	], [
		AC_MSG_RESULT([no])
		PKG_CHECK_MODULES([BLAKE3], [libblake3], [], [AC_MSG_ERROR(
			[BLAKE3 not found; install llvm-$LLVM_MAJOR-dev with its archives, or libblake3-dev])])
		HASH_CPPFLAGS=$BLAKE3_CFLAGS
		HASH_LIBS=$BLAKE3_LIBS
	])
	AC_SUBST([BLAKE3_OBJECTS])
	AC_SUBST([LLVM_SUPPORT_ARCHIVE])
	AC_SUBST([HASH_CPPFLAGS])
	AC_SUBST([HASH_LIBS])
])
