#include "config.h"

#include "frontend/spirv_pipe.h"

#include <inttypes.h>
#include <stdio.h>

static bool is_vector_length(uint32_t lanes)
{
	return lanes == 2 || lanes == 3 || lanes == 4 || lanes == 8 || lanes == 16;
}

struct spirv_shape spirv_shape(const struct spirv_module *module, uint32_t type)
{
	const struct spirv_id *id = spirv_id(module, type);
	struct spirv_shape shape = {.class = SPIRV_UNKNOWN, .lanes = 1};
	if (!id->words)
		return shape;
	switch (id->op) {
	case SpvOpTypeVoid: shape.class = SPIRV_VOID; break;
	case SpvOpTypeBool: shape.class = SPIRV_BOOL; shape.bits = 8; break;
	case SpvOpTypeInt:
	case SpvOpTypeFloat:
		shape.class = id->op == SpvOpTypeInt ? SPIRV_INT : SPIRV_FLOAT;
		shape.bits = id->count > 2 ? id->words[2] : 0;
		/* Of other widths there is nothing here, and nobody has to look. */
		if (!spirv_is_scalar(shape))
			shape = (struct spirv_shape){.class = SPIRV_UNKNOWN, .lanes = 1};
		break;
	case SpvOpTypeVector: {
		/* The elements are scalars: this goes no deeper. */
		const struct spirv_id *element = spirv_id(module, id->count > 3 ? id->words[2] : 0);
		if (!element->words || element->op == SpvOpTypeVector ||
		    !is_vector_length(id->words[3]))
			break;
		shape = spirv_shape(module, id->words[2]);
		shape.lanes = id->words[3];
		break;
	}
	case SpvOpTypePointer: shape.class = SPIRV_POINTER; shape.bits = 64; break;
	case SpvOpTypeStruct: shape.class = SPIRV_STRUCT; break;
	case SpvOpTypeArray: shape.class = SPIRV_ARRAY; break;
	case SpvOpTypeEvent:
	case SpvOpTypeReserveId:
	case SpvOpTypeNamedBarrier: shape.class = SPIRV_EVENT; break;
	case SpvOpTypeImage:
	case SpvOpTypePipe:
	case SpvOpTypeSampler:
	case SpvOpTypeSampledImage: shape.class = SPIRV_OPAQUE; break;
	default: break;
	}
	return shape;
}

struct spirv_shape spirv_value_shape(const struct spirv_module *module, uint32_t id)
{
	return spirv_shape(module, spirv_id(module, id)->type);
}

static uint32_t of_pointer(const struct spirv_module *module, uint32_t type, unsigned word)
{
	const struct spirv_id *id = spirv_id(module, type);
	return id->words && id->op == SpvOpTypePointer && id->count > 3 ? id->words[word] : 0;
}

bool spirv_is_scalar(struct spirv_shape shape)
{
	bool wide = shape.bits == 16 || shape.bits == 32 || shape.bits == 64;
	return shape.class == SPIRV_BOOL || (shape.class == SPIRV_FLOAT && wide) ||
	       (shape.class == SPIRV_INT && (wide || shape.bits == 8));
}

uint32_t spirv_pointee(const struct spirv_module *module, uint32_t type)
{
	return of_pointer(module, type, 3);
}

uint32_t spirv_storage(const struct spirv_module *module, uint32_t type)
{
	return of_pointer(module, type, 2);
}

static struct spirv_text integer_name(unsigned bits, unsigned lanes, bool is_signed)
{
	struct spirv_text name;
	const char *base = bits == 8 ? "char" : bits == 16 ? "short" : bits == 32 ? "int" : "long";
	snprintf(name.text, sizeof(name.text), lanes > 1 ? "%s%s%u" : "%s%s", is_signed ? "" : "u",
		 base, lanes);
	return name;
}

