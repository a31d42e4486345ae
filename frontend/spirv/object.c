/* Images (SPIR-V 1.6, 3.49.10; OpenCL SPIR-V environment 3.0, 2.8), as the functions of OpenCL C 3.0, 6.15.15, and
 * pipes (SPIR-V 1.6, 3.49.17).
 *
 * An image combined with a sampler is no value in LLVM IR: the instructions that read an image look at the operands of
 * its OpSampledImage. */
#include "config.h"

#include "frontend/spirv/object.h"

#include "frontend/spirv/opencl_std.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Words of OpTypeImage. */
enum { DIMENSION = 3, DEPTH = 4, ARRAYED = 5, MULTISAMPLED = 6, ACCESS = 9 };

/* A kind of images in OpenCL C. */
struct kind {
	const char *name;
	uint8_t coordinates;        /* number of elements of coordinates */
	uint8_t sizes;              /* number of its dimensions, with the array's length */
};

/* The kind of an image type; NULL: OpenCL C has no such images. */
static const struct kind *kind_of(const struct spirv_type *type)
{
	static const struct kind kinds[][2][2] = {
		/* not arrayed, arrayed; of each: of colors, of depths */
		[SpvDim1D] = {{{"image1d_t", 1, 1}, {0}}, {{"image1d_array_t", 2, 2}, {0}}},
		[SpvDim2D] = {{{"image2d_t", 2, 2}, {"image2d_depth_t", 2, 2}},
			      {{"image2d_array_t", 4, 3}, {"image2d_array_depth_t", 4, 3}}},
		[SpvDim3D] = {{{"image3d_t", 4, 3}, {0}}, {{0}, {0}}},
		[SpvDimBuffer] = {{{"image1d_buffer_t", 1, 1}, {0}}, {{0}, {0}}},
	};
	const uint32_t *words = type->made.words;
	if (words[DIMENSION] >= sizeof(kinds) / sizeof(*kinds) || words[ARRAYED] > 1 ||
	    words[MULTISAMPLED])
		return NULL;
	/* A depth of 2, not known, means no depth image in OpenCL. */
	const struct kind *kind = &kinds[words[DIMENSION]][words[ARRAYED]][words[DEPTH] == 1];
	return kind->name ? kind : NULL;
}

static uint32_t access_of(const struct spirv_type *type)
{
	return type->made.count > ACCESS ? type->made.words[ACCESS] : SpvAccessQualifierReadOnly;
}

bool spirv_image_is_supported(const struct spirv_type *type)
{
	return kind_of(type) && access_of(type) <= SpvAccessQualifierReadWrite;
}

const char *spirv_image_name(const struct spirv_type *type)
{
	return kind_of(type)->name;
}

const char *spirv_image_access(const struct spirv_type *type)
{
	static const char *const accesses[] = {
		[SpvAccessQualifierReadOnly] = "read_only",
		[SpvAccessQualifierWriteOnly] = "write_only",
		[SpvAccessQualifierReadWrite] = "read_write",
	};
	return accesses[access_of(type)];
}

/* --- operands ------------------------------------------------------------------------------------------------ */

/* The image operand of an instruction. */
struct image {
	const struct spirv_type *type;
	const struct kind *kind;
	LLVMValueRef value;
	LLVMValueRef sampler;       /* NULL: none */
	char named[32];             /* its type in mangled names: "14ocl_image2d_ro" */
};

static bool is_depth(const struct image *image)
{
	return image->type->made.words[DEPTH] == 1;
}

static void name_image(struct image *image)
{
	static const char *const endings[] = {"ro", "wo", "rw"};
	char name[28];
	snprintf(name, sizeof(name), "ocl_%.*s_%s", (int)strlen(image->kind->name) - 2, image->kind->name,
		 endings[access_of(image->type)]);
	snprintf(image->named, sizeof(image->named), "%zu%s", strlen(name), name);
}

/* The image with an id, which may be an OpSampledImage, whose sampler is taken too; false with a message. */
static bool find_image(struct spirv_reader *reader, uint32_t id, struct image *image)
{
	const struct spirv_instruction made = spirv_of(reader->module, id);
	*image = (struct image){0};
	if (made.op == SpvOpSampledImage && made.count > 4) {
		const struct spirv_type *sampler = spirv_type_of(reader, made.words[4]);
		if (!sampler)
			return false;
		if (sampler->class != SPIRV_SAMPLER)
			return spirv_fail(reader, "the operand %" PRIu32 " is no sampler", made.words[4]);
		image->sampler = spirv_value(reader, made.words[4]);
		if (!image->sampler)
			return false;
		id = made.words[3];
	}
	image->type = spirv_type_of(reader, id);
	image->value = image->type ? spirv_value(reader, id) : NULL;
	if (!image->value)
		return false;
	if (image->type->class != SPIRV_IMAGE)
		return spirv_fail(reader, "the operand %" PRIu32 " is no image", id);
	image->kind = kind_of(image->type);
	name_image(image);
	return true;
}

