/* What the tests of softcuda's textures and surfaces share: the kernels, arrays and
 * their bytes. */
#ifndef CULVERT_TESTS_SOFT_IMAGE_H
#define CULVERT_TESTS_SOFT_IMAGE_H

#include "tests/gpu/texture_kernel.h"
#include "tests/unit/soft_setup.h"

enum { COORDINATES_MAX = 512 };

/* CU_AD_FORMAT_UNORM_INT_101010_2, which headers before CUDA 13 do not name: four channels in four bytes. */
#define PACKED_10 ((CUarray_format)0x50)

static CUmodule module;
static CUdeviceptr coordinates_at, values_at;

static inline bool ready(void)
{
	struct text text = {0};
	char name[64];
	/* The PTX of all kernels, of version 8.1, is that of CUDA 12.1. */
	unsetenv("CULVERT_SOFT_DRIVER");
	if (!set_up())
		return false;
	if (module)
		return true;
	say_header(&text);
	for (int s = 0; s < SHAPES; s++) {
		for (int real = 0; real < 2; real++) {
			snprintf(name, sizeof(name), "tex_%s_%s", shape_names[s],
				 real ? "f32" : "s32");
			say_texture(&text, name, "tex", shape_names[s], real, "");
		}
		for (unsigned bits = 8; bits <= 64; bits *= 2) {
			snprintf(name, sizeof(name), "suld_%s_%u", shape_names[s], bits);
			say_surface(&text, name, "suld.b", shape_names[s], bits, 1, "trap");
			snprintf(name, sizeof(name), "sust_%s_%u", shape_names[s], bits);
			say_surface(&text, name, "sust.b", shape_names[s], bits, 1, "trap");
		}
	}
	say_texture(&text, "offset", "tex", "2d", 1, ", {1, -2}");
	say_texture(&text, "level", "tex.level", "2d", 1, ", f3");
	for (int s = 0; s < SHAPES; s++) {
		snprintf(name, sizeof(name), "level_%s", shape_names[s]);
		say_texture(&text, name, "tex.level", shape_names[s], 1, ", f3");
	}
	say_texture(&text, "level_index", "tex.level", "2d", 0, ", x3");
	say_texture(&text, "grad", "tex.grad", "2d", 1, ", {f2, f3}, {f3, f2}");
	say_start(&text, "halves");
	say(&text, "tex.2d.v2.f16x2.f32 {r0, r1}, [o, {f0, f1}];\n"
	    "st.global.v2.b32 [out_at], {r0, r1};\n");
	say_end(&text);
	say_texture(&text, "gather_r", "tld4.r", "2d", 1, "");
	say_texture(&text, "gather_a", "tld4.a", "2d", 1, "");
	say_surface(&text, "load_clamp", "suld.b", "2d", 32, 1, "clamp");
	say_surface(&text, "load_zero", "suld.b", "2d", 32, 1, "zero");
	say_surface(&text, "store_clamp", "sust.b", "2d", 32, 1, "clamp");
	say_surface(&text, "store_zero", "sust.b", "2d", 32, 1, "zero");
	say_surface(&text, "store_formatted", "sust.p", "2d", 32, 4, "trap");
	say_reduction(&text, "add_u32", "sured.b.add", "2d", "u32", "trap");
	say_reduction(&text, "min_s32", "sured.b.min", "2d", "s32", "trap");
	say_reduction(&text, "add_u64", "sured.b.add", "2d", "u64", "trap");
	say_query(&text, "texture_width", "txq.width");
	say_query(&text, "texture_height", "txq.height");
	say_query(&text, "surface_depth", "suq.depth");
	bool there = cuModuleLoadData(&module, text.data) == CUDA_SUCCESS &&
		     cuMemAlloc_v2(&coordinates_at, 16 * COORDINATES_MAX) == CUDA_SUCCESS &&
		     cuMemAlloc_v2(&values_at, 16 * COORDINATES_MAX) == CUDA_SUCCESS;
	free(text.data);
	return there;
}

/* Runs a kernel on count coordinates; values go in and come out. */
static inline CUresult run(const char *name, uint64_t object, const void *coordinates,
			   unsigned count, void *values)
{
	CUfunction function;
	void *parameters[] = {&object, &coordinates_at, &values_at, &count};
	CUresult result = cuModuleGetFunction(&function, module, name);
	if (result == CUDA_SUCCESS)
		result = cuMemcpyHtoD_v2(coordinates_at, coordinates, 16u * count);
	if (result == CUDA_SUCCESS)
		result = cuMemcpyHtoD_v2(values_at, values, 16u * count);
	if (result == CUDA_SUCCESS)
		result = cuLaunchKernel(function, (count + 63) / 64, 1, 1, 64, 1, 1, 0, NULL,
					parameters, NULL);
	if (result == CUDA_SUCCESS)
		result = cuMemcpyDtoH_v2(values, values_at, 16u * count);
	return result;
}

static inline CUarray array_create(size_t width, size_t height, size_t depth, CUarray_format format,
			    unsigned channels, unsigned flags)
{
	CUarray array = NULL;
	const CUDA_ARRAY3D_DESCRIPTOR descriptor = {
		.Width = width, .Height = height, .Depth = depth, .Format = format,
		.NumChannels = channels, .Flags = flags
	};
	CHECK_EQ(cuArray3DCreate_v2(&array, &descriptor), CUDA_SUCCESS);
	return array;
}

/* All of an array from or to host memory without gaps. */
static inline CUresult array_copy(CUarray array, void *bytes, bool to_array)
{
	CUDA_ARRAY3D_DESCRIPTOR is;
	CUDA_MEMCPY3D copy = {0};
	CUresult result = cuArray3DGetDescriptor_v2(&is, array);
	if (result != CUDA_SUCCESS)
		return result;
	unsigned channel_B = is.Format == CU_AD_FORMAT_FLOAT ||
			     is.Format == CU_AD_FORMAT_UNSIGNED_INT32 ||
			     is.Format == CU_AD_FORMAT_SIGNED_INT32 ? 4 :
			     is.Format == CU_AD_FORMAT_UNSIGNED_INT8 ||
			     is.Format == CU_AD_FORMAT_SIGNED_INT8 || is.Format == PACKED_10 ? 1 : 2;
	copy.srcMemoryType = to_array ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_ARRAY;
	copy.dstMemoryType = to_array ? CU_MEMORYTYPE_ARRAY : CU_MEMORYTYPE_HOST;
	copy.srcHost = bytes;
	copy.dstHost = bytes;
	copy.srcArray = copy.dstArray = array;
	copy.WidthInBytes = is.Width * channel_B * is.NumChannels;
	copy.Height = is.Height ? is.Height : 1;
	copy.Depth = is.Depth ? is.Depth : 1;
	copy.srcPitch = copy.dstPitch = copy.WidthInBytes;
	copy.srcHeight = copy.dstHeight = copy.Height;
	return cuMemcpy3D_v2(&copy);
}

static uint32_t random_state = 1;

static inline uint32_t random_below(uint32_t bound)
{
	random_state = random_state * 1664525 + 1013904223;
	return (random_state >> 8) % bound;
}

#endif
