#include "config.h"

#include "tests/fuzz/api.h"

#include <stdlib.h>
#include <string.h>

uint32_t api_number(struct api_actor *actor, uint32_t below)
{
	return fuzz_number(&actor->fuzz, below);
}

bool api_chance(struct api_actor *actor, uint32_t of)
{
	return !api_number(actor, of);
}

uint64_t api_garbage(struct api_actor *actor)
{
	static const uint64_t edges[] = {
		0, 1, 2, 3, 7, 8, 64, 255, 4096, 65535, 0x7fffffff, 0x80000000, 0xffffffff, 1ull << 32,
		INT64_MAX, 1ull << 63, UINT64_MAX, UINT64_MAX - 1, UINT64_MAX - 7, UINT64_MAX / 3,
	};
	const uint32_t high = api_number(actor, UINT32_MAX);
	switch (api_number(actor, 8)) {
	case 0:
		return (uint64_t)high << 32 | api_number(actor, UINT32_MAX);
	case 1:
		return 1ull << (high & 63);
	default:
		return edges[high % (sizeof(edges) / sizeof(edges[0]))];
	}
}

/* --- memory ----------------------------------------------------------------------------- */

void *api_chunk(struct api_actor *actor)
{
	char *chunk = actor->chunks + (size_t)(actor->chunk_next++ % API_CHUNKS) * API_CHUNK_B;
	/* What is larger is not looked at again. */
	memset(chunk, 0, 4096);
	return chunk;
}

void *api_data(struct api_actor *actor)
{
	return actor->data + (size_t)api_number(actor, API_DATA) * API_CHUNK_B;
}

void *api_exact(struct api_actor *actor, uint64_t size_B)
{
	if (size_B > API_CHUNK_B || actor->exact_count == sizeof(actor->exact) / sizeof(void *))
		return api_chunk(actor);
	void *memory = calloc(1, size_B ? size_B : 1);
	if (!memory)
		return api_chunk(actor);
	return actor->exact[actor->exact_count++] = memory;
}

void *api_svm_pointer(struct api_actor *actor)
{
	/* What was fresh is no more. */
	if (actor->fresh_count && actor->svm_count < API_POOL && api_chance(actor, 2))
		actor->svm[actor->svm_count++] = actor->fresh[--actor->fresh_count];
	if (!actor->svm_count || api_chance(actor, 4))
		return api_data(actor);
	char *start = actor->svm[api_number(actor, actor->svm_count)].pointer;
	return start + (api_chance(actor, 2) ? 0 : api_number(actor, API_SMALL_B - API_SVM_B));
}

/* --- handles ---------------------------------------------------------------------------- */

void *api_good_handle(struct api_actor *actor, enum api_kind kind)
{
	const struct api_pool *pool = &actor->pools[kind];
	if (!pool->count)
		return NULL;
	/* Most belong to one context, or little would succeed. */
	if (pool->borrowed && !api_chance(actor, 3))
		return pool->handles[api_number(actor, pool->borrowed)];
	return pool->handles[api_number(actor, pool->count)];
}

static void *wrong_handle(struct api_actor *actor, enum api_kind kind)
{
	/* These two are compared and never read, so that they may be anything. */
	if (kind <= API_DEVICE && api_chance(actor, 2))
		return (void *)(uintptr_t)api_garbage(actor);
	switch (api_number(actor, 4)) {
	case 0:
		return api_good_handle(actor, (enum api_kind)api_number(actor, API_KINDS));
	case 1:
		return actor->world->released[kind];
	case 2:
		return actor->world->foreign;
	default:
		return NULL;
	}
}

static void *some_handle(struct api_actor *actor, enum api_kind kind, uint32_t wrong_of)
{
	return api_chance(actor, wrong_of) ? wrong_handle(actor, kind) : api_good_handle(actor, kind);
}

static void *handles(struct api_actor *actor, enum api_kind kind, const uint64_t *count)
{
	if (count ? !*count == !api_chance(actor, 32) : api_chance(actor, 4))
		return NULL;
	void **list = api_chunk(actor);
	for (unsigned i = 0; i < API_LIST; i++)
		list[i] = some_handle(actor, kind, 48);
	return list;
}

/* --- numbers ------------------------------------------------------------------------------ */

