/* Conversions between types of data. */
#include "config.h"

#include "frontend/spirv_module.h"

#include <inttypes.h>

/* convert_T[_sat][_rounding], as the result's decorations say. */
static void put_convert(struct spirv_writer *writer, struct spirv_text type, uint32_t result)
{
	static const char *const rounding[] = {"_rte", "_rtz", "_rtp", "_rtn"};
	const struct spirv_id *id = spirv_id(writer->module, result);
	spirv_put(writer, "convert_%s%s%s", type.text, id->saturated ? "_sat" : "",
		  id->rounding < 4 ? rounding[id->rounding] : "");
}

/* v = as_unsigned(convert_to(as_from(v))) with the casts that are needed. */
static enum spirv_written write_convert(struct spirv_writer *writer, const uint32_t *words,
					bool from_signed, bool to_signed)
{
	struct spirv_shape to = spirv_shape(writer->module, words[1]);
	struct spirv_shape from = spirv_value_shape(writer->module, words[3]);
	struct spirv_text name = to_signed ? spirv_signed_name(to) : spirv_unsigned_name(to);
	struct spirv_text source = from_signed ? spirv_signed_name(from) : spirv_unsigned_name(from);
	/* Of scalars without further wishes casts will do, in constants too. */
	const struct spirv_id *id = spirv_id(writer->module, words[2]);
	if (to.lanes == 1 && !id->saturated && id->rounding == SPIRV_NONE) {
		spirv_put(writer, "v%" PRIu32 " = (t%" PRIu32 ")(%s)(%s)v%" PRIu32 ";\n", words[2],
			  words[1], name.text, source.text, words[3]);
		return SPIRV_WRITTEN;
	}
	spirv_put(writer, "v%" PRIu32 " = as_%s(", words[2], spirv_unsigned_name(to).text);
	put_convert(writer, name, words[2]);
	spirv_put(writer, "(as_%s(v%" PRIu32 ")));\n", source.text, words[3]);
	return SPIRV_WRITTEN;
}

static enum spirv_written write_saturated(struct spirv_writer *writer, const uint32_t *words,
					  bool from_signed)
{
	struct spirv_shape to = spirv_shape(writer->module, words[1]);
	struct spirv_shape from = spirv_value_shape(writer->module, words[3]);
	struct spirv_text source = from_signed ? spirv_signed_name(from) : spirv_unsigned_name(from);
	struct spirv_text target = from_signed ? spirv_unsigned_name(to) : spirv_signed_name(to);
	spirv_put(writer, "v%" PRIu32 " = as_%s(convert_%s_sat(as_%s(v%" PRIu32 ")));\n", words[2],
		  spirv_unsigned_name(to).text, target.text, source.text, words[3]);
	return SPIRV_WRITTEN;
}

/* SPIR-V 1.6, 3.49.11: to what a half can be, kept as a float. */
static void write_quantized(struct spirv_writer *writer, const uint32_t *words)
{
	struct spirv_shape shape = spirv_shape(writer->module, words[1]), half = shape;
	half.bits = 16;
	spirv_put(writer, "v%" PRIu32 " = convert_%s(convert_%s(v%" PRIu32 "));\n", words[2],
		  spirv_unsigned_name(shape).text, spirv_unsigned_name(half).text, words[3]);
}

static bool is_number(struct spirv_shape shape)
{
	return shape.class == SPIRV_INT || shape.class == SPIRV_FLOAT;
}

/* A pointer as a number.  A local one is compared with NULL, which tells the lowering that
 * somebody looks for it: an object is not at 0 then. */
static void write_number(struct spirv_writer *writer, const uint32_t *words)
{
	uint32_t type = spirv_id(writer->module, words[3])->type;
	struct spirv_shape to = spirv_shape(writer->module, words[1]);
	bool local = spirv_storage(writer->module, type) == SpvStorageClassWorkgroup;
	/* From SPIR-V 1.5 on also a vector, of as many bits. */
	if (to.class == SPIRV_INT && to.lanes == 1)
		spirv_put(writer, "v%" PRIu32 " = (t%" PRIu32 ")(", words[2], words[1]);
	else
		spirv_put(writer, "v%" PRIu32 " = as_%s(", words[2], spirv_unsigned_name(to).text);
	if (local && !writer->in_constant)
		spirv_put(writer, "v%" PRIu32 " ? (ulong)v%" PRIu32 " : 0);\n", words[3], words[3]);
	else
		spirv_put(writer, "(ulong)v%" PRIu32 ");\n", words[3]);
}

