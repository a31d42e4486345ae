/* Descriptors and textures of images for kernels. */
#include "config.h"

#include "icd/memory/image.h"

#include <stdlib.h>
#include <string.h>

static struct gpu_sampler sampler_of(unsigned state)
{
	return (struct gpu_sampler){
		.addressing = (enum gpu_addressing)(state / 4),
		.normalized = state & 2,
		.linear = state & 1,
	};
}

/* How many elements precede a 1D image buffer in its textures, which begin at an aligned address.  A sub-buffer can
 * begin elsewhere, at a multiple of any element's size; what does not is left to CUDA to refuse. */
static uint32_t texture_first(const struct ocl_image *image, const struct ocl_acquired *at,
			      const struct gpu_caps *caps)
{
	const uint64_t before_B = at->address % caps->texture_align_B;
	const uint32_t texel_B = gpu_texel_B(&image->texel);
	return image->type != CL_MEM_OBJECT_IMAGE1D_BUFFER || before_B % texel_B ? 0 : (uint32_t)before_B / texel_B;
}

static struct gpu_texture_source source_of(const struct ocl_image *image, const struct ocl_acquired *at,
					   uint32_t first)
{
	return (struct gpu_texture_source){
		.array = at->array,
		.address = at->address - (uint64_t)first * gpu_texel_B(&image->texel),
		.width = image->width + first,
		.height = image->height,
		.row_pitch_B = image->row_pitch_B,
		.texel = image->texel,
	};
}

/* Makes the textures of a state for reads of a level, one for each filter between levels.  Coordinates of mipmapped
 * images are normalized ("otherwise behavior is undefined": OpenCL C 3.0, 6.15.15.2); with others level 0 is read. */
static cl_int mip_textures_make(const struct gpu_texture_source *base, struct gpu_device *gpu, unsigned state,
				struct ocl_image_place *place)
{
	struct gpu_texture_source source = *base;
	struct gpu_sampler sampler = sampler_of(state);
	cl_int error = CL_SUCCESS;
	source.all_levels = true;
	for (unsigned filter = 0; filter < 2 && !error; filter++) {
		sampler.mip_linear = filter;
		if (sampler.normalized)
			error = gpu_texture_create(gpu, &source, &sampler, &place->levels->texture[filter][state]);
		else
			place->levels->texture[filter][state] = place->content.texture[state];
	}
	return error;
}

static cl_int texture_make(const struct ocl_image *image, const struct ocl_acquired *at,
			   struct gpu_device *gpu, unsigned state, struct ocl_image_place *place)
{
	const struct gpu_sampler sampler = sampler_of(state);
	const struct gpu_texture_source source = source_of(image, at, place->content.texture_first);
	cl_int error = gpu_texture_create(gpu, &source, &sampler, &place->content.texture[state]);
	return error || !place->levels ? error : mip_textures_make(&source, gpu, state, place);
}

void ocl_image_textures_destroy(struct ocl_image_place *place, struct gpu_device *gpu, uint32_t states,
				const struct ocl_witnesses *witnesses)
{
	struct gpu_event *const *events = witnesses ? witnesses->events : NULL;
	const uint32_t count = witnesses ? witnesses->count : 0;
	for (unsigned i = 0; i < ABI_SAMPLER_STATES; i++) {
		if (!(states >> i & 1))
			continue;
		for (unsigned filter = 0; place->levels && filter < 2; filter++) {
			uint64_t *texture = &place->levels->texture[filter][i];
			if (*texture != place->content.texture[i])
				gpu_texture_destroy(gpu, *texture, events, count);
			*texture = 0;
		}
		gpu_texture_destroy(gpu, place->content.texture[i], events, count);
		place->content.texture[i] = 0;
	}
}

/* Destroys textures that were made but could not be written to the descriptor. */
static void textures_undo(struct ocl_image_place *place, struct gpu_device *gpu, uint32_t states)
{
	ocl_image_textures_destroy(place, gpu, states, NULL);
}