/* The values of a type: enumerants in a row, or bits. */
static const struct range {
	const char *type;
	uint32_t first, count, bits;
} ranges[] = {
	{"cl_platform_info", 0x0900, 9, 0},
	{"cl_device_info", 0x1000, 0x80, 0},
	{"cl_context_info", 0x1080, 6, 0},
	{"cl_command_queue_info", 0x1090, 8, 0},
	{"cl_mem_info", 0x1100, 12, 0},
	{"cl_image_info", 0x1110, 14, 0},
	{"cl_pipe_info", 0x1120, 3, 0},
	{"cl_sampler_info", 0x1150, 9, 0},
	{"cl_program_info", 0x1160, 13, 0},
	{"cl_program_build_info", 0x1181, 6, 0},
	{"cl_kernel_info", 0x1190, 6, 0},
	{"cl_kernel_arg_info", 0x1196, 6, 0},
	{"cl_kernel_work_group_info", 0x11B0, 7, 0},
	{"cl_kernel_sub_group_info", 0x2033, 3, 0},
	{"cl_kernel_exec_info", 0x11B6, 3, 0},
	{"cl_event_info", 0x11D0, 6, 0},
	{"cl_profiling_info", 0x1280, 6, 0},
	{"cl_command_buffer_info_khr", 0x1294, 7, 0},
	{"cl_semaphore_info_khr", 0x2039, 8, 0},
	{"cl_mem_info_intel", 0x419A, 6, 0},
	{"cl_image_requirements_info_ext", 0x1290, 6, 0},
	{"cl_addressing_mode", 0x1130, 6, 0},
	{"cl_filter_mode", 0x1140, 3, 0},
	{"cl_mem_object_type", 0x10F0, 9, 0},
	{"cl_buffer_create_type", 0x1220, 1, 0},
	{"cl_external_semaphore_handle_type_khr", 0x2055, 8, 0},
	{"cl_external_memory_handle_type_khr", 0x2060, 8, 0},
	{"cl_mem_advice_intel", 0x43550030, 10, 0},
	{"cl_bool", 0, 2, 0},
	{"cl_int", 0, 4, 0},
	{"cl_mem_flags", 0, 0, 13},
	{"cl_svm_mem_flags", 0, 0, 13},
	{"cl_map_flags", 0, 0, 3},
	{"cl_device_type", 0, 0, 5},
	{"cl_command_queue_properties", 0, 0, 4},
	{"cl_mem_migration_flags", 0, 0, 2},
};

static uint64_t number(struct api_actor *actor, const char *type)
{
	if (api_chance(actor, 24))
		return api_garbage(actor);
	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
		const struct range *range = &ranges[i];
		if (strcmp(range->type, type))
			continue;
		if (range->count)
			return range->first + api_number(actor, range->count);
		uint64_t bits = 0;
		for (uint32_t n = api_number(actor, 3); n; n--)
			bits |= 1ull << api_number(actor, range->bits);
		return bits;
	}
	return api_garbage(actor);
}

static uint64_t size(struct api_actor *actor)
{
	static const uint64_t sizes[] = {0, 1, 2, 3, 4, 7, 8, 16, 24, 64, 100, 256, 1024, 4096};
	return api_chance(actor, 6) ? api_garbage(actor)
				    : sizes[api_number(actor, sizeof(sizes) / sizeof(sizes[0]))];
}

/* Where a list follows it is most often empty, as lists of events are. */
static uint64_t count(struct api_actor *actor, bool of_list)
{
	switch (api_number(actor, 16)) {
	case 0:
		return (uint32_t)api_garbage(actor);
	case 1:
	case 2:
		return api_number(actor, API_LIST + 1);
	default:
		return of_list && !api_chance(actor, 3) ? 0 : 1 + api_number(actor, 3);
	}
}

static void *sizes(struct api_actor *actor)
{
	size_t *list = api_chunk(actor);
	/* Origins are 0 most often, and sizes are not. */
	const uint32_t least = api_number(actor, 2), more = api_chance(actor, 2) ? 4 : 1;
	const bool wild = api_chance(actor, 8);
	if (api_chance(actor, 5))
		return NULL;
	for (unsigned i = 0; i < API_LIST; i++)
		list[i] = wild && api_chance(actor, 3) ? api_garbage(actor)
						       : least + api_number(actor, more);
	return list;
}

