#include "config.h"

#include "frontend/compiler.h"

__attribute__((visibility("default"))) const struct fe_compiler culvert_compiler = {
	.version = PACKAGE_VERSION,
	.compile = fe_compile,
	.link = fe_link,
	.link_library = fe_link_library,
	.build = fe_build,
	.libdevice = fe_libdevice,
	.compiler_id = fe_compiler_id,
};
