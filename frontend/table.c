#include "config.h"

#include "build_name.h"
#include "frontend/compiler.h"

__attribute__((visibility("default"))) const struct fe_compiler culvert_compiler = {
	.build_name = CULVERT_BUILD,
	.compile = fe_compile,
	.link = fe_link,
	.link_library = fe_link_library,
	.build = fe_build,
	.libdevice = fe_libdevice,
	.compiler_id = fe_compiler_id,
};