static void *numbers(struct api_actor *actor, const char *type, const uint64_t *count)
{
	uint64_t *wide = api_chunk(actor);
	uint32_t *narrow = (uint32_t *)wide;
	/* cl_mem_flags and payloads have 64 bits, the others 32. */
	const bool is_wide = strstr(type, "flags") || strstr(type, "payload");
	if (count ? !*count == !api_chance(actor, 32) : api_chance(actor, 4))
		return NULL;
	for (unsigned i = 0; i < API_LIST; i++) {
		const uint64_t value = api_chance(actor, 16) ? api_garbage(actor) : api_number(actor, 5);
		if (is_wide)
			wide[i] = value;
		else
			narrow[i] = (uint32_t)value;
	}
	return wide;
}

/* --- properties --------------------------------------------------------------------------- */

/* Names of all lists; what follows one is a value of another now and then. */
static uint64_t property_name(struct api_actor *actor)
{
	static const uint64_t names[] = {
		CL_CONTEXT_PLATFORM, CL_CONTEXT_INTEROP_USER_SYNC, CL_QUEUE_PROPERTIES, CL_QUEUE_SIZE,
		CL_SAMPLER_NORMALIZED_COORDS, CL_SAMPLER_ADDRESSING_MODE, CL_SAMPLER_FILTER_MODE,
		CL_SAMPLER_MIP_FILTER_MODE, CL_SAMPLER_LOD_MIN, CL_SAMPLER_LOD_MAX,
		CL_PIPE_PACKET_SIZE, CL_DEVICE_PARTITION_EQUALLY, CL_DEVICE_PARTITION_BY_COUNTS,
		0x1293 /* CL_COMMAND_BUFFER_FLAGS_KHR */, 0x12B1 /* ..._UPDATABLE_FIELDS_KHR */,
		0x2051 /* CL_MEM_DEVICE_HANDLE_LIST_KHR */, 0x2053 /* ..._DEVICE_HANDLE_LIST_KHR */,
		0x203D /* CL_SEMAPHORE_TYPE_KHR */, 0x203F /* ..._EXPORT_HANDLE_TYPES_KHR */,
		0x2055 /* CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR */, 0x2060 /* CL_EXTERNAL_..._OPAQUE_FD_KHR */,
		0x43550010 /* CL_MEM_EXPORT_HANDLE_TYPES_CULVERT */, 0x43550042 /* CL_EXTERNAL_IMAGE_OFFSET_CULVERT */,
		0x43550043 /* ..._DEDICATED_CULVERT */,
		0x5000 /* CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT */, 0x4195 /* CL_MEM_ALLOC_FLAGS_INTEL */,
		0x1096 /* CL_QUEUE_PRIORITY_KHR */, 0x1097 /* CL_QUEUE_THROTTLE_KHR */,
	};
	return api_chance(actor, 12) ? api_garbage(actor)
				     : names[api_number(actor, sizeof(names) / sizeof(names[0]))];
}

static uint64_t property_value(struct api_actor *actor)
{
	switch (api_number(actor, 6)) {
	case 0:
		return (uintptr_t)some_handle(actor, API_DEVICE, 6);
	case 1:
		return (uintptr_t)some_handle(actor, API_PLATFORM, 6);
	case 2:
		return 0x1130 + api_number(actor, 20);
	case 3:
		/* No descriptor of the process. */
		return (1u << 20) + api_garbage(actor) % 1024;
	default:
		return api_number(actor, 4);
	}
}

/* What most lists of that type have to have; 0: nothing. */
static uint64_t usual_property(struct api_actor *actor, const char *type, uint64_t *value_out)
{
	*value_out = 1;
	if (strstr(type, "cl_semaphore_properties"))
		return 0x203D;
	*value_out = 2;
	if (strstr(type, "cl_device_partition_property"))
		return CL_DEVICE_PARTITION_EQUALLY;
	*value_out = api_number(actor, 4);
	if (strstr(type, "cl_command_buffer_properties"))
		return 0x1293;
	*value_out = 0x1f;
	if (strstr(type, "cl_command_properties"))
		return 0x12B1;
	return 0;
}