struct spirv_text spirv_unsigned_name(struct spirv_shape shape)
{
	struct spirv_text name = {"bool"};
	if (shape.class == SPIRV_INT)
		return integer_name(shape.bits, shape.lanes, false);
	if (shape.class == SPIRV_FLOAT)
		snprintf(name.text, sizeof(name.text), shape.lanes > 1 ? "%s%u" : "%s",
			 shape.bits == 16 ? "half" : shape.bits == 32 ? "float" : "double",
			 shape.lanes);
	else if (shape.lanes > 1)
		return integer_name(8, shape.lanes, true);
	return name;
}

struct spirv_text spirv_signed_name(struct spirv_shape shape)
{
	return shape.class == SPIRV_INT ? integer_name(shape.bits, shape.lanes, true)
					: spirv_unsigned_name(shape);
}

struct spirv_text spirv_mask_name(struct spirv_shape shape)
{
	return integer_name(shape.bits, shape.lanes, true);
}

/* --- typedefs --- */

static enum spirv_written write_scalar(struct spirv_writer *writer, uint32_t id,
				       struct spirv_shape shape)
{
	bool lanes = (shape.lanes && shape.lanes <= 4) || shape.lanes == 8 || shape.lanes == 16;
	if (!spirv_is_scalar(shape) || !lanes)
		return spirv_fail(writer, spirv_id(writer->module, id)->op,
				  "a type of %u bits and %u elements", shape.bits, shape.lanes);
	spirv_put(writer, "typedef %s t%" PRIu32 ";\n", spirv_unsigned_name(shape).text, id);
	return SPIRV_WRITTEN;
}

const char *spirv_space(uint32_t storage)
{
	switch (storage) {
	case SpvStorageClassUniformConstant: return "constant";
	case SpvStorageClassInput: return "private";
	case SpvStorageClassFunction: return "private";
	case SpvStorageClassWorkgroup: return "local";
	case SpvStorageClassCrossWorkgroup: return "global";
	case SpvStorageClassGeneric: return "generic";
	default: return NULL;
	}
}

static enum spirv_written write_pointer(struct spirv_writer *writer, uint32_t id)
{
	uint32_t pointee = spirv_pointee(writer->module, id);
	const char *name = spirv_space(spirv_storage(writer->module, id));
	enum spirv_class class = spirv_shape(writer->module, pointee).class;
	/* A sampler that is a variable is read by its name. */
	if (class == SPIRV_OPAQUE)
		return SPIRV_WRITTEN;
	const bool is_data = class != SPIRV_UNKNOWN ||
			     spirv_id(writer->module, pointee)->op == SpvOpTypeOpaque;
	if (!name || !is_data)
		return spirv_fail(writer, SpvOpTypePointer,
				  "a pointer into storage class %" PRIu32 " or to what is no data",
				  spirv_storage(writer->module, id));
	if (class == SPIRV_VOID)
		spirv_put(writer, "typedef %s void *t%" PRIu32 ";\n", name, id);
	else
		spirv_put(writer, "typedef %s t%" PRIu32 " *t%" PRIu32 ";\n", name, pointee, id);
	return SPIRV_WRITTEN;
}

static enum spirv_written write_struct(struct spirv_writer *writer, const struct spirv_id *id,
				       uint32_t number)
{
	spirv_put(writer, "struct %ss%" PRIu32 " {", id->packed ? "__attribute__((packed)) " : "",
		  number);
	for (unsigned i = 2; i < id->count; i++)
		spirv_put(writer, " t%" PRIu32 " m%u;", id->words[i], i - 2);
	spirv_put(writer, " };\n");
	return SPIRV_WRITTEN;
}

static enum spirv_written write_array(struct spirv_writer *writer, const struct spirv_id *id,
				      uint32_t number)
{
	uint64_t length = 0;
	if (id->count < 4)
		return spirv_fail(writer, id->op, "no length");
	if (spirv_integer(writer, id->words[3], &length))
		spirv_put(writer, "typedef struct { t%" PRIu32 " e[%" PRIu64 "]; } t%" PRIu32 ";\n",
			  id->words[2], length, number);
	else
		spirv_put(writer, "typedef struct { t%" PRIu32 " e[v%" PRIu32 "]; } t%" PRIu32 ";\n",
			  id->words[2], id->words[3], number);
	return SPIRV_WRITTEN;
}