static struct spirv_argument image_argument(const struct image *image)
{
	return (struct spirv_argument){.value = image->value, .named = image->named};
}

/* The first elements of a vector, or its first element if lanes is 1; missing elements are 0. */
static LLVMValueRef take_lanes(struct spirv_reader *reader, const struct spirv_type *type, LLVMValueRef value,
			       unsigned lanes)
{
	LLVMValueRef mask[4];
	if (type->lanes == lanes)
		return value;
	if (lanes == 1)
		return LLVMBuildExtractElement(reader->builder, value, spirv_number(reader, 32, 0), "");
	/* The second operand of the shuffle is a vector of zeros. */
	for (unsigned i = 0; i < lanes; i++)
		mask[i] = spirv_number(reader, 32, i < type->lanes ? i : type->lanes);
	return LLVMBuildShuffleVector(reader->builder, value, LLVMConstNull(type->value),
				      LLVMConstVector(mask, lanes), "");
}

/* The coordinates of an image as an argument: at least as many numbers of 32 bits as the image has dimensions.  For
 * three dimensions OpenCL C takes four, of which the last has no effect.  False with a message. */
static bool coordinates(struct spirv_reader *reader, const struct image *image, uint32_t id,
			struct spirv_argument *argument)
{
	const struct spirv_type *type = spirv_type_of(reader, id);
	LLVMValueRef value = type ? spirv_value(reader, id) : NULL;
	const unsigned lanes = image->kind->coordinates;
	if (!value)
		return false;
	if (!spirv_is_number(type) || type->bits != 32 ||
	    (type->lanes < lanes && !(lanes == 4 && type->lanes == 3)))
		return spirv_fail(reader, "the coordinates are not those of an %s", image->kind->name);
	*argument = (struct spirv_argument){
		.value = take_lanes(reader, type, value, lanes),
		.base = type->class == SPIRV_INT ? 'i' : 'f',
		.lanes = lanes,
	};
	return true;
}

/* The image operands that are accepted (SPIR-V 1.6, 3.14).  A bias has no effect: it belongs to levels that a shader's
 * derivatives select. */
enum {
	OPERANDS = SpvImageOperandsBiasMask | SpvImageOperandsLodMask | SpvImageOperandsGradMask |
		   SpvImageOperandsSignExtendMask | SpvImageOperandsZeroExtendMask |
		   SpvImageOperandsNonPrivateTexelMask | SpvImageOperandsVolatileTexelMask |
		   SpvImageOperandsNontemporalMask,
};

/* The image operands of an instruction: their mask, and the arguments that select a level of a mipmapped image. */
struct image_operands {
	uint32_t mask;
	struct spirv_argument levels[2];   /* a level, or two gradients */
	unsigned level_count;
};

/* A level: a float for a read with a sampler, otherwise an integer.  None if it is the constant 0, so that such code is
 * that of images with one level. */
static bool take_level(struct spirv_reader *reader, const struct image *image, uint32_t id,
		       struct image_operands *operands)
{
	const struct spirv_type *type = spirv_type_of(reader, id);
	LLVMValueRef value = type ? spirv_value(reader, id) : NULL;
	if (!value)
		return false;
	if (type->class != (image->sampler ? SPIRV_FLOAT : SPIRV_INT) || type->bits != 32 || type->lanes != 1)
		return spirv_fail(reader, "the level of detail is no %s of 32 bits",
				  image->sampler ? "floating-point number" : "integer");
	if (LLVMIsNull(value))
		return true;
	operands->levels[operands->level_count++] = (struct spirv_argument){
		.value = value, .base = type->class == SPIRV_INT ? 'i' : 'f', .lanes = 1};
	return true;
}