static cl_int textures_make(const struct ocl_image *image, const struct ocl_acquired *at,
			    struct gpu_device *gpu, uint32_t states, struct ocl_image_place *place)
{
	for (unsigned i = 0; i < ABI_SAMPLER_STATES; i++) {
		if (!(states >> i & 1))
			continue;
		cl_int error = texture_make(image, at, gpu, i, place);
		if (error) {
			textures_undo(place, gpu, states);
			return error;
		}
	}
	return CL_SUCCESS;
}

/* Makes the part of the descriptor that only images with several levels have: their surfaces. */
static cl_int levels_make(const struct ocl_image *image, const struct ocl_acquired *at, struct ocl_image_place *place)
{
	cl_int error = CL_SUCCESS;
	if (!ocl_image_is_mipmapped(image))
		return CL_SUCCESS;
	if (!place->levels)
		place->levels = calloc(1, sizeof(*place->levels));
	if (!place->levels)
		return CL_OUT_OF_HOST_MEMORY;
	for (uint32_t i = 0; i < image->num_mip_levels && !error; i++)
		error = gpu_array_surface(at->array, i, &place->levels->surface[i]);
	return error;
}

static cl_int content_make(const struct ocl_image *image, const struct ocl_acquired *at,
			   const struct gpu_caps *caps, struct abi_image *content)
{
	memset(content, 0, sizeof(*content));
	content->data = at->array ? 0 : at->address;
	content->width = (uint32_t)image->width;
	content->height = (uint32_t)image->height;
	content->depth = (uint32_t)image->depth;
	content->array_size = (uint32_t)image->array_size;
	content->row_pitch_B = (uint32_t)image->row_pitch_B;
	content->slice_pitch_B = (uint32_t)image->slice_pitch_B;
	content->num_mip_levels = ocl_image_is_mipmapped(image) ? image->num_mip_levels : 1;
	content->channel_type = image->format.image_channel_data_type;
	content->element_type = image->texel.srgb ? ABI_ELEMENT_SRGB :
				image->packing.group ? CL_UNSIGNED_INT16 :
				image->packing.word_B ? CL_FLOAT : content->channel_type;
	content->channel_order = image->format.image_channel_order;
	content->element_B = gpu_texel_B(&image->texel);
	content->texture_first = texture_first(image, at, caps);
	return at->array ? gpu_array_surface(at->array, 0, &content->surface) : CL_SUCCESS;
}

/* Writes a new descriptor, by one copy: if it fails, none is under way.  So few bytes are read by the driver before its
 * call returns. */
static cl_int descriptor_write(const struct ocl_image_place *place, struct gpu_stream *stream)
{
	struct {
		struct abi_image content;
		struct abi_mipmaps levels;
	} whole;
	if (!place->levels)
		return gpu_copy_to_device(stream, place->descriptor, &place->content, sizeof(place->content));
	whole.content = place->content;
	whole.levels = *place->levels;
	return gpu_copy_to_device(stream, place->descriptor, &whole, sizeof(whole));
}

static cl_int field_write(const struct ocl_image_place *place, size_t offset_B, const uint64_t *field,
			  struct gpu_stream *stream)
{
	return gpu_copy_to_device(stream, place->descriptor + offset_B, field, sizeof(*field));
}

/* Writes the textures of one state into a descriptor that other kernels may be reading; the textures that they use stay
 * as they are. */
static cl_int texture_write(const struct ocl_image_place *place, unsigned state,
			    struct gpu_stream *stream)
{
	const size_t base_B = sizeof(place->content) + offsetof(struct abi_mipmaps, texture);
	const size_t state_B = state * sizeof(uint64_t);
	cl_int error = field_write(place, offsetof(struct abi_image, texture) + state_B,
				   &place->content.texture[state], stream);
	for (unsigned filter = 0; place->levels && filter < 2 && !error; filter++)
		error = field_write(place, base_B + filter * sizeof(place->levels->texture[0]) + state_B,
				    &place->levels->texture[filter][state], stream);
	return error;
}

/* Records the event after which the change is done; later changes and kernels wait for it.  The change is in the
 * stream even if no event can be recorded. */
