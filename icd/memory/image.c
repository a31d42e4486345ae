#include "config.h"

#include "icd/memory/image.h"

#include "icd/memory/image_format.h"
#include "icd/memory/image_mirror.h"
#include "icd/object/extension.h"

#include <stdlib.h>
#include <string.h>

bool ocl_context_has_images(const struct _cl_context *context)
{
	for (cl_uint i = 0; i < context->device_count; i++)
		if (context->devices[i]->images)
			return true;
	return false;
}

/* --- birth ---------------------------------------------------------------------------- */

static struct ocl_image *image_new(const struct ocl_image_request *request)
{
	const uint32_t count = request->context->gpu_count;
	const cl_image_desc *desc = &request->desc;
	struct ocl_image *image = calloc(1, sizeof(*image) + count * sizeof(image->places[0]));
	if (!image)
		return NULL;
	if (lock_init(&image->lock, LOCK_RANK_MEM)) {
		free(image);
		return NULL;
	}
	image->format = request->format;
	image->texel = ocl_image_format_texel(request->context, &request->format);
	image->texel_B = ocl_image_format_B(&request->format);
	image->group = ocl_image_format_group(&request->format);
	image->packing = ocl_image_format_packing(request->context, &request->format);
	image->type = desc->image_type;
	image->width = desc->image_width;
	image->height = desc->image_height;
	image->depth = desc->image_depth;
	image->array_size = desc->image_array_size;
	image->num_mip_levels = desc->num_mip_levels;
	image->row_pitch_B = desc->image_row_pitch;
	image->slice_pitch_B = desc->image_slice_pitch;
	image->place_count = count;
	return image;
}

static uint64_t at_least_one(uint64_t size)
{
	return size ? size : 1;
}

/* The size of all levels without padding. */
static uint64_t bare_B(const struct ocl_image *image)
{
	return ocl_image_level_B(image, ocl_image_is_mipmapped(image) ? image->num_mip_levels : 1);
}

/* CL_MEM_SIZE: without padding, except that of the rows and slices of an image in a buffer; the last ones are padded
 * too, because the buffer must have those bytes. */
static uint64_t size_of(const struct ocl_image *image)
{
	const uint64_t rows = at_least_one(image->height);
	const uint64_t slices = at_least_one(image->depth) * at_least_one(image->array_size);
	if (!image->linear || ocl_image_is_mipmapped(image))
		return bare_B(image);
	return image->slice_pitch_B ? image->slice_pitch_B * slices : image->row_pitch_B * rows;
}

static cl_int storage_make(const struct ocl_image_request *request, const struct ocl_image *image,
			   struct ocl_storage **storage_out)
{
	const bool given = request->flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR);
	const struct ocl_texels texels = ocl_image_texels(image);
	const struct gpu_image_side from = {
		.host = request->host_pointer,
		.row_pitch_B = image->row_pitch_B,
		.slice_pitch_B = image->slice_pitch_B,
	};
	return ocl_storage_create_array(request->context, &texels, given ? &from : NULL,
					storage_out);
}

/* The texels are those of an image of another API. */
static cl_int foreign_take(const struct ocl_image_request *request, const struct ocl_image *image, struct _cl_mem *mem)
{
	const struct ocl_texels texels = ocl_image_texels(image);
	cl_device_id device = request->foreign_device;
	struct gpu_array *array;
	cl_int error = gpu_array_import(device->gpu, request->foreign, &texels.texel, &texels.extent, &array);
	if (error)
		return error;
	error = ocl_storage_adopt_array(request->context, &texels, ocl_context_place(request->context, device), array,
					&mem->storage);
	if (error)
		gpu_array_destroy(array, NULL, 0);
	else
		mem->external_device = device;
	return error;
}

/* The memory of packed texels, which has the pitches of the host memory, if that is given. */
static cl_int words_make(const struct ocl_image_request *request, uint64_t size_B,
			 struct ocl_storage **storage_out)
{
	const bool given = request->flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR);
	return ocl_storage_create(request->context, size_B,
				  given ? OCL_CONTENT_COPY : OCL_CONTENT_UNDEFINED,
				  request->host_pointer, false, storage_out);
}

static cl_int image_place(const struct ocl_image_request *request, struct _cl_mem *mem)
{
	struct ocl_image *image = mem->image;
	const cl_mem parent = request->desc.mem_object;
	image->linear = parent ? !parent->image || parent->image->linear : image->packing.word_B != 0;
	mem->size_B = size_of(image);
	cl_int error = CL_SUCCESS;
	if (parent)
		ocl_mem_share(mem, parent);
	else if (image->linear)
		error = words_make(request, mem->size_B, &mem->storage);
	else if (request->foreign)
		error = foreign_take(request, image, mem);
	else
		error = storage_make(request, image, &mem->storage);
	return error || !image->linear ? error : ocl_mirror_prepare(mem);
}

/* The application's memory that maps have to point into (5.3.6), or NULL: that of CL_MEM_USE_HOST_PTR, also if the
 * flag belongs to the buffer or image from which this image is made (5.3.1).  SVM is not such memory, nor is memory
 * that devices use in place: a map would copy it onto itself. */
static unsigned char *host_memory_of(const struct ocl_image_request *request)
{
	const struct _cl_mem *parent = request->desc.mem_object;
	if (!parent)
		return request->flags & CL_MEM_USE_HOST_PTR ? request->host_pointer : NULL;
	const enum ocl_place place = parent->storage->place;
	return place == OCL_PLACE_OWN || place == OCL_PLACE_TAKEN ? parent->host_pointer : NULL;
}

