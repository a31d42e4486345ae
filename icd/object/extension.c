#include "config.h"

#include "icd/object/extension.h"

#include "backend/gpu_graphics.h"
#include "frontend/frontend.h"

#include <CL/cl.h>
#include <stdio.h>

struct extension {
	const char *name;
	cl_version version;
	unsigned places;
};

static const struct extension api_extensions[] = {
#define EXTENSION(name, major, minor, patch, where)                                               \
	{#name, CL_MAKE_VERSION(major, minor, patch), where},
#include "base/extensions.def"
#undef EXTENSION
};

#define API_EXTENSION_COUNT (sizeof(api_extensions) / sizeof(api_extensions[0]))

static void name_append(struct bytes *text, const char *name)
{
	if (text->size_B)
		bytes_append_char(text, ' ');
	bytes_append_string(text, name);
}

static void version_append(struct bytes *list, const char *name, cl_version version)
{
	cl_name_version entry = {.version = version};
	snprintf(entry.name, sizeof(entry.name), "%s", name);
	bytes_append(list, &entry, sizeof(entry));
}

static bool is_listed(const struct extension *extension, enum ocl_extension_place place)
{
	return extension->places & place &&
	       (!(extension->places & OCL_EXTENSION_GRAPHICS) || gpu_graphics_is_available()) &&
	       (!(extension->places & OCL_EXTENSION_EGL) || gpu_egl_is_available());
}

void ocl_extensions_text(enum ocl_extension_place place, unsigned sm, struct bytes *text)
{
	size_t count;
	const struct fe_feature *features = fe_features(&count);
	for (size_t i = 0; i < API_EXTENSION_COUNT; i++)
		if (is_listed(&api_extensions[i], place))
			name_append(text, api_extensions[i].name);
	for (size_t i = 0; i < count; i++)
		if (features[i].is_extension && fe_feature_is_of(&features[i], sm))
			name_append(text, features[i].name);
}

void ocl_extensions_versions(enum ocl_extension_place place, unsigned sm, struct bytes *list)
{
	size_t count;
	const struct fe_feature *features = fe_features(&count);
	for (size_t i = 0; i < API_EXTENSION_COUNT; i++)
		if (is_listed(&api_extensions[i], place))
			version_append(list, api_extensions[i].name, api_extensions[i].version);
	for (size_t i = 0; i < count; i++)
		if (features[i].is_extension && fe_feature_is_of(&features[i], sm))
			version_append(list, features[i].name, features[i].version);
}

void ocl_features_versions(unsigned sm, struct bytes *list)
{
	size_t count;
	const struct fe_feature *features = fe_features(&count);
	for (size_t i = 0; i < count; i++)
		if (!features[i].is_extension && fe_feature_is_of(&features[i], sm))
			version_append(list, features[i].name, features[i].version);
}
