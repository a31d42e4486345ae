#include "config.h"

#include "backend/gpu_image_internal.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* CUDA has no fills of arrays: a kernel stores the texel through the array's surface.  There is an entry for each
 * geometry and each size of a texel; a thread writes one texel.  Other entries convert texels between packed words in
 * linear memory and arrays of four floats, or groups of texels and arrays of shorts: one for each geometry, each size
 * of a word or a group, and each direction. */

struct shape {
	const char *name;                /* the geometry in PTX */
	const char *coordinates;         /* x in bytes: %r1; y: %r2; z or layer: %r3 */
};

enum { SHAPE_1D, SHAPE_1D_ARRAY, SHAPE_2D, SHAPE_2D_ARRAY, SHAPE_3D };

static const struct shape shapes[] = {
	[SHAPE_1D] = {"1d", "{%r1}"},
	[SHAPE_1D_ARRAY] = {"a1d", "{%r3, %r1}"},
	[SHAPE_2D] = {"2d", "{%r1, %r2}"},
	[SHAPE_2D_ARRAY] = {"a2d", "{%r3, %r1, %r2, %r2}"},
	[SHAPE_3D] = {"3d", "{%r1, %r2, %r3, %r3}"},
};

struct store {
	uint32_t texel_B;
	const char *type, *values, *load;
};

static const struct store stores[] = {
	{1, "b8", "%h1", " ld.param.u8 %h1, [texel];\n"},
	{2, "b16", "%h1", " ld.param.u16 %h1, [texel];\n"},
	{4, "b32", "%r4", " ld.param.u32 %r4, [texel];\n"},
	{8, "v2.b32", "{%r4, %r5}", " ld.param.v2.u32 {%r4, %r5}, [texel];\n"},
	{16, "v4.b32", "{%r4, %r5, %r6, %r7}",
	 " ld.param.v4.u32 {%r4, %r5, %r6, %r7}, [texel];\n"},
};

/* A parameter of the entries: the first texel, and the number of texels. */
struct fill_box {
	uint32_t origin[3], region[3];
};

enum { COUNT_OF_SHAPES = 5, COUNT_OF_STORES = 5, THREADS_X = 32, THREADS_Y = 8,
       TEXEL_MAX_B = 16, OLDEST_SM = 75 };

static const char entry_head[] =
	"{\n"
	" .reg .pred %p<3>;\n"
	" .reg .b16 %h<2>;\n"
	" .reg .b32 %r<12>;\n"
	" .reg .b64 %d<6>;\n"
	" .reg .f32 %f<3>;\n"
	" ld.param.u64 %d1, [surface];\n"
	" mov.u32 %r8, %ctaid.x;\n"
	" mov.u32 %r9, %ntid.x;\n"
	" mov.u32 %r10, %tid.x;\n"
	" mad.lo.u32 %r1, %r8, %r9, %r10;\n"
	" mov.u32 %r8, %ctaid.y;\n"
	" mov.u32 %r9, %ntid.y;\n"
	" mov.u32 %r10, %tid.y;\n"
	" mad.lo.u32 %r2, %r8, %r9, %r10;\n"
	" mov.u32 %r3, %ctaid.z;\n"
	" ld.param.u32 %r8, [box+12];\n"
	" ld.param.u32 %r9, [box+16];\n"
	" setp.ge.u32 %p1, %r1, %r8;\n"
	" setp.ge.u32 %p2, %r2, %r9;\n"
	" or.pred %p1, %p1, %p2;\n"
	" @%p1 bra end;\n"
	" ld.param.u32 %r8, [box];\n"
	" ld.param.u32 %r9, [box+4];\n"
	" ld.param.u32 %r10, [box+8];\n"
	" add.u32 %r1, %r1, %r8;\n"
	" add.u32 %r2, %r2, %r9;\n"
	" add.u32 %r3, %r3, %r10;\n";