/* Gradients have as many numbers as coordinates without the layer. */
static bool take_gradients(struct spirv_reader *reader, const struct image *image, const uint32_t *ids,
			   struct image_operands *operands)
{
	const unsigned all = image->kind->sizes - (image->type->made.words[ARRAYED] ? 1 : 0);
	const unsigned lanes = all == 3 ? 4 : all;
	for (unsigned i = 0; i < 2; i++) {
		const struct spirv_type *type = spirv_type_of(reader, ids[i]);
		LLVMValueRef value = type ? spirv_value(reader, ids[i]) : NULL;
		if (!value)
			return false;
		if (type->class != SPIRV_FLOAT || type->bits != 32 || type->lanes < all)
			return spirv_fail(reader, "a gradient is not that of an %s", image->kind->name);
		operands->levels[operands->level_count++] = (struct spirv_argument){
			.value = take_lanes(reader, type, value, lanes), .base = 'f', .lanes = lanes};
	}
	return true;
}

/* The operands stand in the order of their bits: a bias, a level, gradients. */
static bool read_operands(struct spirv_reader *reader, const struct spirv_op *op, unsigned at,
			  const struct image *image, struct image_operands *operands)
{
	*operands = (struct image_operands){.mask = at < op->count ? op->words[at] : 0};
	const uint32_t mask = operands->mask;
	if (mask & ~(uint32_t)OPERANDS)
		return spirv_fail(reader, "the image operands 0x%" PRIx32 " are not supported; images have no "
				  "samples, and no offsets", mask);
	at += 1 + (mask & SpvImageOperandsBiasMask ? 1 : 0);
	if (!(mask & (SpvImageOperandsLodMask | SpvImageOperandsGradMask)))
		return true;
	const bool is_level = mask & SpvImageOperandsLodMask;
	if (at + (is_level ? 1 : 2) > op->count)
		return spirv_fail(reader, "an image operand is missing");
	return is_level ? take_level(reader, image, op->words[at], operands)
			: take_gradients(reader, image, op->words + at, operands);
}

/* The type of elements, which selects the function.  BY_IMAGE: integers whose sign the image's format decides at run
 * time.
 * OTHER: there is no function. */
enum element { REAL, HALF, SIGNED, UNSIGNED, BY_IMAGE, OTHER };

static const char *const read_functions[] = {"read_imagef", "read_imageh", "read_imagei", "read_imageui"};
static const char *const write_functions[] = {"write_imagef", "write_imageh", "write_imagei",
					      "write_imageui"};
static const char element_letters[] = {'f', 'D', 'i', 'j'};

/* The type of the elements that an instruction reads or writes.  From SPIR-V 1.4 on image operands say whether integers
 * are signed; without them the image's channel data type decides.  For images that are only read it does not matter:
 * textures give the same bits for both. */
static enum element element_of(const struct spirv_type *type, uint32_t operands, const struct image *image)
{
	if (type->class == SPIRV_FLOAT && type->bits == 32)
		return REAL;
	if (is_depth(image))
		return OTHER;
	if (type->class == SPIRV_FLOAT && type->bits == 16)
		return HALF;
	if (type->class != SPIRV_INT || type->bits != 32)
		return OTHER;
	if (operands & SpvImageOperandsSignExtendMask)
		return SIGNED;
	if (operands & SpvImageOperandsZeroExtendMask)
		return UNSIGNED;
	return access_of(image->type) == SpvAccessQualifierReadOnly ? UNSIGNED : BY_IMAGE;
}

/* Values of OpenCL's enumerations: CL_SNORM_INT8, CL_SIGNED_INT8 (the first of three signed types), CL_R. */
enum { SNORM_INT8 = 0x10D0, SIGNED_INT8 = 0x10D7, SIGNED_KINDS = 3, ORDER_R = 0x10B0 };

/* Calls a query function of an image, whose result has a number of bits; NULL with a message. */
static LLVMValueRef query(struct spirv_reader *reader, const struct image *image, const char *name,
			  unsigned bits)
{
	const struct spirv_argument argument = image_argument(image);
	return spirv_call(reader, name, spirv_int(reader, bits), &argument, 1);
}

/* --- integers whose sign only the image knows ---------------------------------------------------------------- */

/* The blocks of an access with two branches. */
struct ways {
	LLVMBasicBlockRef with_sign, without, end;
};

/* Branches by the channel data type of an image, and moves the builder to the block for signed ones; false with a
 * message. */
static bool part_ways(struct spirv_reader *reader, const struct image *image, struct ways *ways)
{
	LLVMValueRef type = query(reader, image, "get_image_channel_data_type", 32);
	if (!type)
		return false;
	LLVMValueRef kind = LLVMBuildSub(reader->builder, type, spirv_number(reader, 32, SIGNED_INT8), "");
	LLVMValueRef has_sign = LLVMBuildICmp(reader->builder, LLVMIntULT, kind,
					      spirv_number(reader, 32, SIGNED_KINDS), "");
	ways->end = spirv_block_behind(reader);
	ways->without = spirv_block_behind(reader);
	ways->with_sign = spirv_block_behind(reader);
	LLVMBuildCondBr(reader->builder, has_sign, ways->with_sign, ways->without);
	LLVMPositionBuilderAtEnd(reader->builder, ways->with_sign);
	return true;
}

