#include "config.h"

#include "frontend/features.h"

#include <string.h>

#define PACKED_VERSION(major, minor, patch) \
	((uint32_t)(major) << 22 | (uint32_t)(minor) << 12 | (uint32_t)(patch))

enum kind { KIND_EXTENSION, KIND_EXTENSION_3, KIND_FEATURE, KIND_FEATURE_2 };
/* How the name of a feature is made known to a program. */
enum how { HOW_CLANG, HOW_CLANG_2, HOW_BUILTIN, HOW_MACRO };

static const struct fe_feature features[] = {
#define FEATURE(name, kind, major, minor, patch, how) \
	{#name, PACKED_VERSION(major, minor, patch), KIND_##kind < KIND_FEATURE},
#define MISSING_FEATURE(name)
#include "frontend/features.def"
#undef FEATURE
#undef MISSING_FEATURE
};

static const enum kind kinds[] = {
#define FEATURE(name, kind, major, minor, patch, how) KIND_##kind,
#define MISSING_FEATURE(name)
#include "frontend/features.def"
#undef FEATURE
#undef MISSING_FEATURE
};

static const enum how hows[] = {
#define FEATURE(name, kind, major, minor, patch, how) HOW_##how,
#define MISSING_FEATURE(name)
#include "frontend/features.def"
#undef FEATURE
#undef MISSING_FEATURE
};

enum { FEATURE_COUNT = sizeof(features) / sizeof(*features) };

static const struct {
	const char *name;
	unsigned sm;
} least_sm[] = {
#define FEATURE(name, kind, major, minor, patch, how)
#define MISSING_FEATURE(name)
#define LEAST_SM(name, sm) {#name, sm},
#include "frontend/features.def"
#undef FEATURE
#undef MISSING_FEATURE
};

const struct fe_feature *fe_features(size_t *count_out)
{
	*count_out = FEATURE_COUNT;
	return features;
}

bool fe_feature_is_of(const struct fe_feature *feature, unsigned sm)
{
	for (size_t i = 0; i < sizeof(least_sm) / sizeof(*least_sm); i++)
		if (!strcmp(feature->name, least_sm[i].name))
			return sm >= least_sm[i].sm;
	return true;
}

static bool add_string(struct fe_words *words, const char *word)
{
	return fe_words_add(words, word, strlen(word));
}

/* prefix and suffix are "-D" and "=1", or "-U" and "". */
static bool add_macro(struct fe_words *words, const char *prefix, const char *name,
		      const char *suffix)
{
	struct bytes word = BYTES_INIT;
	bytes_printf(&word, "%s%s%s", prefix, name, suffix);
	bool added = !bytes_failed(&word) && add_string(words, bytes_string(&word));
	bytes_finish(&word);
	return added;
}

static enum how how_in(size_t feature, unsigned standard)
{
	if (hows[feature] != HOW_CLANG_2)
		return hows[feature];
	return standard >= 200 ? HOW_CLANG : HOW_MACRO;
}

/* Clang's header before version 22 defines the macros itself for OpenCL C 2.0, which always has these features. */
static bool is_visible(size_t feature, unsigned standard, unsigned clang)
{
	const unsigned first_2 = clang >= 22 ? 200 : 300;
	switch (kinds[feature]) {
	case KIND_EXTENSION:
		return true;
	case KIND_FEATURE_2:
		return standard >= first_2;
	default:
		return standard >= 300;
	}
}

bool fe_extension_works(const char *name, unsigned standard, unsigned sm)
{
	static const char *const of_the_api[] = {
#define EXTENSION(name, major, minor, patch, where) #name,
#include "base/extensions.def"
#undef EXTENSION
	};
	for (size_t i = 0; i < sizeof(of_the_api) / sizeof(*of_the_api); i++)
		if (!strcmp(name, of_the_api[i]))
			return true;
	for (size_t i = 0; i < FEATURE_COUNT; i++)
		if (!strcmp(name, features[i].name))
			return fe_feature_is_of(&features[i], sm) &&
			       (kinds[i] == KIND_EXTENSION || (kinds[i] == KIND_EXTENSION_3 && standard >= 300));
	return false;
}

bool fe_features_add_words(struct fe_words *words, unsigned standard, unsigned sm, unsigned clang)
{
	/* Clang's defaults for the target differ from version to version, so everything is disabled first. */
	struct bytes list = BYTES_INIT;
	bytes_append_string(&list, "-cl-ext=-all");
	bool added = true;
	for (size_t i = 0; i < FEATURE_COUNT && added; i++) {
		bool visible = is_visible(i, standard, clang) && fe_feature_is_of(&features[i], sm);
		enum how how = how_in(i, standard);
		if (visible && how == HOW_CLANG)
			bytes_printf(&list, ",+%s", features[i].name);
		else if (visible && how == HOW_MACRO)
			added = add_macro(words, "-D", features[i].name, "=1");
		else if (!visible && how == HOW_BUILTIN)
			added = add_macro(words, "-U", features[i].name, "");
	}
	/* With generic pointers Clang's header declares built-in functions for these only; the versions for named
	 * address spaces are compiled to better code. */
	if (standard >= 200)
		added = added &&
			add_string(words, "-D__opencl_c_named_address_space_builtins=1");
	/* OpenCL C 3.0, 6.12.10: "1 if images are supported and is undefined otherwise". */
	if (FE_HAS___opencl_c_images)
		added = added && add_string(words, "-D__IMAGE_SUPPORT__=1");
	added = added && !bytes_failed(&list) && add_string(words, bytes_string(&list)) &&
		/* OpenCL C 3.1, 6.12.10: the version of the device, not of the program. */
		add_string(words, "-D__OPENCL_VERSION__=310") &&
		/* Clang before 23 knows no name of this one. */
		add_string(words, "-UCL_VERSION_3_1") &&
		add_string(words, "-DCL_VERSION_3_1=310");
	/* An extension of SPIR-V and OpenCL C++, which Clang does not know.  Extensions, 1.2: an extension that a
	 * device lists has its macro. */
	added = added && add_macro(words, "-D", "cl_khr_subgroup_named_barrier", "=1");
	/* What OpenCL C 3.1 adds to 3.0 is always available as extensions, so Clang need not support 3.1. */
	if (standard > 300)
		added = added && add_string(words, "-U__OPENCL_C_VERSION__") &&
			add_string(words, "-D__OPENCL_C_VERSION__=310");
	bytes_finish(&list);
	return added;
}