static void entry_append(struct bytes *text, const struct shape *shape, const struct store *store)
{
	bytes_printf(text, ".visible .entry fill_%s_%u(.param .u64 surface, .param .align 4 .b8 box[24],\n"
		     " .param .align 16 .b8 texel[16])\n%s", shape->name, store->texel_B, entry_head);
	bytes_printf(text, " mul.lo.u32 %%r1, %%r1, %u;\n%s", store->texel_B, store->load);
	bytes_printf(text, " sust.b.%s.%s.zero [%%d1, %s], %s;\nend:\n ret;\n}\n", shape->name,
		     store->type, shape->coordinates, store->values);
}

/* A parameter of the entries that convert. */
struct words {
	uint64_t address, row_pitch_B, slice_pitch_B;
	uint32_t shift[4], most[4];      /* of each channel; most: the word's greatest value of it */
};

/* %d2: the address of the word. */
static const char word_address[] =
	" ld.param.u64 %d2, [words];\n"
	" ld.param.u64 %d3, [words+8];\n"
	" cvt.u64.u32 %d5, %r2;\n"
	" mad.lo.u64 %d2, %d5, %d3, %d2;\n"
	" ld.param.u64 %d4, [words+16];\n"
	" cvt.u64.u32 %d5, %r3;\n"
	" mad.lo.u64 %d2, %d5, %d4, %d2;\n";

/* %f1: channel i, which was in the word %r8. */
static const char channel_unpack[] =
	" shr.u32 %r11, %r8, %r9;\n"
	" and.b32 %r11, %r11, %r10;\n"
	" max.u32 %r10, %r10, 1;\n"
	" cvt.rn.f32.u32 %f1, %r11;\n"
	" cvt.rn.f32.u32 %f2, %r10;\n"
	" div.rn.f32 %f1, %f1, %f2;\n";

/* Adds the channel %f1 to the word.  A NaN becomes 0. */
static const char channel_pack[] =
	" max.f32 %f1, %f1, 0f00000000;\n"
	" min.f32 %f1, %f1, 0f3F800000;\n"
	" cvt.rn.f32.u32 %f2, %r10;\n"
	" mul.rn.f32 %f1, %f1, %f2;\n"
	" cvt.rni.u32.f32 %r11, %f1;\n"
	" shl.b32 %r11, %r11, %r9;\n"
	" or.b32 %r8, %r8, %r11;\n";

static void channels_append(struct bytes *text, bool to_array)
{
	for (unsigned i = 0; i < 4; i++) {
		bytes_printf(text, " ld.param.u32 %%r9, [words+%u];\n ld.param.u32 %%r10, [words+%u];\n",
			     (unsigned)(offsetof(struct words, shift) + 4 * i),
			     (unsigned)(offsetof(struct words, most) + 4 * i));
		if (to_array)
			bytes_printf(text, "%s mov.b32 %%r%u, %%f1;\n", channel_unpack, 4 + i);
		else
			bytes_printf(text, " mov.b32 %%f1, %%r%u;\n%s", 4 + i, channel_pack);
	}
}

/* The beginning of a kernel that converts between words or groups of that size and an array. */
static void words_entry_append(struct bytes *text, const char *verb, const struct shape *shape, uint32_t word_B)
{
	bytes_printf(text, ".visible .entry %s_%s_%u(.param .u64 surface, .param .align 4 .b8 box[24],\n"
		     " .param .align 8 .b8 words[%u])\n%s%s", verb, shape->name, word_B,
		     (unsigned)sizeof(struct words), entry_head, word_address);
}

static void convert_append(struct bytes *text, const struct shape *shape, uint32_t word_B, bool to_array)
{
	const unsigned bits = 8 * word_B;
	words_entry_append(text, to_array ? "unpack" : "pack", shape, word_B);
	bytes_printf(text, " mul.wide.u32 %%d5, %%r1, %u;\n add.u64 %%d2, %%d2, %%d5;\n"
		     " shl.b32 %%r1, %%r1, 4;\n", word_B);
	if (to_array)
		bytes_printf(text, " ld.global.u%u %%r8, [%%d2];\n", bits);
	else
		bytes_printf(text, " suld.b.%s.v4.b32.zero {%%r4, %%r5, %%r6, %%r7}, [%%d1, %s];\n"
			     " mov.u32 %%r8, 0;\n", shape->name, shape->coordinates);
	channels_append(text, to_array);
	if (to_array)
		bytes_printf(text, " sust.b.%s.v4.b32.zero [%%d1, %s], {%%r4, %%r5, %%r6, %%r7};\n",
			     shape->name, shape->coordinates);
	else
		bytes_printf(text, " st.global.u%u [%%d2], %%r8;\n", bits);
	bytes_append_string(text, "end:\n ret;\n}\n");
}

