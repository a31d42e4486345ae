/* What calls answer and refuse, and what ends a context. */
#include "config.h"

#include "tests/gpu/texture_case.h"

/* --- questions ---------- */

void run_attributes(void)
{
	memset(coordinates, 0, sizeof(coordinates));
	memset(values, 0, sizeof(values));
	for (int attribute = 11; attribute < 78; attribute++) {
		int value = 0;
		char name[32];
		bool image = attribute == 11 || attribute == 14 ||
			     (attribute >= 21 && attribute <= 30) ||
			     (attribute >= 42 && attribute != 50);
		snprintf(name, sizeof(name), "attribute %d", attribute);
		if (!image || attribute == 75 || attribute == 76)
			continue;
		CUresult status = cuda.attribute(&value, (CUdevice_attribute)attribute, 0);
		values[0][0] = (uint32_t)value;
		put(name, status, 1);
	}
}

static void run_query(const char *mnemonic, uint64_t object, const char *prefix)
{
	struct text text = {0};
	char name[96];
	CUmodule big = texture_module;
	say_header(&text);
	say_query(&text, "query", mnemonic);
	memset(coordinates, 0, sizeof(coordinates));
	memset(values, 0, sizeof(values));
	CUresult status = load(&text, &texture_module);
	if (!status) {
		status = launch("query", object, 1);
		cuda.unload(texture_module);
	}
	texture_module = big;
	free(text.data);
	snprintf(name, sizeof(name), "%s %s", prefix, mnemonic);
	put(name, status, 1);
}

void run_queries(void)
{
	static const char *const textures[] = {
		"txq.width", "txq.height", "txq.depth", "txq.array_size", "txq.channel_data_type",
		"txq.channel_order", "txq.normalized_coords", "txq.force_unnormalized_coords",
		"txq.filter_mode", "txq.addr_mode_0", "txq.addr_mode_1", "txq.addr_mode_2",
		"txq.num_mipmap_levels", "txq.num_samples"
	};
	static const char *const surfaces[] = {
		"suq.width", "suq.height", "suq.depth", "suq.array_size", "suq.channel_data_type",
		"suq.channel_order", "suq.memory_layout"
	};
	for (unsigned s = 0; s < RESOURCES; s++) {
		struct resource resource;
		uint64_t texture = 0, surface = 0;
		char prefix[48];
		const struct sampler sampler = {.normalized = s & 1, .filter = s & 2,
						.address = s % 4};
		CUresult status = resource_create(&resource, &shapes[s], &formats[FORMAT_F32], 4,
						  shapes[s].place == ON_ARRAY ?
						  CUDA_ARRAY3D_SURFACE_LDST : 0);
		snprintf(prefix, sizeof(prefix), "query %s", shapes[s].name);
		if (!status)
			status = texture_create((CUtexObject *)&texture, &resource, &sampler);
		if (!status && shapes[s].place == ON_ARRAY)
			status = cuda.surface_create((CUsurfObject *)&surface,
						     &resource.descriptor);
		if (status)
			put(prefix, status, 0);
		for (unsigned i = 0; texture && i < sizeof(textures) / sizeof(textures[0]); i++)
			run_query(textures[i], texture, prefix);
		for (unsigned i = 0; surface && i < sizeof(surfaces) / sizeof(surfaces[0]); i++)
			run_query(surfaces[i], surface, prefix);
		if (texture)
			cuda.texture_destroy(texture);
		if (surface)
			cuda.surface_destroy(surface);
		resource_destroy(&resource);
	}
}

/* --- calls that are wrong ---------- */

static void try_array(const char *name, const CUDA_ARRAY3D_DESCRIPTOR *descriptor)
{
	CUarray array = NULL;
	char whole[96];
	CUresult status = cuda.array_create(&array, descriptor);
	snprintf(whole, sizeof(whole), "array %s", name);
	put(whole, status, 0);
	if (array)
		cuda.array_destroy(array);
}

