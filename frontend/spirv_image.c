#include "config.h"

#include "frontend/spirv_call.h"

#include <inttypes.h>
#include <stdio.h>

/* Images (SPIR-V 1.6, 3.49.10; OpenCL SPIR-V environment 3.0, 2.8), as the functions of OpenCL C
 * 3.0, 6.15.15.  What combines an image with a sampler is no value: who reads looks there. */

/* Words of OpTypeImage. */
enum { DIMENSION = 3, DEPTH = 4, ARRAYED = 5, MULTISAMPLED = 6, ACCESS = 9, LEAST_WORDS = 9 };

/* What an image of a kind needs: the name, and elements of coordinates and of sizes. */
struct kind {
	const char *name;
	uint8_t coordinates;
	uint8_t sizes;
};

static const struct kind *kind_of(const struct spirv_module *module, uint32_t type)
{
	static const struct kind kinds[][2][2] = {
		/* plain, array; of each the one of colors and the one of depths */
		[SpvDim1D] = {{{"image1d_t", 1, 1}, {0}}, {{"image1d_array_t", 2, 2}, {0}}},
		[SpvDim2D] = {{{"image2d_t", 2, 2}, {"image2d_depth_t", 2, 2}},
			      {{"image2d_array_t", 4, 3}, {"image2d_array_depth_t", 4, 3}}},
		[SpvDim3D] = {{{"image3d_t", 4, 3}, {0}}, {{0}, {0}}},
		[SpvDimBuffer] = {{{"image1d_buffer_t", 1, 1}, {0}}, {{0}, {0}}},
	};
	const struct spirv_id *id = spirv_id(module, type);
	if (!id->words || id->op != SpvOpTypeImage || id->count < LEAST_WORDS)
		return NULL;
	const uint32_t *words = id->words;
	if (words[DIMENSION] >= sizeof(kinds) / sizeof(*kinds) || words[ARRAYED] > 1 ||
	    words[MULTISAMPLED])
		return NULL;
	/* 2: not known, which OpenCL does not have. */
	const struct kind *kind = &kinds[words[DIMENSION]][words[ARRAYED]][words[DEPTH] == 1];
	return kind->name ? kind : NULL;
}

static SpvAccessQualifier access_of(const struct spirv_module *module, uint32_t type)
{
	const struct spirv_id *id = spirv_id(module, type);
	return id->words && id->count > ACCESS ? (SpvAccessQualifier)id->words[ACCESS]
					       : SpvAccessQualifierReadOnly;
}

bool spirv_image_name(const struct spirv_module *module, uint32_t type, char *name, size_t size_B)
{
	static const char *const accesses[] = {
		[SpvAccessQualifierReadOnly] = "read_only",
		[SpvAccessQualifierWriteOnly] = "write_only",
		[SpvAccessQualifierReadWrite] = "read_write",
	};
	const struct kind *kind = kind_of(module, type);
	size_t access = (size_t)access_of(module, type);
	if (!kind || access >= sizeof(accesses) / sizeof(*accesses))
		return false;
	int length = snprintf(name, size_B, "%s %s", accesses[access], kind->name);
	return length > 0 && (size_t)length < size_B;
}

/* --- operands --- */

/* An image that is read or written. */
struct image {
	uint32_t id;
	uint32_t type;              /* OpTypeImage */
	uint32_t sampler;           /* 0: none */
	const struct kind *kind;    /* NULL: no image that we know */
};

static struct image image_of(const struct spirv_module *module, uint32_t id)
{
	struct image image = {.id = id};
	const struct spirv_id *value = spirv_id(module, id);
	if (value->words && value->op == SpvOpSampledImage && value->count > 4) {
		image.id = value->words[3];
		image.sampler = value->words[4];
	} else if (value->words && value->op == SpvOpImage && value->count > 3 &&
		   spirv_id(module, value->words[3])->op == SpvOpSampledImage) {
		/* The image of a sampled image. */
		return (struct image){.id = image_of(module, value->words[3]).id,
				      .type = value->type,
				      .kind = kind_of(module, value->type)};
	}
	image.type = spirv_id(module, image.id)->type;
	image.kind = kind_of(module, image.type);
	return image;
}

