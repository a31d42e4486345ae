/* The features of features.def as words for Clang.
 * Thread-safe: the table is constant. */
#ifndef CULVERT_FRONTEND_FEATURES_H
#define CULVERT_FRONTEND_FEATURES_H

#include "frontend/options.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Appends the words that make exactly the advertised extensions, features and version macros visible to a program of
 * that OpenCL C version (as in fe_options) for a device of that compute capability (as in fe_compile_job). clang: the
 * major version that reads them.  False: out of memory. */
bool fe_features_add_words(struct fe_words *words, unsigned standard, unsigned sm, unsigned clang);

/* Whether a program of that standard for that device may enable an extension of this name by pragma: the device lists
 * it, and its part of OpenCL C works in that standard. */
bool fe_extension_works(const char *name, unsigned standard, unsigned sm);

#ifdef __cplusplus
}
#endif

#endif