static void host_memory_use(const struct ocl_image_request *request, struct _cl_mem *mem)
{
	struct ocl_image *image = mem->image;
	unsigned char *memory = host_memory_of(request);
	const uint64_t rows = at_least_one(image->height);
	const uint64_t slices = at_least_one(image->array_size ? image->array_size
							       : image->depth);
	const uint64_t span_B = (slices - 1) * image->slice_pitch_B +
				(rows - 1) * image->row_pitch_B + ocl_image_row_B(image, image->width);
	if (!memory)
		return;
	mem->host_pointer = memory;
	image->shadow = memory;
	image->shadow_pinned = gpu_host_is_pinned(request->context->devices[0]->gpu, memory,
						  span_B);
}

/* --- the end -------------------------------------------------------------------------- */

/* Frees the descriptor, the textures and the mirror once the streams that use them are done with them. */
static void place_finish(struct gpu_device *gpu, struct ocl_image_place *place,
			 struct ocl_stream_set *streams)
{
	struct ocl_witnesses witnesses = OCL_WITNESSES_INIT;
	/* It can be there without a descriptor, if making that failed. */
	if (!place->descriptor && !place->mirror) {
		free(place->levels);
		return;
	}
	ocl_stream_set_collect(streams, &witnesses);
	ocl_image_textures_destroy(place, gpu, UINT32_MAX, &witnesses);
	if (place->descriptor)
		gpu_memory_free(gpu, place->descriptor, witnesses.events, witnesses.count);
	gpu_array_destroy(place->mirror, witnesses.events, witnesses.count);
	ocl_witnesses_finish(&witnesses);
	gpu_event_unref(place->written);
	free(place->levels);
}

static void image_destroy(struct _cl_mem *mem)
{
	struct ocl_image *image = mem->image;
	for (uint32_t i = 0; mem->storage && i < image->place_count; i++)
		place_finish(mem->storage->locations[i].gpu, &image->places[i],
			     &mem->storage->locations[i].streams);
	if (image->shadow && image->shadow_owner)
		gpu_host_free(image->shadow_owner, image->shadow, bare_B(image));
	lock_finish(&image->lock);
	free(image);
}

cl_int ocl_image_create(const struct ocl_image_request *request, cl_mem *mem_out)
{
	struct ocl_image *image = image_new(request);
	struct _cl_mem *mem;
	if (!image)
		return CL_OUT_OF_HOST_MEMORY;
	cl_int error = ocl_mem_new_image(request->context, request->properties, request->flags,
					 image, &mem);
	if (error) {
		lock_finish(&image->lock);
		free(image);
		return error;
	}
	image->destroy = image_destroy;
	error = image_place(request, mem);
	if (error) {
		object_unref(mem);
		return error;
	}
	host_memory_use(request, mem);
	*mem_out = mem;
	return CL_SUCCESS;
}

/* --- maps ----------------------------------------------------------------------------- */

/* The pitches of a level in the shadow: the application's if the shadow is its memory, otherwise without padding. */
static void shadow_pitches(const struct ocl_image *image, uint32_t level, struct ocl_map *map)
{
	const struct gpu_extent whole = ocl_image_texels(image).extent;
	const struct gpu_extent extent = gpu_extent_of_level(&whole, level);
	const bool own = image->shadow_owner;
	map->row_pitch_B = own ? ocl_image_row_B(image, extent.width) : image->row_pitch_B;
	map->slice_pitch_B = own ? map->row_pitch_B * at_least_one(extent.height) : image->slice_pitch_B;
}

static cl_int shadow_make(struct _cl_mem *mem)
{
	struct ocl_image *image = mem->image;
	void *fresh;
	lock_take(&image->lock);
	const bool there = image->shadow;
	lock_drop(&image->lock);
	if (there)
		return CL_SUCCESS;
	/* Pinning is slow and done without the lock.  If two threads do it, one frees its memory again. */
	struct gpu_device *owner = ocl_storage_living_device(mem->storage);
	if (gpu_host_alloc(owner, bare_B(image), &fresh))
		return CL_MEM_OBJECT_ALLOCATION_FAILURE;
	lock_take(&image->lock);
	const bool first = !image->shadow;
	if (first) {
		image->shadow = fresh;
		image->shadow_owner = owner;
		image->shadow_pinned = true;
	}
	lock_drop(&image->lock);
	if (!first)
		gpu_host_free(owner, fresh, bare_B(image));
	return CL_SUCCESS;
}

/* The address of the first texel of a map's box in the shadow, where the levels follow each other. */
static void *shadow_at(const struct ocl_image *image, const struct ocl_map *map)
{
	return image->shadow + ocl_image_level_B(image, map->level) +
	       map->origin[2] * map->slice_pitch_B + map->origin[1] * map->row_pitch_B +
	       map->origin[0] * image->texel_B;
}

cl_int ocl_mem_map_image(cl_mem mem, cl_map_flags flags, const struct ocl_image_box *box,
			 struct ocl_map **map_out)
{
	cl_int error = shadow_make(mem);
	if (error)
		return error;
	struct ocl_map *map = ocl_map_new(mem, flags, 0, mem->size_B, NULL);
	if (!map)
		return CL_OUT_OF_HOST_MEMORY;
	memcpy(map->origin, box->origin, sizeof(map->origin));
	memcpy(map->region, box->region, sizeof(map->region));
	map->level = box->level;
	shadow_pitches(mem->image, box->level, map);
	map->pointer = shadow_at(mem->image, map);
	error = ocl_map_add(map);
	if (!error)
		*map_out = map;
	return error;
}