static bool is_depth(const struct spirv_module *module, struct image image)
{
	return spirv_id(module, image.type)->words[DEPTH] == 1;
}

static enum spirv_written few_words(struct spirv_writer *writer, const uint32_t *words)
{
	return spirv_fail(writer, words[0] & SpvOpCodeMask, "too few words");
}

static enum spirv_written no_image(struct spirv_writer *writer, const uint32_t *words)
{
	return spirv_fail(writer, words[0] & SpvOpCodeMask, "not of an image that OpenCL C knows");
}

/* Coordinates of 32 bits, as many as the image's kind has or more; images of three take four in
 * OpenCL C, of which the last does not count. */
static bool put_coordinates(struct spirv_writer *writer, struct image image, uint32_t value)
{
	static const char *const parts[] = {[1] = ".s0", [2] = ".s01", [4] = ".s0123"};
	struct spirv_shape shape = spirv_value_shape(writer->module, value);
	unsigned lanes = image.kind->coordinates;
	if ((shape.class != SPIRV_INT && shape.class != SPIRV_FLOAT) || shape.bits != 32)
		return false;
	const char *base = shape.class == SPIRV_INT ? "int" : "float";
	if (lanes == 4 && shape.lanes == 3) {
		spirv_put(writer, "(%s4)(", base);
		spirv_put_signed(writer, value);
		spirv_put(writer, ", 0)");
		return true;
	}
	if (shape.lanes < lanes)
		return false;
	spirv_put_signed(writer, value);
	if (shape.lanes > lanes)
		spirv_put(writer, "%s", parts[lanes]);
	return true;
}

/* Image operands (SPIR-V 1.6, 3.14).  Images have one level, so which one is asked for does not
 * matter; the others that are let through say nothing about the element. */
enum {
	OPERANDS = SpvImageOperandsBiasMask | SpvImageOperandsLodMask | SpvImageOperandsGradMask |
		   SpvImageOperandsSignExtendMask | SpvImageOperandsZeroExtendMask |
		   SpvImageOperandsNonPrivateTexelMask | SpvImageOperandsVolatileTexelMask |
		   SpvImageOperandsNontemporalMask,
};

/* How elements are read and written: by the end of the functions' names. */
enum element { REAL, HALF, SIGNED, UNSIGNED, BY_IMAGE, OTHER };

/* Of integers only the image operands say whether they have a sign, from SPIR-V 1.4 on; without
 * them it is as the image's channels are.  Textures give the same bits for either. */
static enum element element_of(const struct spirv_writer *writer, struct spirv_shape shape,
			       uint32_t operands, struct image image)
{
	if (shape.class == SPIRV_FLOAT && shape.bits == 32)
		return REAL;
	if (shape.class == SPIRV_FLOAT && shape.bits == 16)
		return HALF;
	if (shape.class != SPIRV_INT || shape.bits != 32)
		return OTHER;
	if (operands & SpvImageOperandsSignExtendMask)
		return SIGNED;
	if (operands & SpvImageOperandsZeroExtendMask)
		return UNSIGNED;
	return access_of(writer->module, image.type) == SpvAccessQualifierReadOnly ? UNSIGNED
										   : BY_IMAGE;
}

static const char *const endings[] = {
	[REAL] = "f", [HALF] = "h", [SIGNED] = "i", [UNSIGNED] = "ui",
};

/* "if the image's channels are CL_SIGNED_INT8, 16 or 32" */
static void put_if_signed(struct spirv_writer *writer, struct image image)
{
	spirv_put(writer, "if ((uint)get_image_channel_data_type(v%" PRIu32
			  ") - CLK_SIGNED_INT8 < 3u)\n", image.id);
}