static void run_array_errors(void)
{
	static const struct { const char *name; CUDA_ARRAY3D_DESCRIPTOR is; } tries[] = {
		{"three channels", {4, 4, 0, CU_AD_FORMAT_FLOAT, 3, 0}},
		{"no channels", {4, 4, 0, CU_AD_FORMAT_FLOAT, 0, 0}},
		{"no width", {0, 4, 0, CU_AD_FORMAT_FLOAT, 4, 0}},
		{"no height in 3D", {4, 0, 4, CU_AD_FORMAT_FLOAT, 4, 0}},
		{"no layers", {4, 4, 0, CU_AD_FORMAT_FLOAT, 4, CUDA_ARRAY3D_LAYERED}},
		{"wide 1D", {131073, 0, 0, CU_AD_FORMAT_FLOAT, 1, 0}},
		{"wide 1D surface", {32769, 0, 0, CU_AD_FORMAT_FLOAT, 1,
				     CUDA_ARRAY3D_SURFACE_LDST}},
		{"wide 2D", {131073, 1, 0, CU_AD_FORMAT_FLOAT, 1, 0}},
		{"high 2D", {1, 65537, 0, CU_AD_FORMAT_FLOAT, 1, 0}},
		{"deep 3D", {1, 1, 16385, CU_AD_FORMAT_FLOAT, 1, 0}},
		{"wide 3D", {16385, 1, 1, CU_AD_FORMAT_FLOAT, 1, 0}},
		{"many layers", {1, 1, 2049, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_LAYERED}},
		{"gather in 1D", {4, 0, 0, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_TEXTURE_GATHER}},
		{"gather in 3D", {4, 4, 4, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_TEXTURE_GATHER}},
		{"gather in layers", {4, 4, 4, CU_AD_FORMAT_FLOAT, 1,
				      CUDA_ARRAY3D_TEXTURE_GATHER | CUDA_ARRAY3D_LAYERED}},
		{"unknown flag", {4, 4, 0, CU_AD_FORMAT_FLOAT, 1, 0x8000}},
		{"unknown format", {4, 4, 0, (CUarray_format)0x7f, 1, 0}},
		{"unorm with other channels", {4, 4, 0, CU_AD_FORMAT_UNORM_INT8X4, 1, 0}},
		{"depth", {4, 4, 0, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_DEPTH_TEXTURE}},
		{"depth of four channels", {4, 4, 0, CU_AD_FORMAT_FLOAT, 4,
					    CUDA_ARRAY3D_DEPTH_TEXTURE}}
	};
	for (unsigned i = 0; i < sizeof(tries) / sizeof(tries[0]); i++)
		try_array(tries[i].name, &tries[i].is);
}

static void try_texture(const char *name, const struct resource *resource,
			const CUDA_TEXTURE_DESC *sampler)
{
	CUtexObject object = 0;
	char whole[96];
	CUresult status = cuda.texture_create(&object, &resource->descriptor, sampler, NULL);
	snprintf(whole, sizeof(whole), "object %s", name);
	put(whole, status, 0);
	if (object)
		cuda.texture_destroy(object);
}

static void run_object_errors(void)
{
	const CUDA_TEXTURE_DESC plain = {.flags = 0};
	CUDA_TEXTURE_DESC sampler = plain;
	struct resource resource, wrong;
	CUsurfObject surface = 0;
	put("object array",
	    resource_create(&resource, &shapes[SHAPE_2D], &formats[FORMAT_F32], 4, 0), 0);
	put("object surface without its flag", cuda.surface_create(&surface, &resource.descriptor),
	    0);
	sampler.flags = 0x8000;
	try_texture("unknown flag", &resource, &sampler);
	sampler = plain;
	sampler.addressMode[0] = (CUaddress_mode)7;
	try_texture("unknown address mode", &resource, &sampler);
	sampler = plain;
	sampler.filterMode = (CUfilter_mode)7;
	try_texture("unknown filter", &resource, &sampler);
	sampler = plain;
	sampler.flags = CU_TRSF_SRGB;
	try_texture("srgb of floats", &resource, &sampler);
	wrong = resource;
	wrong.descriptor.flags = 1;
	try_texture("resource flag", &wrong, &plain);
	wrong.descriptor = resource.descriptor;
	wrong.descriptor.res.array.hArray = NULL;
	try_texture("null array", &wrong, &plain);
	resource_destroy(&resource);
	put("object linear",
	    resource_create(&resource, &shapes[SHAPE_LINEAR], &formats[FORMAT_F32], 4, 0), 0);
	wrong = resource;
	wrong.descriptor.res.linear.devPtr += 16;
	wrong.descriptor.res.linear.sizeInBytes -= 16;
	try_texture("linear not aligned", &wrong, &plain);
	wrong.descriptor = resource.descriptor;
	wrong.descriptor.res.linear.sizeInBytes = 0;
	try_texture("linear of no bytes", &wrong, &plain);
	wrong.descriptor.res.linear.sizeInBytes = 40;
	try_texture("linear of two texels and a half", &wrong, &plain);
	put("object surface on linear memory",
	    cuda.surface_create(&surface, &resource.descriptor), 0);
	resource_destroy(&resource);
	put("object pitch",
	    resource_create(&resource, &shapes[SHAPE_PITCH], &formats[FORMAT_F32], 4, 0), 0);
	wrong = resource;
	wrong.descriptor.res.pitch2D.pitchInBytes = 16 * 7;
	try_texture("pitch not aligned", &wrong, &plain);
	wrong.descriptor = resource.descriptor;
	wrong.descriptor.res.pitch2D.pitchInBytes = 96;
	try_texture("pitch too small", &wrong, &plain);
	wrong.descriptor = resource.descriptor;
	wrong.descriptor.res.pitch2D.devPtr += 32;
	wrong.descriptor.res.pitch2D.height = 4;
	try_texture("pitch memory not aligned", &wrong, &plain);
	resource_destroy(&resource);
	put("object texture 0", cuda.texture_destroy(0), 0);
	put("object surface 0", cuda.surface_destroy(0), 0);
}