/* Ends the branch where the builder is, and moves the builder to another block. */
static void go_on(struct spirv_reader *reader, const struct ways *ways, LLVMBasicBlockRef next)
{
	LLVMBuildBr(reader->builder, ways->end);
	LLVMPositionBuilderAtEnd(reader->builder, next);
}

/* --- reading ------------------------------------------------------------------------------------------------- */

/* The arguments of a read; returns how many there are.  A level without a sampler is an integer.  With one, coordinates
 * that are integers are not normalized, as those of a mipmapped image have to be (OpenCL C 3.0, 6.15.15.2), so that any
 * level will do. */
static unsigned read_arguments(const struct image *image, const struct spirv_argument *place,
			       const struct image_operands *operands, struct spirv_argument arguments[5])
{
	unsigned count = 0;
	arguments[count++] = image_argument(image);
	if (image->sampler)
		arguments[count++] = (struct spirv_argument){.value = image->sampler, .named = "11ocl_sampler"};
	arguments[count++] = *place;
	for (unsigned i = 0; i < operands->level_count && !(image->sampler && place->base == 'i'); i++)
		arguments[count++] = operands->levels[i];
	return count;
}

/* The value read: four elements, or one; NULL with a message. */
static LLVMValueRef read(struct spirv_reader *reader, const struct image *image,
			 const struct spirv_argument *arguments, unsigned count, const struct spirv_type *type,
			 enum element element)
{
	LLVMTypeRef single = type->lanes > 1 ? type->element->value : type->value;
	LLVMTypeRef result = is_depth(image) ? single : LLVMVectorType(single, 4);
	LLVMValueRef value = spirv_call(reader, read_functions[element], result, arguments, count);
	if (!value || (type->lanes == 1) == is_depth(image))
		return value;
	if (type->lanes == 1)
		return LLVMBuildExtractElement(reader->builder, value, spirv_number(reader, 32, 0), "");
	/* The color of a depth image. */
	LLVMValueRef zero = LLVMConstNull(single), one = LLVMConstReal(single, 1.0);
	LLVMValueRef color[] = {LLVMGetUndef(single), zero, zero, one};
	return LLVMBuildInsertElement(reader->builder, LLVMConstVector(color, 4), value,
				      spirv_number(reader, 32, 0), "");
}

/* Builds a read with or without a sampler. */
static bool build_read(struct spirv_reader *reader, const struct spirv_op *op)
{
	struct spirv_argument place, arguments[5];
	struct image image;
	struct image_operands operands;
	const struct spirv_type *type = op->type;
	if (!find_image(reader, op->words[3], &image) || !coordinates(reader, &image, op->words[4], &place) ||
	    !read_operands(reader, op, 5, &image, &operands))
		return false;
	const unsigned count = read_arguments(&image, &place, &operands, arguments);
	const enum element element = element_of(type, operands.mask, &image);
	if (element == OTHER || (type->lanes != 4 && type->lanes != 1))
		return spirv_fail(reader, "the result is not what OpenCL C reads from an %s", image.kind->name);
	if (element != BY_IMAGE)
		return spirv_define(reader, op, read(reader, &image, arguments, count, type, element));
	struct ways ways;
	LLVMValueRef values[2] = {NULL, NULL};
	LLVMBasicBlockRef from[2];
	if (!part_ways(reader, &image, &ways))
		return false;
	values[0] = read(reader, &image, arguments, count, type, SIGNED);
	from[0] = LLVMGetInsertBlock(reader->builder);
	go_on(reader, &ways, ways.without);
	values[1] = values[0] ? read(reader, &image, arguments, count, type, UNSIGNED) : NULL;
	from[1] = LLVMGetInsertBlock(reader->builder);
	go_on(reader, &ways, ways.end);
	if (!values[1])
		return false;
	LLVMValueRef value = LLVMBuildPhi(reader->builder, type->value, "");
	LLVMAddIncoming(value, values, from, 2);
	return spirv_define(reader, op, value);
}

/* --- writing ------------------------------------------------------------------------------------------------- */

