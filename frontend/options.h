/* The options of clBuildProgram, clCompileProgram and clLinkProgram.
 *
 * The string is split into words as by a shell: blanks separate words, '...' and "..." group, and a backslash
 * escapes the next character.  Options that are not passed on to Clang become fields of struct fe_options.
 *
 * A build parses its options once and passes the result to all its jobs.
 *
 * Thread-safety: parsed options are constant and have one owner. */
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

/* Copies text.  False: out of memory. */
bool fe_words_add(struct fe_words *words, const char *text, size_t length);
void fe_words_finish(struct fe_words *words);

struct fe_options {
	char *text;                 /* owned: as given; the names of dumped files depend on it */
	struct fe_words clang;      /* words for Clang's own command line, in the order given */
	unsigned standard;          /* OpenCL C version: 100, 110, 120, 200, 300 or 310 */
	bool cxx;                   /* C++ for OpenCL 1.0 (standard 200) or 2021 (standard 300) */
	struct codegen_choice codegen;
	bool non_uniform_groups;    /* also before OpenCL C 2.0 */
	bool create_library;        /* only when linking */
	bool enable_link_options;
};

/* linking: only the options of linking are valid (OpenCL 3.0 API, 5.8.7), otherwise those of 5.8.6. text: may be
 * NULL.  FE_INVALID_OPTIONS appends a line with the wrong word to log; FE_NO_MEMORY.  On FE_OK options_out is
 * written, and fe_options_finish has to be called. */
enum fe_status fe_options_parse(const char *text, bool linking, struct fe_options *options_out,
				struct bytes *log);
/* As fe_options_parse, for a program of an intermediate language: OpenCL C 3.0 with all features, whatever the text
 * says about the language, macros and warnings. */
enum fe_status fe_options_parse_il(const char *text, struct fe_options *options_out,
				   struct bytes *log);
void fe_options_finish(struct fe_options *options);
/* Appends the meaning of the options, in a form that does not depend on how they were written. */
void fe_options_canonical(const struct fe_options *options, struct bytes *text);
/* Whether programs of this process run on the software device and are checked: then they are not optimized, have
 * line tables, and contain additional information for the checker. */
bool fe_options_checked(void);

#ifdef __cplusplus
}
#endif

#endif