/* --- reading --- */

/* "read_imagef(v3, v4, as_int2(v5))" */
static bool put_read(struct spirv_writer *writer, struct image image, uint32_t coordinates,
		     enum element element)
{
	spirv_put(writer, "read_image%s(v%" PRIu32 ", ", endings[element], image.id);
	if (image.sampler)
		spirv_put(writer, "v%" PRIu32 ", ", image.sampler);
	bool good = put_coordinates(writer, image, coordinates);
	spirv_put(writer, ")");
	return good;
}

/* The statement that sets the result: four elements, also where an image of depths gives one. */
static bool put_result(struct spirv_writer *writer, const uint32_t *words, struct image image,
		       enum element element)
{
	unsigned lanes = spirv_shape(writer->module, words[1]).lanes;
	const char *end = lanes == 1 ? ").s0" : ")";
	if (is_depth(writer->module, image))
		end = lanes == 1 ? ")" : ", 0, 0, 1)";
	spirv_put(writer, "v%" PRIu32 " = %s(", words[2],
		  element == SIGNED ? "as_uint4"
		  : is_depth(writer->module, image) && lanes != 1 ? "(float4)" : "");
	bool good = put_read(writer, image, words[4], element);
	spirv_put(writer, "%s;\n", end);
	return good;
}

static enum spirv_written write_read(struct spirv_writer *writer, const uint32_t *words,
				     unsigned count)
{
	unsigned op = words[0] & SpvOpCodeMask;
	if (count < 5)
		return few_words(writer, words);
	struct image image = image_of(writer->module, words[3]);
	struct spirv_shape result = spirv_shape(writer->module, words[1]);
	uint32_t operands = count > 5 ? words[5] : 0;
	if (!image.kind)
		return no_image(writer, words);
	enum element element = element_of(writer, result, operands, image);
	if (operands & ~(uint32_t)OPERANDS || element == OTHER ||
	    (result.lanes != 4 && result.lanes != 1) ||
	    (is_depth(writer->module, image) && element != REAL))
		return spirv_fail(writer, op, "operands that OpenCL C's reads do not have");
	bool good;
	if (element == BY_IMAGE) {
		put_if_signed(writer, image);
		good = put_result(writer, words, image, SIGNED);
		spirv_put(writer, "else\n");
		good &= put_result(writer, words, image, UNSIGNED);
	} else {
		good = put_result(writer, words, image, element);
	}
	return good ? SPIRV_WRITTEN : spirv_fail(writer, op, "coordinates of another kind");
}

/* --- writing --- */

/* "write_imagei(v3, as_int2(v4), as_int4(v5));" */
static bool put_write(struct spirv_writer *writer, const uint32_t *words, struct image image,
		      enum element element)
{
	spirv_put(writer, "write_image%s(v%" PRIu32 ", ", endings[element], image.id);
	bool good = put_coordinates(writer, image, words[2]);
	spirv_put(writer, ", ");
	if (element == SIGNED)
		spirv_put_signed(writer, words[3]);
	else
		spirv_put(writer, "v%" PRIu32, words[3]);
	if (is_depth(writer->module, image) &&
	    spirv_value_shape(writer->module, words[3]).lanes != 1)
		spirv_put(writer, ".s0");
	spirv_put(writer, ");\n");
	return good;
}