cl_int ocl_image_note_locked(struct ocl_image_place *place, struct gpu_stream *stream)
{
	struct gpu_event *written;
	cl_int error = gpu_event_record(stream, false, &written);
	place->unwitnessed = error ? stream : NULL;
	if (error)
		return error;
	gpu_event_unref(place->written);
	place->written = written;
	return CL_SUCCESS;
}

static cl_int place_make_locked(const struct ocl_image *image, struct ocl_image_place *place,
				const struct ocl_acquired *at, struct gpu_device *gpu,
				uint32_t states)
{
	gpu_address descriptor;
	const uint64_t size_B = sizeof(place->content) + (ocl_image_is_mipmapped(image) ? sizeof(*place->levels) : 0);
	cl_int error = content_make(image, at, gpu_device_caps(gpu), &place->content);
	if (!error)
		error = levels_make(image, at, place);
	if (!error)
		error = textures_make(image, at, gpu, states, place);
	if (error)
		return error;
	error = gpu_memory_alloc(gpu, size_B, &descriptor);
	if (error) {
		textures_undo(place, gpu, states);
		return error;
	}
	place->descriptor = descriptor;
	error = descriptor_write(place, at->stream);
	if (!error)
		return ocl_image_note_locked(place, at->stream);
	/* No kernel has this address yet; the next launch makes the descriptor again. */
	gpu_memory_free(gpu, place->descriptor, NULL, 0);
	place->descriptor = 0;
	textures_undo(place, gpu, states);
	return error;
}

/* Adds textures to the descriptor.  If one cannot be written, all of them count as missing; those that have been
 * written will be overwritten by a later launch, after this change. */
static cl_int place_extend_locked(const struct ocl_image *image, struct ocl_image_place *place,
				  const struct ocl_acquired *at, struct gpu_device *gpu,
				  uint32_t states)
{
	cl_int error = textures_make(image, at, gpu, states, place);
	if (error)
		return error;
	for (unsigned i = 0; i < ABI_SAMPLER_STATES && !error; i++)
		if (states >> i & 1)
			error = texture_write(place, i, at->stream);
	if (!error)
		return ocl_image_note_locked(place, at->stream);
	place->unwitnessed = at->stream;
	textures_undo(place, gpu, states);
	return error;
}

cl_int ocl_image_order_locked(struct ocl_image_place *place, struct gpu_stream *stream)
{
	/* An event that is recorded in that stream now happens after the change. */
	cl_int error = place->unwitnessed ? ocl_image_note_locked(place, place->unwitnessed) : CL_SUCCESS;
	return error || !place->written ? error : gpu_stream_wait_event(stream, place->written);
}

static uint32_t states_missing(const struct abi_image *content, uint32_t states)
{
	for (unsigned i = 0; i < ABI_SAMPLER_STATES; i++)
		if (content->texture[i])
			states &= ~(1u << i);
	return states;
}

static cl_int bind_locked(struct ocl_image *image, const struct ocl_acquired *at,
			  struct gpu_device *gpu, uint32_t states)
{
	struct ocl_image_place *place = &image->places[at->device];
	if (!place->descriptor)
		return place_make_locked(image, place, at, gpu, states);
	cl_int error = ocl_image_order_locked(place, at->stream);
	if (error)
		return error;
	const uint32_t missing = states_missing(&place->content, states);
	return missing ? place_extend_locked(image, place, at, gpu, missing) : CL_SUCCESS;
}

cl_int ocl_image_bind(cl_mem mem, const struct ocl_acquired *at, uint32_t states,
		      gpu_address *descriptor_out)
{
	struct ocl_image *image = mem->image;
	struct gpu_device *gpu = mem->storage->locations[at->device].gpu;
	struct ocl_acquired mirror;
	/* In OpenCL C an image1d_buffer_t is read only without a sampler. */
	if (image->type == CL_MEM_OBJECT_IMAGE1D_BUFFER)
		states &= 1u << ABI_STATE_PLAIN;
	if (image->mirrored) {
		mirror = *at;
		mirror.array = image->places[at->device].mirror;
		at = &mirror;
	}
	lock_take(&image->lock);
	cl_int error = bind_locked(image, at, gpu, states);
	if (!error)
		*descriptor_out = image->places[at->device].descriptor;
	lock_drop(&image->lock);
	return error;
}
