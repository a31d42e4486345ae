/* Textures and surfaces as kernels see them.
 *
 * An object's value names a struct soft_image, which the driver side makes and
 * the executor asks for with soft_memory.find_image; a work-group keeps copies of the
 * last few, so that a launch goes on with what it has found.
 *
 * The rules are those of the CUDA C++ Programming Guide, appendix "Texture
 * Fetching", and of the PTX ISA, "Texture Instructions" and "Surface
 * Instructions".  Thread-safety: a soft_image never changes. */
#ifndef CULVERT_SOFTCUDA_EXEC_IMAGE_H
#define CULVERT_SOFTCUDA_EXEC_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

enum texel_kind {
	TEXEL_UINT,       /* as they are, widened to 32 bits */
	TEXEL_SINT,
	TEXEL_UNORM,      /* to [0, 1] */
	TEXEL_SNORM,      /* to [-1, 1] */
	TEXEL_FLOAT       /* f16 or f32 */
};

/* CUaddress_mode's values. */
enum image_address { IMAGE_WRAP, IMAGE_CLAMP, IMAGE_MIRROR, IMAGE_BORDER };

/* Rows of arrays begin at multiples of it. */
enum { IMAGE_ROW_ALIGNMENT_B = 16 };

struct soft_image {
	uint64_t object;          /* its value in kernels; never 0 */
	bool surface;
	uint8_t dimensions;       /* 1, 2 or 3, of a layer */
	bool layered;
	bool buffer;              /* of linear memory, in one line */
	uint64_t start;           /* address of the first texel */
	uint64_t pitch_B;         /* from row to row */
	uint64_t slice_B;         /* from slice or layer to the next */
	uint32_t size[3];         /* texels; 1 in dimensions that there are not */
	uint32_t layers;          /* 1 when not layered */
	uint8_t kind;             /* enum texel_kind, of a texture as it is read */
	uint8_t channel_B;        /* 1, 2 or 4 */
	uint8_t channels;         /* 1, 2 or 4 */
	bool packed;              /* TEXEL_UNORM of 10, 10, 10 and 2 bits from the lowest on */
	uint8_t levels;           /* of a mipmapped array; else 0.  All other fields are those of level 0 */
	/* Of textures only. */
	uint8_t address[3];       /* enum image_address; wrap and mirror if normalized only */
	bool filter;              /* linear */
	bool normalized;          /* coordinates in [0, 1) */
	bool srgb;
	float border[4];
	bool mip_filter;          /* between levels: linear */
	float lod_bias, lod_min, lod_max;
};

static inline uint32_t image_texel_B(const struct soft_image *image)
{
	return (uint32_t)image->channel_B * image->channels;
}

static inline uint64_t image_row_pitch_B(uint64_t width, uint32_t texel_B)
{
	return (width * texel_B + IMAGE_ROW_ALIGNMENT_B - 1) / IMAGE_ROW_ALIGNMENT_B * IMAGE_ROW_ALIGNMENT_B;
}

/* Makes a level of a mipmapped array the next one.  The levels follow each other in memory; "the dimensions of each
 * subsequent mipmap level are half, rounded down" (driver API, cuMipmappedArrayCreate), and the layers stay. */
static inline void image_next_level(struct soft_image *image)
{
	image->start += image->slice_B * (image->layered ? image->layers : image->size[2]);
	for (unsigned d = 0; d < 3; d++)
		image->size[d] = image->size[d] > 1 ? image->size[d] / 2 : 1;
	image->pitch_B = image_row_pitch_B(image->size[0], image_texel_B(image));
	image->slice_B = image->pitch_B * image->size[1];
}

/* Where a work-item's coordinates wait for the instruction that they belong to, in
 * warp->image; _image.stage puts them there, one by one as its imm says. */
enum image_slot {
	IMAGE_SLOT_X,
	IMAGE_SLOT_Y,
	IMAGE_SLOT_Z,
	IMAGE_SLOT_LAYER,
	IMAGE_SLOT_OFFSET_X,
	IMAGE_SLOT_OFFSET_Y,
	IMAGE_SLOT_OFFSET_Z,
	IMAGE_SLOT_DX,            /* three: the gradient of x, y and z along one axis, and */
	IMAGE_SLOT_DY = IMAGE_SLOT_DX + 3,        /* along the other */
	IMAGE_SLOT_LOD = IMAGE_SLOT_DY + 3,
	IMAGE_SLOT_NONE,          /* a coordinate that is there but not used */
	IMAGE_SLOTS
};

/* What suld, sust and sured do outside of the surface, and tex with integers. */
enum image_edge { IMAGE_TRAP, IMAGE_EDGE_CLAMP, IMAGE_ZERO };

/* Where tex finds its level of a mipmapped array. */
enum image_lod { IMAGE_LOD_BASE, IMAGE_LOD_LEVEL, IMAGE_LOD_GRADIENTS };

/* What sured does; min and max without a sign unless they say so. */
enum image_reduction {
	IMAGE_ADD,
	IMAGE_MIN,
	IMAGE_MAX,
	IMAGE_MIN_SIGNED,
	IMAGE_MAX_SIGNED,
	IMAGE_AND,
	IMAGE_OR
};

/* A GPU's driver refuses modules with the others. */
enum image_query {
	IMAGE_QUERY_WIDTH,
	IMAGE_QUERY_HEIGHT,       /* the layers of a layered one with one dimension */
	IMAGE_QUERY_DEPTH         /* of one with two */
};

/* The modifiers of an instruction, in op->imm. */
struct image_mode {
	uint8_t dimensions;
	bool layered;
	bool real;                /* of tex: coordinates are f32, else s32 */
	bool formatted;           /* of sust and sured: .p */
	bool offset;              /* the offset slots count */
	uint8_t component;        /* tld4's; an enum image_query or image_reduction; of tex an enum image_lod */
	uint8_t edge;             /* enum image_edge; of tex: IMAGE_EDGE_CLAMP with a level */
	uint8_t element_B;        /* of sured; of tex 2: results are packed f16 */
};
_Static_assert(sizeof(struct image_mode) == sizeof(int64_t), "travels in op->imm");

/* The texel at a place as four 32-bit values: floats, or integers as they are.
 * Channels that there are not read as 0. */
void texel_read(const struct soft_image *image, const void *place, uint32_t value[4]);
/* The other way, for formatted stores: each channel saturated to its format, those
 * beyond count to 0. */
void texel_write(const struct soft_image *image, void *place, const uint32_t *value,
		 unsigned count);
/* The border's colour in the same form. */
void texel_border(const struct soft_image *image, uint32_t value[4]);
/* Both of integers, normalized ones too: the numbers in memory. */
void texel_read_whole(const struct soft_image *image, const void *place, uint32_t value[4]);
void texel_border_whole(const struct soft_image *image, uint32_t value[4]);

#endif
