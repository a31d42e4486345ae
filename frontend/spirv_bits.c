#include "config.h"

#include "frontend/spirv_bits.h"
#include "frontend/spirv_call.h"

#include <inttypes.h>
#include <string.h>

/* Instructions that few programs have: of cl_khr_extended_bit_ops, cl_khr_integer_dot_product,
 * cl_khr_expect_assume and cl_khr_kernel_clock. */

static enum spirv_written few_words(struct spirv_writer *writer, const uint32_t *words)
{
	return spirv_fail(writer, words[0] & SpvOpCodeMask, "too few words");
}

/* --- fields of bits --- */

/* Operands are as letters of spirv_extended.c's; offsets and counts are uint. */
struct field {
	uint16_t op;
	const char *name;
	const char *operands;
};

static const struct field fields[] = {
	{SpvOpBitCount, "popcount", "v"},
	{SpvOpBitReverse, "bit_reverse", "v"},
	{SpvOpBitFieldInsert, "bitfield_insert", "vvuu"},
	{SpvOpBitFieldSExtract, "bitfield_extract_signed", "vuu"},
	{SpvOpBitFieldUExtract, "bitfield_extract_unsigned", "vuu"},
};

static enum spirv_written write_field(struct spirv_writer *writer, const uint32_t *words,
				      unsigned count, const struct field *field)
{
	size_t operands = strlen(field->operands);
	if (count < 3 + operands)
		return few_words(writer, words);
	spirv_put_result(writer, words);
	spirv_put(writer, "%s(", field->name);
	for (size_t i = 0; i < operands; i++)
		spirv_put(writer, "%s%sv%" PRIu32, i ? ", " : "",
			  field->operands[i] == 'u' ? "(uint)" : "", words[3 + i]);
	spirv_put(writer, "));\n");
	return SPIRV_WRITTEN;
}

/* --- dot products --- */

struct dot {
	uint16_t op;
	const char *packed;         /* end of the name of the function of packed bytes */
	bool is_signed[2];
	bool saturates;
};

static const struct dot dots[] = {
	{SpvOpSDotKHR, "ss_int", {true, true}, false},
	{SpvOpUDotKHR, "uu_uint", {false, false}, false},
	{SpvOpSUDotKHR, "su_int", {true, false}, false},
	{SpvOpSDotAccSatKHR, "ss_int", {true, true}, true},
	{SpvOpUDotAccSatKHR, "uu_uint", {false, false}, true},
	{SpvOpSUDotAccSatKHR, "su_int", {true, false}, true},
};

/* Four bytes of an operand, in a uint where they are not yet. */
static void put_packed(struct spirv_writer *writer, uint32_t value)
{
	if (spirv_value_shape(writer->module, value).lanes == 4)
		spirv_put(writer, "as_uint(v%" PRIu32 ")", value);
	else
		spirv_put(writer, "v%" PRIu32, value);
}

static void put_packed_dot(struct spirv_writer *writer, const uint32_t *words,
			   const struct dot *dot, bool saturates)
{
	spirv_put(writer, "dot_%s4x8packed_%s(", saturates ? "acc_sat_" : "", dot->packed);
	put_packed(writer, words[3]);
	spirv_put(writer, ", ");
	put_packed(writer, words[4]);
	if (saturates)
		spirv_put(writer, ", %sv%" PRIu32, dot->is_signed[0] ? "(int)" : "", words[5]);
	spirv_put(writer, ")");
}

/* One element, 64 bits wide. */
static void put_element(struct spirv_writer *writer, uint32_t value, unsigned lane, bool is_signed)
{
	struct spirv_shape shape = spirv_value_shape(writer->module, value);
	shape.lanes = 1;
	spirv_put(writer, "(ulong)(%s)v%" PRIu32 ".s%x",
		  (is_signed ? spirv_signed_name(shape) : spirv_unsigned_name(shape)).text, value,
		  lane);
}

/* Of vectors that OpenCL C has no function for: low bits of the sum, which are the result's
 * (SPV_KHR_integer_dot_product). */
static void put_sum(struct spirv_writer *writer, const uint32_t *words, const struct dot *dot,
		    unsigned lanes)
{
	for (unsigned i = 0; i < lanes; i++) {
		spirv_put(writer, i ? " + " : "");
		put_element(writer, words[3], i, dot->is_signed[0]);
		spirv_put(writer, " * ");
		put_element(writer, words[4], i, dot->is_signed[1]);
	}
}