static bool write(struct spirv_reader *reader, const struct image *image, const struct spirv_argument *place,
		  const struct image_operands *operands, LLVMValueRef texel, enum element element)
{
	struct spirv_argument arguments[4] = {image_argument(image), *place};
	unsigned count = 2;
	if (operands->level_count)
		arguments[count++] = operands->levels[0];
	arguments[count++] = (struct spirv_argument){
		.value = texel, .base = element_letters[element], .lanes = is_depth(image) ? 1 : 4};
	return spirv_call(reader, write_functions[element], LLVMVoidTypeInContext(reader->context), arguments,
			  count) != NULL;
}

static bool build_write(struct spirv_reader *reader, const struct spirv_op *op)
{
	struct spirv_argument place;
	struct image image;
	struct image_operands operands;
	if (!find_image(reader, op->words[1], &image) || !coordinates(reader, &image, op->words[2], &place) ||
	    !read_operands(reader, op, 4, &image, &operands))
		return false;
	const struct spirv_type *type = spirv_type_of(reader, op->words[3]);
	LLVMValueRef texel = type ? spirv_value(reader, op->words[3]) : NULL;
	if (!texel)
		return false;
	const enum element element = element_of(type, operands.mask, &image);
	if (element == OTHER || (type->lanes != 4 && (type->lanes != 1 || !is_depth(&image))))
		return spirv_fail(reader, "the texel is not what OpenCL C writes to an %s", image.kind->name);
	if (is_depth(&image))
		texel = take_lanes(reader, type, texel, 1);
	if (element != BY_IMAGE)
		return write(reader, &image, &place, &operands, texel, element);
	struct ways ways;
	if (!part_ways(reader, &image, &ways))
		return false;
	bool good = write(reader, &image, &place, &operands, texel, SIGNED);
	go_on(reader, &ways, ways.without);
	good = good && write(reader, &image, &place, &operands, texel, UNSIGNED);
	go_on(reader, &ways, ways.end);
	return good;
}

/* --- blocks ---- */

/* The function of cl_intel_subgroups and its extensions that reads or writes a block of a type; false, with a message,
 * if there is none. */
static bool name_block(struct spirv_reader *reader, const struct spirv_type *type, const char *what, char *name,
		       size_t size_B)
{
	const char *letters = type->bits == 8    ? "uc"
			      : type->bits == 16 ? "us"
			      : type->bits == 32 ? "ui"
						 : "ul";
	char lanes[4] = "";
	if (!spirv_is_number(type))
		return spirv_fail(reader, "the data are no numbers");
	if (type->lanes > 1)
		snprintf(lanes, sizeof(lanes), "%u", type->lanes % 100);
	snprintf(name, size_B, "intel_sub_group_block_%s_%s%s", what, letters, lanes);
	return true;
}

/* Builds OpSubgroupImageBlockReadINTEL and OpSubgroupImageBlockWriteINTEL (SPV_INTEL_subgroups).  Floating-point
 * numbers are read and written as integers with the same bits. */
static bool build_block(struct spirv_reader *reader, const struct spirv_op *op)
{
	const bool reads = op->op == SpvOpSubgroupImageBlockReadINTEL;
	const uint32_t *operands = op->words + (reads ? 3 : 1);
	struct spirv_argument arguments[3];
	struct image image;
	char name[48];
	if (!find_image(reader, operands[0], &image) || !coordinates(reader, &image, operands[1], &arguments[1]))
		return false;
	const struct spirv_type *type = reads ? op->type : spirv_type_of(reader, operands[2]);
	if (!type || !name_block(reader, type, reads ? "read" : "write", name, sizeof(name)))
		return false;
	if (strcmp(image.kind->name, "image2d_t"))
		return spirv_fail(reader, "blocks are read and written in an image2d_t only");
	LLVMTypeRef bits = spirv_vector(spirv_int(reader, type->bits), type->lanes);
	struct spirv_type integer = *type;
	integer.class = SPIRV_INT;
	arguments[0] = image_argument(&image);
	if (reads) {
		LLVMValueRef value = spirv_call(reader, name, bits, arguments, 2);
		return value && spirv_define(reader, op, LLVMBuildBitCast(reader->builder, value, type->value, ""));
	}
	LLVMValueRef value = spirv_value(reader, operands[2]);
	if (!value)
		return false;
	arguments[2] = spirv_by_value(&integer, LLVMBuildBitCast(reader->builder, value, bits, ""), false);
	return spirv_call(reader, name, LLVMVoidTypeInContext(reader->context), arguments, 3) != NULL;
}

/* --- queries ------------------------------------------------------------------------------------------------- */

