# CULVERT_CHECK_OPENCL
# The headers are needed to build; a loader (libOpenCL) to run the API tests.
AC_DEFUN([CULVERT_CHECK_OPENCL], [
	AC_CHECK_HEADER([CL/cl_icd.h], [],
		[AC_MSG_ERROR([OpenCL headers not found; install opencl-headers])],
		[#define CL_TARGET_OPENCL_VERSION 300
		 #include <CL/cl.h>])
	dnl Headers of OpenCL 3.1 have it.
	AC_CHECK_MEMBERS([cl_icd_dispatch.clGetKernelSuggestedLocalWorkSize], [], [],
		[[#define CL_TARGET_OPENCL_VERSION 300
		  #include <CL/cl_icd.h>]])
	PKG_CHECK_MODULES([OPENCL], [OpenCL], [opencl_found=yes], [
		AC_CHECK_LIB([OpenCL], [clGetPlatformIDs],
			[OPENCL_LIBS=-lOpenCL; opencl_found=yes], [opencl_found=no])])
	AM_CONDITIONAL([HAVE_OPENCL_LOADER], [test "x$opencl_found" = xyes])
	AC_SUBST([OPENCL_LIBS])
])
