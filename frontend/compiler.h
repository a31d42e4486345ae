/* The compiler as a shared library of its own, libculvert-frontend.so.
 *
 * Clang and LLVM take about 90 ms to be loaded and relocated.  A process that only queries platforms, or that finds
 * its programs already built, does not need them: libculvert.so contains door.c, which loads the compiler at the
 * first build.  With --enable-static-llvm there is only one library, and door.c is not used.
 *
 * table.c fills the table in the compiler; its members are frontend.h's functions. */
#ifndef CULVERT_FRONTEND_COMPILER_H
#define CULVERT_FRONTEND_COMPILER_H

#include "frontend/frontend.h"

struct fe_compiler {
	const char *build_name;     /* CULVERT_BUILD: both libraries must be from one build */
	enum fe_status (*compile)(const struct fe_compile_job *, struct bytes *, struct bytes *);
	enum fe_status (*link)(const struct fe_link_job *, struct fe_program *, struct bytes *);
	enum fe_status (*link_library)(const struct fe_link_job *, struct bytes *, struct bytes *);
	enum fe_status (*build)(const struct fe_compile_job *, struct fe_program *, struct bytes *,
				struct bytes *);
	const void *(*libdevice)(size_t *);
	const char *(*compiler_id)(void);
};

/* The only symbol that libculvert-frontend.so exports. */
extern const struct fe_compiler culvert_compiler;

#endif