/* The bits of a texel in a group that are not in its own byte. */
static unsigned low_bits(uint32_t group)
{
	return 8 / group;
}

/* A thread for each texel. */
static void group_unpack_append(struct bytes *text, const struct shape *shape, uint32_t group)
{
	const unsigned low = low_bits(group);
	words_entry_append(text, "ungroup", shape, group + 1);
	bytes_printf(text, " and.b32 %%r5, %%r1, %u;\n div.u32 %%r4, %%r1, %u;\n mul.wide.u32 %%d5, %%r4, %u;\n"
		     " add.u64 %%d2, %%d2, %%d5;\n cvt.u64.u32 %%d5, %%r5;\n add.u64 %%d5, %%d5, %%d2;\n"
		     " ld.global.u8 %%r6, [%%d5];\n ld.global.u8 %%r7, [%%d2+%u];\n",
		     group - 1, group, group + 1, group);
	bytes_printf(text, " mul.lo.u32 %%r5, %%r5, %u;\n shr.u32 %%r7, %%r7, %%r5;\n and.b32 %%r7, %%r7, %u;\n"
		     " shl.b32 %%r6, %%r6, %u;\n or.b32 %%r6, %%r6, %%r7;\n cvt.u16.u32 %%h1, %%r6;\n"
		     " shl.b32 %%r1, %%r1, 1;\n sust.b.%s.b16.zero [%%d1, %s], %%h1;\nend:\n ret;\n}\n",
		     low, (1u << low) - 1, low, shape->name, shape->coordinates);
}

/* A thread for each group, because no two may write one byte. */
static void group_pack_append(struct bytes *text, const struct shape *shape, uint32_t group)
{
	const unsigned low = low_bits(group);
	words_entry_append(text, "group", shape, group + 1);
	bytes_printf(text, " mul.wide.u32 %%d5, %%r1, %u;\n add.u64 %%d2, %%d2, %%d5;\n"
		     " mul.lo.u32 %%r1, %%r1, %u;\n mov.u32 %%r8, 0;\n", group + 1, 2 * group);
	for (unsigned i = 0; i < group; i++)
		bytes_printf(text, " suld.b.%s.b16.zero %%h1, [%%d1, %s];\n cvt.u32.u16 %%r4, %%h1;\n"
			     " min.u32 %%r4, %%r4, %u;\n shr.u32 %%r5, %%r4, %u;\n st.global.u8 [%%d2+%u], %%r5;\n"
			     " and.b32 %%r4, %%r4, %u;\n shl.b32 %%r4, %%r4, %u;\n or.b32 %%r8, %%r8, %%r4;\n"
			     " add.u32 %%r1, %%r1, 2;\n", shape->name, shape->coordinates,
			     (1u << (8 + low)) - 1, low, i, (1u << low) - 1, i * low);
	bytes_printf(text, " st.global.u8 [%%d2+%u], %%r8;\nend:\n ret;\n}\n", group);
}

static void shape_append(struct bytes *text, const struct shape *shape)
{
	for (unsigned i = 0; i < COUNT_OF_STORES; i++)
		entry_append(text, shape, &stores[i]);
	for (unsigned i = 0; i < 4; i++)
		convert_append(text, shape, i & 1 ? 4 : 2, i & 2);
	for (uint32_t group = 2; group <= 4; group += 2) {
		group_unpack_append(text, shape, group);
		group_pack_append(text, shape, group);
	}
}

static cl_int module_make(struct gpu_device *device, struct gpu_module **module_out)
{
	struct bytes text = BYTES_INIT;
	const unsigned sm = device->caps.sm < OLDEST_SM ? device->caps.sm : OLDEST_SM;
	cl_int error = CL_OUT_OF_HOST_MEMORY;
	bytes_printf(&text, ".version 6.4\n.target sm_%u\n.address_size 64\n", sm);
	for (unsigned i = 0; i < COUNT_OF_SHAPES; i++)
		shape_append(&text, &shapes[i]);
	if (!bytes_failed(&text))
		error = gpu_module_load(device, text.data, text.size_B, NULL, module_out);
	bytes_finish(&text);
	return error == CL_INVALID_BINARY ? CL_OUT_OF_RESOURCES : error;
}