/* The level of OpImageQuerySizeLod; NULL for the constant 0.  False with a message. */
static bool size_level(struct spirv_reader *reader, const struct spirv_op *op, LLVMValueRef *level_out)
{
	const struct spirv_type *type = spirv_type_of(reader, op->words[4]);
	LLVMValueRef level = type ? spirv_value(reader, op->words[4]) : NULL;
	if (!level)
		return false;
	if (type->class != SPIRV_INT || type->lanes != 1)
		return spirv_fail(reader, "the level of detail is no integer");
	*level_out = LLVMIsNull(level) ? NULL
				       : LLVMBuildIntCast2(reader->builder, level, spirv_int(reader, 32), false, "");
	return true;
}

/* A size of 32 bits at a level: halved, rounded down, but at least 1. */
static LLVMValueRef size_at_level(struct spirv_reader *reader, LLVMValueRef size, LLVMValueRef level)
{
	LLVMValueRef halved = LLVMBuildLShr(reader->builder, size, level, "");
	LLVMValueRef is_none = LLVMBuildICmp(reader->builder, LLVMIntEQ, halved, spirv_number(reader, 32, 0), "");
	return LLVMBuildSelect(reader->builder, is_none, spirv_number(reader, 32, 1), halved, "");
}

static bool build_size(struct spirv_reader *reader, const struct spirv_op *op)
{
	static const char *const sides[] = {"get_image_width", "get_image_height", "get_image_depth"};
	struct image image;
	const struct spirv_type *type = op->type;
	LLVMValueRef level = NULL;
	if (!find_image(reader, op->words[3], &image) ||
	    (op->op == SpvOpImageQuerySizeLod && !size_level(reader, op, &level)))
		return false;
	const bool arrayed = image.type->made.words[ARRAYED];
	const unsigned count = image.kind->sizes;
	if (type->class != SPIRV_INT || type->lanes != count)
		return spirv_fail(reader, "an %s has %u sizes", image.kind->name, count);
	LLVMTypeRef single = count > 1 ? type->element->value : type->value;
	LLVMValueRef sizes = LLVMGetUndef(type->value);
	for (unsigned i = 0; i < count; i++) {
		const bool is_layers = arrayed && i + 1 == count;
		LLVMValueRef size = query(reader, &image, is_layers ? "get_image_array_size" : sides[i],
					  is_layers ? 64 : 32);
		if (!size)
			return false;
		if (level && !is_layers)
			size = size_at_level(reader, size, level);
		size = LLVMBuildIntCast2(reader->builder, size, single, false, "");
		sizes = count == 1 ? size : LLVMBuildInsertElement(reader->builder, sizes, size,
								   spirv_number(reader, 32, i), "");
	}
	return spirv_define(reader, op, sizes);
}

/* A 1D image buffer has one level, and OpenCL C no function for it. */
static bool build_levels(struct spirv_reader *reader, const struct spirv_op *op, const struct image *image)
{
	if (!strcmp(image->kind->name, "image1d_buffer_t"))
		return spirv_define(reader, op, LLVMConstInt(op->type->value, 1, false));
	LLVMValueRef levels = query(reader, image, "get_image_num_mip_levels", 32);
	return levels && spirv_define(reader, op,
				      LLVMBuildIntCast2(reader->builder, levels, op->type->value, false, ""));
}

/* Builds queries of the format, the order and the number of levels.  SPIR-V numbers channel data types and
 * channel orders from 0 on (1.6, 3.12 and 3.13), OpenCL from CL_SNORM_INT8 and CL_R on, in the same sequence. */
static bool build_query(struct spirv_reader *reader, const struct spirv_op *op)
{
	struct image image;
	if (!find_image(reader, op->words[3], &image))
		return false;
	if (op->type->class != SPIRV_INT || op->type->lanes != 1)
		return spirv_fail(reader, "the result is no integer");
	if (op->op == SpvOpImageQueryLevels)
		return build_levels(reader, op, &image);
	const bool is_format = op->op == SpvOpImageQueryFormat;
	LLVMValueRef value = query(reader, &image, is_format ? "get_image_channel_data_type"
							     : "get_image_channel_order", 32);
	if (!value)
		return false;
	value = LLVMBuildSub(reader->builder, value,
			     spirv_number(reader, 32, is_format ? SNORM_INT8 : ORDER_R), "");
	return spirv_define(reader, op,
			    LLVMBuildIntCast2(reader->builder, value, op->type->value, false, ""));
}

/* --- images with samplers ------------------------------------------------------------------------------------ */

