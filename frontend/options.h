/* The options string of clBuildProgram, clCompileProgram and clLinkProgram.
 *
 * Words are split as a shell does: blanks separate, '...' and "..." group, a
 * backslash takes the next character as it is.  Everything that Clang is not
 * told becomes a field here.
 *
 * A build reads its options once; what was read goes to all that want to know of them.
 *
 * Thread-safety: none needed; a parsed set is plain data with one owner, constant once it was read. */
#ifndef CULVERT_FRONTEND_OPTIONS_H
#define CULVERT_FRONTEND_OPTIONS_H

#include "frontend/frontend.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A growable list of strings; both levels are owned. */
struct fe_words {
	char **items;
	size_t count;
	size_t capacity;
};

/* Returns false when out of memory; text is copied. */
bool fe_words_add(struct fe_words *words, const char *text, size_t length);
void fe_words_finish(struct fe_words *words);

struct fe_options {
	char *text;                 /* owned: as they were given; files of stages are named by it */
	struct fe_words clang;      /* words for Clang's own command line, in the order given */
	unsigned standard;          /* of OpenCL C: 100, 110, 120, 200, 300 or 310 */
	bool cxx;                   /* C++ for OpenCL 1.0 or 2021, made of 200 or 300 */
	struct codegen_choice codegen;
	bool non_uniform_groups;    /* also before OpenCL C 2.0 */
	bool create_library;        /* the link subset only */
	bool enable_link_options;
};

/* linking: the link subset (OpenCL 3.0 API, 5.8.7), else 5.8.6.  text NULL: none.
 * FE_INVALID_OPTIONS appends a line with the word at fault; FE_NO_MEMORY.  options_out is written, and to
 * be finished, on FE_OK. */
enum fe_status fe_options_parse(const char *text, bool linking, struct fe_options *options_out,
				struct bytes *log);
/* The same for a program made of intermediate language: OpenCL C 3.0 with everything that we have,
 * whatever the text says of the language, of macros and of warnings. */
enum fe_status fe_options_parse_il(const char *text, struct fe_options *options_out,
				   struct bytes *log);
void fe_options_finish(struct fe_options *options);
/* Appends what the options mean, in one form for all ways to write them. */
void fe_options_canonical(const struct fe_options *options, struct bytes *text);
/* Whether programs of this process run on the software device and are checked: they are not
 * optimized, have line tables, and tell its checker more than other programs would. */
bool fe_options_checked(void);

#ifdef __cplusplus
}
#endif

#endif
