#include "config.h"

#include "icd/memory/image_mirror.h"

static cl_int mirror_make(const struct _cl_mem *mem, uint32_t device)
{
	struct ocl_image_place *place = &mem->image->places[device];
	const struct ocl_texels texels = ocl_image_texels(mem->image);
	if (place->mirror)
		return CL_SUCCESS;
	return gpu_array_create(mem->storage->locations[device].gpu, &texels.texel, &texels.extent,
				&place->mirror);
}

/* Whether a texture of the device can read the image in linear memory. */
static bool has_texture(const struct _cl_mem *mem, const struct gpu_caps *caps)
{
	const struct ocl_image *image = mem->image;
	if (image->packing.word_B)
		return false;
	if (image->type == CL_MEM_OBJECT_IMAGE1D_BUFFER)
		return true;
	return image->type == CL_MEM_OBJECT_IMAGE2D && mem->origin_B % caps->texture_align_B == 0 &&
	       image->row_pitch_B % caps->texture_pitch_B == 0 &&
	       image->row_pitch_B <= caps->image_pitch_max_B;
}

/* Whether the bytes may change without a command that names the buffer or a part of it. */
static bool is_foreign(const struct _cl_mem *mem)
{
	while (mem->parent)
		mem = mem->parent;
	for (uint32_t i = 0; i < mem->storage->device_count; i++)
		if (mem->storage->locations[i].adopted)
			return true;
	return mem->has_addresses || mem->is_exportable || mem->gl || mem->svm;
}

cl_int ocl_mirror_prepare(cl_mem mem)
{
	struct ocl_image *image = mem->image;
	const struct _cl_context *context = mem->context;
	for (cl_uint i = 0; i < context->device_count && image->linear; i++)
		if (context->devices[i]->images && !has_texture(mem, context->devices[i]->caps))
			image->mirrored = true;
	if (!image->mirrored)
		return CL_SUCCESS;
	image->foreign = is_foreign(mem);
	ocl_storage_track(mem->storage);
	return image->place_count == 1 ? mirror_make(mem, 0) : CL_SUCCESS;
}

/* Copies the texels of a level between the buffer's memory, which was acquired as at, and the mirror. */
static cl_int level_copy(const struct _cl_mem *mem, const struct ocl_acquired *at, uint32_t level,
			 struct gpu_sink sink, bool to_mirror)
{
	const uint64_t origin[3] = {0};
	const struct gpu_extent whole = ocl_image_texels(mem->image).extent;
	const struct gpu_extent extent = gpu_extent_of_level(&whole, level);
	const uint64_t region[3] = {extent.width, extent.height ? extent.height : 1,
				    extent.depth ? extent.depth : 1};
	struct gpu_array *array = mem->image->places[at->device].mirror;
	const struct gpu_image_side linear = ocl_image_side(mem, at, origin, level);
	const struct gpu_image_side mirror = {.array = array, .level = level};
	if (mem->image->packing.word_B)
		return gpu_sink_array_convert(sink, array, level, &linear, region, &mem->image->packing, to_mirror);
	return gpu_sink_image_copy(sink, to_mirror ? &mirror : &linear, to_mirror ? &linear : &mirror,
				   region, mem->image->texel_B);
}

static cl_int texels_copy(const struct _cl_mem *mem, const struct ocl_acquired *at,
			  struct gpu_sink sink, bool to_mirror)
{
	const struct gpu_extent whole = ocl_image_texels(mem->image).extent;
	cl_int error = CL_SUCCESS;
	for (uint32_t level = 0; level < gpu_extent_levels(&whole) && !error; level++)
		error = level_copy(mem, at, level, sink, to_mirror);
	return error;
}

/* Makes later work in stream wait for the last change of the mirror; and, if that work changes it, for all work that
 * may use it. */
static cl_int uses_order(const struct _cl_mem *mem, uint32_t device, struct gpu_stream *stream,
			 bool changes)
{
	struct ocl_image *image = mem->image;
	lock_take(&image->lock);
	cl_int error = ocl_image_order_locked(&image->places[device], stream);
	lock_drop(&image->lock);
	return error || !changes ? error
				 : ocl_stream_set_order(&mem->storage->locations[device].streams, stream);
}

static cl_int change_note(const struct _cl_mem *mem, uint32_t device, struct gpu_stream *stream)
{
	struct ocl_image *image = mem->image;
	lock_take(&image->lock);
	cl_int error = ocl_image_note_locked(&image->places[device], stream);
	lock_drop(&image->lock);
	return error;
}

cl_int ocl_mirror_begin(cl_mem mem, const struct ocl_acquired *at, struct gpu_sink sink)
{
	struct ocl_image_place *place = &mem->image->places[at->device];
	cl_int error = mirror_make(mem, at->device);
	if (error)
		return error;
	if (sink.graph)
		return texels_copy(mem, at, sink, true);
	const uint64_t version = mem->image->foreign ? 0 : ocl_storage_version(mem->storage);
	const bool stale = !version || place->mirrored != version;
	error = uses_order(mem, at->device, sink.stream, stale || at->mode & OCL_ACCESS_WRITE);
	if (error || !stale)
		return error;
	place->mirrored = 0;
	error = texels_copy(mem, at, sink, true);
	const cl_int noted = change_note(mem, at->device, sink.stream);
	if (!error && !noted)
		place->mirrored = version;
	return error ? error : noted;
}

cl_int ocl_mirror_end(cl_mem mem, struct ocl_acquired *at, struct gpu_sink sink, bool launched)
{
	struct ocl_image_place *place = &mem->image->places[at->device];
	if (!(at->mode & OCL_ACCESS_WRITE))
		return CL_SUCCESS;
	cl_int error = launched ? texels_copy(mem, at, sink, false) : CL_SUCCESS;
	if (sink.graph)
		return error;
	/* If the kernel did not run, or only a part of it, the buffer has what counts; and if texels were rounded when
	 * they were packed. */
	place->mirrored = 0;
	const cl_int noted = change_note(mem, at->device, sink.stream);
	if (launched && !error && !noted && !mem->image->foreign && !mem->image->packing.word_B &&
	    ocl_storage_version(mem->storage))
		place->mirrored = ocl_storage_count_write(mem->storage, at);
	return error ? error : noted;
}

cl_int ocl_mirror_replay(cl_mem mem, uint32_t device, struct gpu_stream *stream)
{
	return uses_order(mem, device, stream, true);
}

cl_int ocl_mirror_replayed(cl_mem mem, uint32_t device, struct gpu_stream *stream)
{
	return change_note(mem, device, stream);
}
