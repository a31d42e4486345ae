# CULVERT_CHECK_SPIRV
# The numbers of SPIR-V's instructions, those of its younger extensions among them; nothing of it
# is linked.
AC_DEFUN([CULVERT_CHECK_SPIRV], [
	AC_CHECK_DECL([SpvOpControlBarrierWaitINTEL], [],
		[AC_MSG_ERROR([SPIR-V headers (spirv/unified1/spirv.h) of 2022 or newer not found; install spirv-headers])],
		[[#define SPV_ENABLE_UTILITY_CODE
		  #include <spirv/unified1/spirv.h>
		  #include <spirv/unified1/OpenCL.std.h>]])
])