static bool build_combination(struct spirv_reader *reader, const struct spirv_op *op)
{
	struct image image;
	if (op->type->class != SPIRV_SAMPLED_IMAGE)
		return spirv_fail(reader, "the result is no image with a sampler");
	return find_image(reader, op->result, &image);
}

static bool build_image(struct spirv_reader *reader, const struct spirv_op *op)
{
	struct image image;
	return find_image(reader, op->words[3], &image) && spirv_define(reader, op, image.value);
}

/* --- pipes ---------------------------------------------------------------------------------------------------
 *
 * OpenCL C's pipe functions need the packet's type, but a module has only its size.  The functions that Clang calls for
 * them take the size, and are called here (builtins/pipe.cl). */

/* The operands after the pipe. */
enum operands {
	POINTER,                    /* a pointer to the packet */
	RESERVED,                   /* a reservation, an index, a pointer to the packet */
	NUMBER,                     /* the number of packets to reserve */
	RESERVATION,                /* the reservation to commit */
	NOTHING                     /* none: a query */
};

static const struct call {
	unsigned op;
	const char *name;           /* after "__" and the group; for a query before the access qualifier */
	enum operands operands;
	bool has_result, of_group;
} calls[] = {
	{SpvOpReadPipe, "read_pipe_2", POINTER, true, false},
	{SpvOpWritePipe, "write_pipe_2", POINTER, true, false},
	{SpvOpReservedReadPipe, "read_pipe_4", RESERVED, true, false},
	{SpvOpReservedWritePipe, "write_pipe_4", RESERVED, true, false},
	{SpvOpReserveReadPipePackets, "reserve_read_pipe", NUMBER, true, false},
	{SpvOpReserveWritePipePackets, "reserve_write_pipe", NUMBER, true, false},
	{SpvOpCommitReadPipe, "commit_read_pipe", RESERVATION, false, false},
	{SpvOpCommitWritePipe, "commit_write_pipe", RESERVATION, false, false},
	{SpvOpGetNumPipePackets, "get_pipe_num_packets", NOTHING, true, false},
	{SpvOpGetMaxPipePackets, "get_pipe_max_packets", NOTHING, true, false},
	{SpvOpGroupReserveReadPipePackets, "reserve_read_pipe", NUMBER, true, true},
	{SpvOpGroupReserveWritePipePackets, "reserve_write_pipe", NUMBER, true, true},
	{SpvOpGroupCommitReadPipe, "commit_read_pipe", RESERVATION, false, true},
	{SpvOpGroupCommitWritePipe, "commit_write_pipe", RESERVATION, false, true},
};

static const unsigned lengths[] = {
	[POINTER] = 1, [RESERVED] = 3, [NUMBER] = 1, [RESERVATION] = 1, [NOTHING] = 0,
};

static const struct call *find_call(unsigned op)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (calls[i].op == op)
			return &calls[i];
	return NULL;
}

static const char *pipe_group(const struct spirv_reader *reader, const struct call *call, uint32_t scope)
{
	if (!call->of_group)
		return "";
	return spirv_operand(reader, scope, SpvScopeWorkgroup) == SpvScopeSubgroup ? "sub_group_"
										   : "work_group_";
}

/* The name of a function: "__work_group_reserve_read_pipe", "__get_pipe_num_packets_ro". */
static void name_call(const struct spirv_reader *reader, const struct call *call, uint32_t scope,
		      const struct spirv_type *pipe, char *name, size_t size_B)
{
	const char *access = pipe->made.words[2] == SpvAccessQualifierWriteOnly ? "_wo" : "_ro";
	snprintf(name, size_B, "__%s%s%s", pipe_group(reader, call, scope), call->name,
		 call->operands == NOTHING ? access : "");
}

/* An operand after the pipe, by its index; NULL with a message. */
static LLVMValueRef pipe_operand(struct spirv_reader *reader, const struct call *call, unsigned place, uint32_t id)
{
	LLVMTypeRef generic = spirv_ptr(reader, SPIRV_PRIVATE);
	const bool is_packet = (call->operands == POINTER && place == 0) ||
			       (call->operands == RESERVED && place == 2);
	const bool is_reservation = (call->operands == RESERVED || call->operands == RESERVATION) && place == 0;
	if (is_reservation)
		return spirv_value_of(reader, id, generic);
	if (!is_packet)
		return spirv_value_of(reader, id, spirv_int(reader, 32));
	LLVMValueRef pointer = spirv_pointer(reader, id);
	return pointer ? LLVMBuildPointerCast(reader->builder, pointer, generic, "") : NULL;
}