static void *properties(struct api_actor *actor, const char *type)
{
	uint64_t *list = api_chunk(actor), value;
	unsigned used = 0;
	if (api_chance(actor, 3))
		return NULL;
	const uint64_t usual = usual_property(actor, type, &value);
	if (usual && !api_chance(actor, 6)) {
		list[used++] = usual;
		list[used++] = api_chance(actor, 6) ? api_garbage(actor) % 64 : value;
	}
	if (usual == 0x203D && api_chance(actor, 4)) {
		/* To be exported as a descriptor. */
		list[used++] = 0x203F;
		list[used++] = 0x2055;
		list[used++] = 0;
	}
	if (strstr(type, "cl_mem_properties") && !strstr(type, "intel") && api_chance(actor, 8)) {
		/* The same of memory, or as a handle of CUDA's. */
		list[used++] = 0x43550010;
		list[used++] = api_chance(actor, 2) ? 0x2060 : 0x43550011;
		list[used++] = 0;
	}
	if (strstr(type, "cl_mem_properties") && !strstr(type, "intel") && api_chance(actor, 8)) {
		/* The layout of an imported image. */
		list[used++] = 0x43550040;
		list[used++] = api_number(actor, 3);
		list[used++] = 0x43550041;
		list[used++] = api_garbage(actor) % 0x100000;
	}
	for (uint32_t n = !api_chance(actor, 3) ? 0 : api_number(actor, 4); n; n--) {
		list[used++] = property_name(actor);
		for (uint32_t values = api_chance(actor, 4) ? api_number(actor, 4) : 1; values; values--)
			list[used++] = property_value(actor);
		if (api_chance(actor, 3))
			list[used++] = 0;
	}
	/* A list within the list may have taken the end for its own. */
	return list;
}

/* --- texts, formats and shapes ----------------------------------------------------------------- */

static const char *text(struct api_actor *actor)
{
	static const char *const texts[] = {
		"", "plain", "images", "locals", "values", "none", "-cl-kernel-arg-info", "-DX=1",
		"-cl-std=CL3.0", "-cl-opt-disable", "-nonsense", "-create-library", "-D", "-I /nowhere",
		"clCreateContext", "clEnqueueReadBuffer", "plain;images", "%s%n%x", "\xff\xfe\x80",
		"-cl-std=CL2.0 -g -w -Werror -cl-fast-relaxed-math -cl-mad-enable -DA=\"b c\"",
	};
	return api_chance(actor, 16) ? NULL
				     : texts[api_number(actor, sizeof(texts) / sizeof(texts[0]))];
}

static const char *source(struct api_actor *actor)
{
	static const char *const sources[] = {
		"kernel void plain(global int *p, uint n) { if (n == 0x7654321) p[0] = 1; }\n",
		"kernel void locals(local int *l, global int *p) { if (!p) l[0] = 1; }\n",
		"int helper(int x);\n", "int helper(int x) { return x; }\n", "kernel void broken( {\n", "\n",
		"#include \"none\"\n", "#error no\n",
	};
	return api_chance(actor, 32) ? NULL : sources[api_number(actor, 8)];
}

static void *strings(struct api_actor *actor, bool sources)
{
	const char **list = api_chunk(actor);
	if (api_chance(actor, 24))
		return NULL;
	for (unsigned i = 0; i < API_LIST; i++)
		list[i] = sources ? source(actor) : text(actor);
	return list;
}

static void *format(struct api_actor *actor)
{
	cl_image_format *format = api_chunk(actor);
	if (api_chance(actor, 24))
		return NULL;
	*format = (cl_image_format){CL_RGBA, CL_UNORM_INT8};
	if (api_chance(actor, 3))
		format->image_channel_order = 0x10B0 + api_number(actor, 20);
	if (api_chance(actor, 3))
		format->image_channel_data_type = 0x10D0 + api_number(actor, 18);
	return format;
}

static void *shape(struct api_actor *actor)
{
	cl_image_desc *shape = api_chunk(actor);
	size_t *const words[] = {&shape->image_width, &shape->image_height, &shape->image_depth,
				 &shape->image_array_size};
	if (api_chance(actor, 24))
		return NULL;
	shape->image_type = api_chance(actor, 2)
				    ? CL_MEM_OBJECT_IMAGE2D
				    : (cl_mem_object_type)number(actor, "cl_mem_object_type");
	for (unsigned i = 0; i < 4; i++)
		*words[i] = api_chance(actor, 24) ? api_garbage(actor) | 1ull << 40
						  : 1 + api_number(actor, 16);
	if (api_chance(actor, 12))
		shape->image_row_pitch = size(actor);
	if (api_chance(actor, 12))
		shape->image_slice_pitch = size(actor);
	if (api_chance(actor, 8))
		shape->num_mip_levels = (cl_uint)(api_chance(actor, 4) ? api_garbage(actor) : 1 + api_number(actor, 4));
	if (api_chance(actor, 24))
		shape->num_samples = (cl_uint)api_garbage(actor);
	if (api_chance(actor, 10))
		shape->mem_object = some_handle(actor, API_MEM, 8);
	return shape;
}