void run_errors(void)
{
	run_array_errors();
	run_object_errors();
}

/* --- what kills a context ---------- */

struct trap {
	const char *name, *kernel;
	int x, y;
	enum { ON_SURFACE, ON_TEXTURE, ON_NOTHING } on;
};

static void run_trap(const struct trap *trap)
{
	struct resource resource;
	uint64_t object = 0;
	const struct sampler sampler = {.filter = false};
	char name[96];
	CUcontext context;
	for (unsigned i = 0; i < 256; i++)
		texels[i] = (unsigned char)i;
	CUresult status = cuda.retain(&context, 0);
	if (!status)
		status = cuda.set_current(context);
	if (!status)
		status = prepare();
	if (!status)
		status = resource_create(&resource, &shapes[SHAPE_2D], &formats[FORMAT_F32], 1,
					 CUDA_ARRAY3D_SURFACE_LDST);
	if (!status && trap->on == ON_SURFACE)
		status = cuda.surface_create((CUsurfObject *)&object, &resource.descriptor);
	if (!status && trap->on == ON_TEXTURE)
		status = texture_create((CUtexObject *)&object, &resource, &sampler);
	memset(coordinates, 0, sizeof(coordinates));
	memset(values, 0, sizeof(values));
	coordinates[0][0] = (uint32_t)trap->x;
	coordinates[0][1] = (uint32_t)trap->y;
	if (status)
		fprintf(stderr, "trap %s: not prepared: %d\n", trap->name, status);
	snprintf(name, sizeof(name), "trap %s", trap->name);
	status = status ? status : launch(trap->kernel, object, 1);
	coordinates[0][0] = coordinates[0][1] = 0;
	put(name, status, 1);
	cuda.reset(0);
}

void run_traps(int only)
{
	static const struct trap traps[] = {
		{"nothing wrong", "sust_trap", 4, 2, ON_SURFACE},
		{"store left of the surface", "sust_trap", -4, 0, ON_SURFACE},
		{"store right of the surface", "sust_trap", 28, 0, ON_SURFACE},
		{"store below the surface", "sust_trap", 0, 5, ON_SURFACE},
		{"formatted store outside", "sustp_trap", 7, 0, ON_SURFACE},
		{"load outside", "suld_trap", 28, 0, ON_SURFACE},
		{"store not aligned", "sust_trap", 2, 0, ON_SURFACE},
		{"load not aligned", "suld_trap", 2, 0, ON_SURFACE},
		{"two words of one-word texels", "suld_2d_v2b32_zero", 8, 0, ON_SURFACE},
		{"texture as surface", "suld_trap", 4, 2, ON_TEXTURE},
		{"surface as texture", "tex_2d_s32", 4, 2, ON_SURFACE},
		{"no object as texture", "tex_2d_s32", 4, 2, ON_NOTHING},
		{"no object as surface", "sust_trap", 4, 2, ON_NOTHING},
		{"2D texture in 1D", "tex_1d_s32", 4, 2, ON_TEXTURE},
		{"2D texture in 3D", "tex_3d_s32", 4, 2, ON_TEXTURE},
		{"2D surface in 1D", "suld_1d_b32_zero", 4, 2, ON_SURFACE}
	};
	for (unsigned i = 0; i < sizeof(traps) / sizeof(traps[0]); i++)
		if (only < 0 || (unsigned)only == i)
			run_trap(&traps[i]);
}