static bool build_call(struct spirv_reader *reader, const struct spirv_op *op)
{
	enum { MOST_ARGUMENTS = 6 };
	const struct call *call = find_call(op->op);
	const unsigned first = (call->has_result ? 3 : 1) + call->of_group;
	/* The packet's size and alignment are the last operands. */
	const unsigned count = lengths[call->operands] + 2;
	LLVMValueRef arguments[MOST_ARGUMENTS];
	char name[48];
	if (op->count != first + 1 + count)
		return spirv_fail(reader, "not with this number of operands");
	const struct spirv_type *pipe = spirv_type_of(reader, op->words[first]);
	arguments[0] = pipe ? spirv_value(reader, op->words[first]) : NULL;
	if (!arguments[0])
		return false;
	if (pipe->class != SPIRV_PIPE)
		return spirv_fail(reader, "the pipe_operand %" PRIu32 " is no pipe", op->words[first]);
	for (unsigned i = 0; i < count; i++) {
		arguments[i + 1] = pipe_operand(reader, call, i, op->words[first + 1 + i]);
		if (!arguments[i + 1])
			return false;
	}
	LLVMTypeRef result = !call->has_result        ? LLVMVoidTypeInContext(reader->context)
			     : call->operands == NUMBER ? spirv_ptr(reader, SPIRV_PRIVATE)
							: spirv_int(reader, 32);
	name_call(reader, call, op->words[first - 1], pipe, name, sizeof(name));
	LLVMValueRef value = spirv_call_plain(reader, name, result, arguments, count + 1);
	return value && (!call->has_result || spirv_define(reader, op, value));
}

static bool build_is_valid(struct spirv_reader *reader, const struct spirv_op *op)
{
	LLVMTypeRef word = spirv_int(reader, 64);
	LLVMValueRef value = spirv_value_of(reader, op->words[3], spirv_ptr(reader, SPIRV_PRIVATE));
	if (!value)
		return false;
	value = LLVMBuildPtrToInt(reader->builder, value, word, "");
	return spirv_define(reader, op, LLVMBuildICmp(reader->builder, LLVMIntNE, value,
						      LLVMConstAllOnes(word), ""));
}

const struct spirv_row spirv_object_rows[] = {
	{SpvOpSampledImage, 5, 5, 0, build_combination},
	{SpvOpImage, 4, 4, 0, build_image},
	{SpvOpImageSampleExplicitLod, 7, 0, 0, build_read},
	{SpvOpImageFetch, 5, 0, 0, build_read},
	{SpvOpImageRead, 5, 0, 0, build_read},
	{SpvOpImageWrite, 4, 0, 0, build_write},
	{SpvOpSubgroupImageBlockReadINTEL, 5, 5, 0, build_block},
	{SpvOpSubgroupImageBlockWriteINTEL, 4, 4, 0, build_block},
	{SpvOpImageQuerySize, 4, 4, 0, build_size},
	{SpvOpImageQuerySizeLod, 5, 5, 0, build_size},
	{SpvOpImageQueryFormat, 4, 4, 0, build_query},
	{SpvOpImageQueryOrder, 4, 4, 0, build_query},
	{SpvOpImageQueryLevels, 4, 4, 0, build_query},
	{SpvOpReadPipe, 7, 7, 0, build_call},
	{SpvOpWritePipe, 7, 7, 0, build_call},
	{SpvOpReservedReadPipe, 9, 9, 0, build_call},
	{SpvOpReservedWritePipe, 9, 9, 0, build_call},
	{SpvOpReserveReadPipePackets, 7, 7, 0, build_call},
	{SpvOpReserveWritePipePackets, 7, 7, 0, build_call},
	{SpvOpCommitReadPipe, 5, 5, 0, build_call},
	{SpvOpCommitWritePipe, 5, 5, 0, build_call},
	{SpvOpIsValidReserveId, 4, 4, 0, build_is_valid},
	{SpvOpGetNumPipePackets, 6, 6, 0, build_call},
	{SpvOpGetMaxPipePackets, 6, 6, 0, build_call},
	{SpvOpGroupReserveReadPipePackets, 8, 8, 0, build_call},
	{SpvOpGroupReserveWritePipePackets, 8, 8, 0, build_call},
	{SpvOpGroupCommitReadPipe, 6, 6, 0, build_call},
	{SpvOpGroupCommitWritePipe, 6, 6, 0, build_call},
	{0, 0, 0, 0, NULL},
};