static enum spirv_written write_bitcast(struct spirv_writer *writer, const uint32_t *words)
{
	struct spirv_shape to = spirv_shape(writer->module, words[1]);
	struct spirv_shape from = spirv_value_shape(writer->module, words[3]);
	bool same = to.class == from.class && to.bits == from.bits && to.lanes == from.lanes;
	if (spirv_id(writer->module, words[2])->is_input) {
		spirv_put(writer, "v%" PRIu32 " = (private t%" PRIu32 " *)v%" PRIu32 ";\n", words[2],
			  spirv_pointee(writer->module, words[1]), words[3]);
		return SPIRV_WRITTEN;
	}
	if (is_number(to) && is_number(from) && !(writer->in_constant && same))
		spirv_put(writer, "v%" PRIu32 " = as_%s(v%" PRIu32 ");\n", words[2],
			  spirv_unsigned_name(to).text, words[3]);
	else if (is_number(to) && from.class == SPIRV_POINTER)
		write_number(writer, words);
	else if (to.class == SPIRV_POINTER && is_number(from) &&
		 (from.lanes > 1 || from.class == SPIRV_FLOAT))
		spirv_put(writer, "v%" PRIu32 " = (t%" PRIu32 ")as_ulong(v%" PRIu32 ");\n", words[2],
			  words[1], words[3]);
	else
		spirv_put(writer, "v%" PRIu32 " = (t%" PRIu32 ")v%" PRIu32 ";\n", words[2], words[1],
			  words[3]);
	return SPIRV_WRITTEN;
}

/* A generic pointer to one of a named address space, or NULL where it is not of that space. */
static enum spirv_written write_explicit(struct spirv_writer *writer, const uint32_t *words)
{
	uint32_t storage = spirv_storage(writer->module, words[1]);
	const char *name = storage == SpvStorageClassWorkgroup ? "to_local"
			   : storage == SpvStorageClassCrossWorkgroup ? "to_global"
			   : storage == SpvStorageClassFunction ? "to_private" : NULL;
	if (!name)
		return spirv_fail(writer, SpvOpGenericCastToPtrExplicit, "to storage class %" PRIu32,
				  storage);
	spirv_put(writer, "v%" PRIu32 " = (t%" PRIu32 ")%s(v%" PRIu32 ");\n", words[2], words[1], name,
		  words[3]);
	return SPIRV_WRITTEN;
}

enum spirv_written spirv_conversion(struct spirv_writer *writer, const uint32_t *words,
				    unsigned count)
{
	unsigned op = words[0] & SpvOpCodeMask;
	if (op < SpvOpConvertFToU || op > SpvOpBitcast)
		return SPIRV_OTHER;
	if (count < 4)
		return spirv_fail(writer, op, "%u words", count);
	switch (op) {
	case SpvOpConvertFToU: return write_convert(writer, words, false, false);
	case SpvOpConvertFToS: return write_convert(writer, words, false, true);
	case SpvOpConvertSToF: return write_convert(writer, words, true, false);
	case SpvOpConvertUToF: return write_convert(writer, words, false, false);
	case SpvOpUConvert: return write_convert(writer, words, false, false);
	case SpvOpSConvert: return write_convert(writer, words, true, true);
	case SpvOpFConvert: return write_convert(writer, words, false, false);
	case SpvOpSatConvertSToU: return write_saturated(writer, words, true);
	case SpvOpSatConvertUToS: return write_saturated(writer, words, false);
	case SpvOpQuantizeToF16: write_quantized(writer, words); return SPIRV_WRITTEN;
	case SpvOpConvertPtrToU: write_number(writer, words); return SPIRV_WRITTEN;
	case SpvOpConvertUToPtr:
	case SpvOpPtrCastToGeneric:
	case SpvOpGenericCastToPtr:
		spirv_put(writer, "v%" PRIu32 " = (t%" PRIu32 ")v%" PRIu32 ";\n", words[2], words[1],
			  words[3]);
		return SPIRV_WRITTEN;
	case SpvOpGenericCastToPtrExplicit: return write_explicit(writer, words);
	case SpvOpBitcast: return write_bitcast(writer, words);
	default: return spirv_fail(writer, op, "not of kernels");
	}
}