static unsigned shape_of(const struct gpu_extent *extent)
{
	if (extent->layered)
		return extent->height ? SHAPE_2D_ARRAY : SHAPE_1D_ARRAY;
	return extent->depth ? SHAPE_3D : extent->height ? SHAPE_2D : SHAPE_1D;
}

/* Two threads may both load the module; the first to store it keeps it. */
static cl_int function_find(const struct gpu_array *array, const char *verb, uint32_t size_B,
			    struct gpu_function **function_out)
{
	struct gpu_device *device = array->device;
	struct gpu_module *module = atomic_load(&device->image_fill_module);
	struct gpu_module *made = NULL;
	char name[32];
	if (!module) {
		cl_int error = module_make(device, &made);
		if (error)
			return error;
		if (atomic_compare_exchange_strong(&device->image_fill_module, &module, made))
			module = made;
		else
			gpu_module_unload(made, NULL, 0);
	}
	snprintf(name, sizeof(name), "%s_%s_%u", verb, shapes[shape_of(&array->extent)].name, size_B);
	return gpu_module_function(module, name, function_out);
}

/* Runs an entry with a thread for each texel of the box.  values: its third parameter. */
static cl_int entry_launch(struct gpu_sink sink, uint64_t surface, struct gpu_function *function,
			   struct fill_box *box, void *values)
{
	void *parameters[] = {&surface, box, values};
	const struct gpu_launch launch = {
		.function = function,
		.grid = {(box->region[0] + THREADS_X - 1) / THREADS_X,
			 (box->region[1] + THREADS_Y - 1) / THREADS_Y, box->region[2]},
		.block = {THREADS_X, THREADS_Y, 1},
		.parameters = parameters,
	};
	return gpu_sink_launch(sink, &launch);
}

cl_int gpu_sink_array_fill(struct gpu_sink sink, struct gpu_array *array, uint32_t level,
			   const uint64_t origin[3], const uint64_t region[3], const void *texel)
{
	const uint32_t texel_B = gpu_texel_B(&array->texel);
	unsigned char whole[TEXEL_MAX_B] = {0};
	struct fill_box box;
	struct gpu_function *function;
	uint64_t surface;
	cl_int error = function_find(array, "fill", texel_B, &function);
	if (!error)
		error = gpu_array_surface(array, level, &surface);
	if (error)
		return error;
	memcpy(whole, texel, texel_B);
	for (unsigned i = 0; i < 3; i++) {
		box.origin[i] = (uint32_t)origin[i];
		box.region[i] = (uint32_t)region[i];
	}
	return entry_launch(sink, surface, function, &box, whole);
}

cl_int gpu_sink_array_convert(struct gpu_sink sink, struct gpu_array *array, uint32_t level,
			      const struct gpu_image_side *words, const uint64_t region[3],
			      const struct gpu_packing *packing, bool to_array)
{
	struct words given = {words->address, words->row_pitch_B, words->slice_pitch_B, {0}, {0}};
	struct fill_box box = {{0}, {0}};
	struct gpu_function *function;
	uint64_t surface;
	const char *verb = packing->group ? (to_array ? "ungroup" : "group") : to_array ? "unpack" : "pack";
	cl_int error = function_find(array, verb, packing->word_B, &function);
	if (!error)
		error = gpu_array_surface(array, level, &surface);
	if (error)
		return error;
	for (unsigned i = 0; i < 4; i++) {
		given.shift[i] = packing->shift[i];
		given.most[i] = (UINT32_C(1) << packing->bits[i]) - 1;
	}
	for (unsigned i = 0; i < 3; i++)
		box.region[i] = (uint32_t)region[i];
	if (packing->group && !to_array)
		box.region[0] /= packing->group;
	return entry_launch(sink, surface, function, &box, &given);
}