static enum spirv_written write_dot(struct spirv_writer *writer, const uint32_t *words,
				    unsigned count, const struct dot *dot)
{
	if (count < 5u + dot->saturates)
		return few_words(writer, words);
	struct spirv_shape a = spirv_value_shape(writer->module, words[3]);
	struct spirv_shape b = spirv_value_shape(writer->module, words[4]);
	struct spirv_shape result = spirv_shape(writer->module, words[1]);
	bool packed = a.lanes == 1 && a.bits == 32, bytes = packed || (a.lanes == 4 && a.bits == 8);
	bool alike = a.class == b.class && a.bits == b.bits && a.lanes == b.lanes;
	if (a.class != SPIRV_INT || !alike || (a.lanes == 1 && !packed) ||
	    result.class != SPIRV_INT || result.lanes != 1)
		return spirv_fail(writer, dot->op, "not of these types");
	bool at_once = dot->saturates && bytes && result.bits == 32;
	struct spirv_text type = dot->is_signed[0] ? spirv_signed_name(result)
						   : spirv_unsigned_name(result);
	spirv_put(writer, "v%" PRIu32 " = (t%" PRIu32 ")", words[2], words[1]);
	if (dot->saturates && !at_once)
		spirv_put(writer, "add_sat((%s)v%" PRIu32 ", (%s)", type.text, words[5], type.text);
	spirv_put(writer, "(");
	if (bytes)
		put_packed_dot(writer, words, dot, at_once);
	else
		put_sum(writer, words, dot, a.lanes);
	spirv_put(writer, dot->saturates && !at_once ? "));\n" : ");\n");
	return SPIRV_WRITTEN;
}

/* --- hints and clocks --- */

static enum spirv_written write_expect(struct spirv_writer *writer, const uint32_t *words,
				       unsigned count)
{
	if (count < 5)
		return few_words(writer, words);
	if (spirv_shape(writer->module, words[1]).lanes != 1)
		spirv_put(writer, "v%" PRIu32 " = v%" PRIu32 ";\n", words[2], words[3]);
	else
		spirv_put(writer,
			  "v%" PRIu32 " = (t%" PRIu32 ")__builtin_expect((long)v%" PRIu32
			  ", (long)v%" PRIu32 ");\n",
			  words[2], words[1], words[3], words[4]);
	return SPIRV_WRITTEN;
}

static enum spirv_written write_clock(struct spirv_writer *writer, const uint32_t *words,
				      unsigned count)
{
	if (count < 4)
		return few_words(writer, words);
	const char *scope;
	switch (spirv_scope(writer, words[3], SpvScopeMax)) {
	case SpvScopeDevice:
		scope = "device";
		break;
	case SpvScopeWorkgroup:
		scope = "work_group";
		break;
	case SpvScopeSubgroup:
		scope = "sub_group";
		break;
	default:
		return spirv_fail(writer, SpvOpReadClockKHR, "a clock of another scope");
	}
	spirv_put_result(writer, words);
	spirv_put(writer, "clock_read_%s%s());\n",
		  spirv_shape(writer->module, words[1]).lanes == 2 ? "hilo_" : "", scope);
	return SPIRV_WRITTEN;
}

enum spirv_written spirv_bits(struct spirv_writer *writer, const uint32_t *words, unsigned count)
{
	unsigned op = words[0] & SpvOpCodeMask;
	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		if (fields[i].op == op)
			return write_field(writer, words, count, &fields[i]);
	for (size_t i = 0; i < sizeof(dots) / sizeof(*dots); i++)
		if (dots[i].op == op)
			return write_dot(writer, words, count, &dots[i]);
	switch (op) {
	case SpvOpAssumeTrueKHR:
		if (count < 2)
			return few_words(writer, words);
		spirv_put(writer, "__builtin_assume(v%" PRIu32 ");\n", words[1]);
		return SPIRV_WRITTEN;
	case SpvOpExpectKHR:
		return write_expect(writer, words, count);
	case SpvOpReadClockKHR:
		return write_clock(writer, words, count);
	default:
		return SPIRV_OTHER;
	}
}