static enum spirv_written write_write(struct spirv_writer *writer, const uint32_t *words,
				      unsigned count)
{
	if (count < 4)
		return few_words(writer, words);
	struct image image = image_of(writer->module, words[1]);
	struct spirv_shape texel = spirv_value_shape(writer->module, words[3]);
	uint32_t operands = count > 4 ? words[4] : 0;
	if (!image.kind)
		return no_image(writer, words);
	enum element element = element_of(writer, texel, operands, image);
	bool depth = is_depth(writer->module, image);
	if (operands & ~(uint32_t)OPERANDS || element == OTHER || (depth && element != REAL) ||
	    (texel.lanes != 4 && (texel.lanes != 1 || !depth)))
		return spirv_fail(writer, SpvOpImageWrite,
				  "operands that OpenCL C's writes do not have");
	bool good;
	if (element == BY_IMAGE) {
		put_if_signed(writer, image);
		good = put_write(writer, words, image, SIGNED);
		spirv_put(writer, "else\n");
		good &= put_write(writer, words, image, UNSIGNED);
	} else {
		good = put_write(writer, words, image, element);
	}
	return good ? SPIRV_WRITTEN
		    : spirv_fail(writer, SpvOpImageWrite, "coordinates of another kind");
}

/* --- queries --- */

static enum spirv_written write_size(struct spirv_writer *writer, const uint32_t *words,
				     unsigned count)
{
	static const char *const sides[] = {"width", "height", "depth"};
	unsigned op = words[0] & SpvOpCodeMask;
	if (count < 4)
		return few_words(writer, words);
	struct image image = image_of(writer->module, words[3]);
	if (!image.kind)
		return no_image(writer, words);
	bool arrayed = spirv_id(writer->module, image.type)->words[ARRAYED];
	struct spirv_shape result = spirv_shape(writer->module, words[1]);
	if (result.class != SPIRV_INT || result.lanes != image.kind->sizes)
		return spirv_fail(writer, op, "%u sizes of an %s", result.lanes, image.kind->name);
	spirv_put(writer, "v%" PRIu32 " = (t%" PRIu32 ")(", words[2], words[1]);
	result.lanes = 1;
	for (unsigned i = 0; i < image.kind->sizes; i++)
		spirv_put(writer, "%s(%s)get_image_%s(v%" PRIu32 ")", i ? ", " : "",
			  spirv_unsigned_name(result).text,
			  arrayed && i + 1u == image.kind->sizes ? "array_size" : sides[i],
			  image.id);
	spirv_put(writer, ");\n");
	return SPIRV_WRITTEN;
}

/* SPIR-V numbers types and orders of channels from 0 on, as OpenCL does from CL_SNORM_INT8 and
 * from CL_R on (SPIR-V 1.6, 3.12 and 3.13). */
static enum spirv_written write_query(struct spirv_writer *writer, const uint32_t *words,
				      unsigned count, const char *name, const char *first)
{
	if (count < 4)
		return few_words(writer, words);
	struct image image = image_of(writer->module, words[3]);
	if (!image.kind)
		return no_image(writer, words);
	spirv_put(writer, "v%" PRIu32 " = (t%" PRIu32 ")(%s(v%" PRIu32 ") - %s);\n", words[2],
		  words[1], name, image.id, first);
	return SPIRV_WRITTEN;
}

enum spirv_written spirv_image(struct spirv_writer *writer, const uint32_t *words, unsigned count)
{
	switch (words[0] & SpvOpCodeMask) {
	case SpvOpSampledImage:
	case SpvOpImage:
		return SPIRV_WRITTEN;
	case SpvOpImageSampleExplicitLod:
	case SpvOpImageFetch:
	case SpvOpImageRead:
		return write_read(writer, words, count);
	case SpvOpImageWrite:
		return write_write(writer, words, count);
	case SpvOpImageQuerySize:
	case SpvOpImageQuerySizeLod:
		return write_size(writer, words, count);
	case SpvOpImageQueryFormat:
		return write_query(writer, words, count, "get_image_channel_data_type",
				   "CLK_SNORM_INT8");
	case SpvOpImageQueryOrder:
		return write_query(writer, words, count, "get_image_channel_order", "CLK_R");
	case SpvOpImageQueryLevels:
		if (count < 4)
			return few_words(writer, words);
		spirv_put(writer, "v%" PRIu32 " = 1;\n", words[2]);
		return SPIRV_WRITTEN;
	default:
		return SPIRV_OTHER;
	}
}