static enum spirv_written write_opaque(struct spirv_writer *writer, const struct spirv_id *id,
				       uint32_t number)
{
	char image[48];
	if (id->op == SpvOpTypeImage) {
		if (!spirv_image_name(writer->module, number, image, sizeof(image)))
			return spirv_fail(writer, id->op, "an image of a kind that OpenCL C lacks");
		spirv_put(writer, "typedef %s t%" PRIu32 ";\n", image, number);
	} else if (id->op == SpvOpTypePipe) {
		return spirv_pipe_type(writer, id, number);
	} else if (id->op == SpvOpTypeSampler) {
		spirv_put(writer, "typedef sampler_t t%" PRIu32 ";\n", number);
	}
	return SPIRV_WRITTEN;
}

static enum spirv_written write_type(struct spirv_writer *writer, const struct spirv_id *id,
				     uint32_t number)
{
	struct spirv_shape shape = spirv_shape(writer->module, number);
	switch (shape.class) {
	case SPIRV_BOOL:
	case SPIRV_INT:
	case SPIRV_FLOAT: return write_scalar(writer, number, shape);
	case SPIRV_POINTER: return id->forward_written ? SPIRV_WRITTEN
						       : write_pointer(writer, number);
	case SPIRV_STRUCT: return write_struct(writer, id, number);
	case SPIRV_ARRAY: return write_array(writer, id, number);
	case SPIRV_EVENT:
		/* spirv_named_barrier.c says what a barrier is.  A reservation is what it is to LLVM. */
		spirv_put(writer, "typedef %s t%" PRIu32 ";\n",
			  id->op == SpvOpTypeNamedBarrier ? "uint2"
			  : id->op == SpvOpTypeReserveId  ? "void *" : "event_t", number);
		break;
	case SPIRV_OPAQUE: return write_opaque(writer, id, number);
	case SPIRV_VOID: spirv_put(writer, "typedef void t%" PRIu32 ";\n", number); break;
	default:
		if (id->op == SpvOpTypeOpaque)
			spirv_put(writer, "typedef struct s%" PRIu32 " t%" PRIu32 ";\n", number,
				  number);
		else if (id->op != SpvOpTypeFunction)
			return spirv_fail(writer, id->op, "a type that kernels do not have");
	}
	return SPIRV_WRITTEN;
}

enum spirv_written spirv_types(struct spirv_writer *writer)
{
	struct spirv_module *module = writer->module;
	enum spirv_written written = SPIRV_WRITTEN;
	/* Pointers may name a struct before it is there (OpTypeForwardPointer). */
	for (uint32_t i = 0; i < module->bound; i++)
		if (module->ids[i].op == SpvOpTypeStruct)
			spirv_put(writer, "typedef struct s%" PRIu32 " t%" PRIu32 ";\n", i, i);
	for (size_t at = 5; written == SPIRV_WRITTEN && at < module->word_count;
	     at += module->words[at] >> SpvWordCountShift) {
		const uint32_t *words = module->words + at;
		unsigned op = words[0] & SpvOpCodeMask, count = words[0] >> SpvWordCountShift;
		if (op == SpvOpFunction)
			break;
		if (op == SpvOpTypeForwardPointer && count > 1 &&
		    spirv_id(module, words[1])->op == SpvOpTypePointer) {
			if (!module->ids[words[1]].forward_written)
				written = write_pointer(writer, words[1]);
			module->ids[words[1]].forward_written = true;
		} else if ((op >= SpvOpTypeVoid && op <= SpvOpTypePipe) ||
			   op == SpvOpTypeNamedBarrier) {
			written = write_type(writer, spirv_id(module, words[1]), words[1]);
		}
	}
	return written;
}