/* Words that a kernel's argument may be made of. */
static void *memory(struct api_actor *actor, bool kept)
{
	static const enum api_kind kinds[] = {API_MEM, API_MEM, API_MEM, API_SAMPLER, API_QUEUE};
	if (api_chance(actor, 8))
		return NULL;
	if (kept)
		return api_data(actor);
	void **words = api_chunk(actor);
	const enum api_kind kind = kinds[api_number(actor, 5)];
	for (unsigned i = 0; i < API_LIST && !api_chance(actor, 12); i++)
		words[i] = some_handle(actor, kind, 32);
	return words;
}

static void *pointers(struct api_actor *actor)
{
	void **list = api_chunk(actor);
	if (api_chance(actor, 12))
		return NULL;
	for (unsigned i = 0; i < API_LIST; i++)
		list[i] = api_chance(actor, 24) ? NULL : api_svm_pointer(actor);
	return list;
}

/* --- all of them -------------------------------------------------------------------------------- */

static uint64_t callback(void)
{
	return 0;
}

static void *value_pointer(struct api_actor *actor, const struct api_call *call,
			   const struct api_parameter *parameter, const uint64_t *count)
{
	uint64_t (*const function)(void) = callback;
	void *pointer;
	switch (parameter->is) {
	case API_HANDLES:
		return handles(actor, parameter->kind, count);
	case API_CALLBACK:
		memcpy(&pointer, &function, sizeof(pointer));
		return api_chance(actor, 2) ? NULL : pointer;
	case API_PROPERTIES:
		return properties(actor, parameter->type);
	case API_STRING:
		return (void *)(uintptr_t)text(actor);
	case API_STRINGS:
		return strings(actor, strstr(call->name, "WithSource"));
	case API_SIZES:
		return sizes(actor);
	case API_NUMBERS:
		return numbers(actor, parameter->type, count);
	case API_FORMAT:
		return format(actor);
	case API_SHAPE:
		return shape(actor);
	case API_MEMORY:
		return memory(actor, strstr(call->name, "clEnqueue") || strstr(call->name, "clCommand") ||
					     strstr(call->name, "clCreate"));
	case API_POINTERS:
		return pointers(actor);
	default: /* API_MADE, API_OUT, API_BYTES */
		return api_chance(actor, 5) ? NULL : api_chunk(actor);
	}
}

static bool of_list(const struct api_call *call, unsigned place)
{
	if (place + 1 == call->count)
		return false;
	const enum api_class next = call->parameters[place + 1].is;
	return next == API_HANDLES || next == API_NUMBERS;
}

void api_values(struct api_actor *actor, const struct api_call *call, uint64_t words[API_PARAMETERS])
{
	bool huge = false;
	actor->chunk_next = 0;
	for (unsigned i = 0; i < call->count; i++) {
		const struct api_parameter *parameter = &call->parameters[i];
		const bool counted = i && call->parameters[i - 1].is == API_COUNT;
		if (parameter->is == API_HANDLE)
			words[i] = (uintptr_t)some_handle(actor, parameter->kind, 16);
		else if (parameter->is == API_SIZE)
			words[i] = size(actor);
		else if (parameter->is == API_COUNT)
			words[i] = count(actor, of_list(call, i));
		else if (parameter->is == API_NUMBER)
			words[i] = number(actor, parameter->type);
		else
			words[i] = (uintptr_t)value_pointer(actor, call, parameter,
							    counted ? &words[i - 1] : NULL);
		huge |= parameter->is == API_COUNT && words[i] > API_LIST;
	}
	/* No list has that many entries; of work sizes three are read at most. */
	for (unsigned i = 0; i < call->count && huge && !strstr(call->name, "WorkSize"); i++) {
		const enum api_class is = call->parameters[i].is;
		if (is == API_HANDLES || is == API_STRINGS || is == API_BYTES || is == API_NUMBERS ||
		    is == API_POINTERS || (is == API_SIZES && !strstr(call->name, "NDRange")))
			words[i] = 0;
	}
}
