#include "config.h"

#include "icd/memory/sampler.h"

#include "frontend/kernel_abi.h"
#include "icd/object/properties.h"

#include <stdlib.h>
#include <string.h>

_Static_assert(offsetof(struct _cl_sampler, base) == 0, "a handle starts with its object");

static void sampler_destroy(struct object *object)
{
	struct _cl_sampler *sampler = (struct _cl_sampler *)object;
	object_unref(sampler->context);
	free(sampler->properties);
	free(sampler);
}

const struct object_type ocl_sampler_type = {"sampler", CL_INVALID_SAMPLER, sampler_destroy};

static bool addressing_bits(cl_addressing_mode addressing, uint32_t *bits)
{
	switch (addressing) {
	case CL_ADDRESS_NONE:
		*bits |= ABI_SAMPLER_NONE;
		return true;
	case CL_ADDRESS_CLAMP_TO_EDGE:
		*bits |= ABI_SAMPLER_CLAMP_TO_EDGE;
		return true;
	case CL_ADDRESS_CLAMP:
		*bits |= ABI_SAMPLER_CLAMP;
		return true;
	case CL_ADDRESS_REPEAT:
		*bits |= ABI_SAMPLER_REPEAT;
		return true;
	case CL_ADDRESS_MIRRORED_REPEAT:
		*bits |= ABI_SAMPLER_MIRRORED_REPEAT;
		return true;
	default:
		return false;
	}
}

static bool filter_bits(cl_filter_mode filter, uint32_t *bits)
{
	if (filter != CL_FILTER_NEAREST && filter != CL_FILTER_LINEAR)
		return false;
	*bits |= filter == CL_FILTER_LINEAR ? ABI_SAMPLER_LINEAR : ABI_SAMPLER_NEAREST;
	return true;
}

/* A level of detail in 1/256, as textures have it, limited to 0 and ABI_SAMPLER_LOD_LIMIT. */
static uint32_t lod_fixed(cl_float lod)
{
	const float fixed = lod * ABI_SAMPLER_LOD_ONE + 0.5f;
	return fixed < 0 ? 0 : fixed > ABI_SAMPLER_LOD_LIMIT ? ABI_SAMPLER_LOD_LIMIT : (uint32_t)fixed;
}

/* False for a NaN, and for limits between which there is nothing. */
static bool mip_bits(const struct ocl_sampler_settings *settings, uint32_t *bits)
{
	if ((settings->mip_filter != CL_FILTER_NEAREST && settings->mip_filter != CL_FILTER_LINEAR) ||
	    !(settings->lod_min <= settings->lod_max))
		return false;
	*bits |= settings->mip_filter == CL_FILTER_LINEAR ? ABI_SAMPLER_MIP_LINEAR : 0;
	*bits |= lod_fixed(settings->lod_min) << ABI_SAMPLER_LOD_MIN_SHIFT;
	*bits |= (ABI_SAMPLER_LOD_LIMIT - lod_fixed(settings->lod_max)) << ABI_SAMPLER_LOD_MAX_SHIFT;
	return true;
}

cl_int ocl_sampler_create(cl_context context, const struct ocl_sampler_settings *settings,
			  const cl_sampler_properties *properties, cl_sampler *sampler_out)
{
	uint32_t bits = settings->normalized ? ABI_SAMPLER_NORMALIZED : 0;
	if ((settings->normalized != CL_TRUE && settings->normalized != CL_FALSE) ||
	    !addressing_bits(settings->addressing, &bits) || !filter_bits(settings->filter, &bits) ||
	    !mip_bits(settings, &bits))
		return CL_INVALID_VALUE;
	struct _cl_sampler *sampler = calloc(1, sizeof(*sampler));
	if (!sampler)
		return CL_OUT_OF_HOST_MEMORY;
	object_init(&sampler->base, &ocl_sampler_type);
	object_ref(context);
	sampler->context = context;
	sampler->settings = *settings;
	sampler->bits = bits;
	cl_int error = ocl_properties_copy(properties, &sampler->properties, &sampler->property_count);
	if (error)
		object_unref(sampler);
	else
		*sampler_out = sampler;
	return error;
}
