#include "config.h"

#include "frontend/spirv/opencl_std.h"

#include "frontend/module.h"
#include "frontend/spirv/printf.h"

#include <inttypes.h>
#include <spirv/unified1/OpenCL.std.h>
#include <stdio.h>
#include <string.h>

/* --- arguments ----------------------------------------------------------------------------------------------- */

char spirv_letter(const struct spirv_type *type, bool is_signed)
{
	if (type->class == SPIRV_BOOL)
		return 'b';
	if (type->class == SPIRV_FLOAT)
		return type->bits == 16 ? 'D' : type->bits == 32 ? 'f' : 'd';
	if (type->class != SPIRV_INT)
		return 0;
	switch (type->bits) {
	case 8: return is_signed ? 'c' : 'h';
	case 16: return is_signed ? 's' : 't';
	case 32: return is_signed ? 'i' : 'j';
	default: return is_signed ? 'l' : 'm';
	}
}

struct spirv_argument spirv_by_value(const struct spirv_type *type, LLVMValueRef value, bool is_signed)
{
	return (struct spirv_argument){
		.value = value, .base = spirv_letter(type, is_signed), .lanes = type->lanes,
	};
}

struct spirv_argument spirv_constant_argument(const struct spirv_reader *reader, unsigned bits, char base,
					      uint64_t value)
{
	return (struct spirv_argument){.value = spirv_number(reader, bits, value), .base = base};
}

struct spirv_argument spirv_order_argument(const struct spirv_reader *reader, unsigned order)
{
	return (struct spirv_argument){.value = spirv_number(reader, 32, order), .named = "12memory_order"};
}

struct spirv_argument spirv_scope_argument(const struct spirv_reader *reader, unsigned scope)
{
	return (struct spirv_argument){.value = spirv_number(reader, 32, scope), .named = "12memory_scope"};
}

/* --- names --------------------------------------------------------------------------------------------------- */

/* A mangled name and the types in it, to which later arguments may refer back (Itanium C++ ABI, 5.1.8). */
struct mangler {
	struct bytes name;
	struct bytes seen;          /* the spellings of these types, each with a NUL */
	unsigned count;
};

/* Appends a reference to an earlier type; false: the type is new. */
static bool refer_back(struct mangler *mangler, const char *full)
{
	const char *at = bytes_string(&mangler->seen);
	for (unsigned i = 0; i < mangler->count; i++, at += strlen(at) + 1) {
		if (strcmp(at, full))
			continue;
		if (!i)
			bytes_append_string(&mangler->name, "S_");
		else
			bytes_printf(&mangler->name, "S%c_", "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[i - 1]);
		return true;
	}
	return false;
}

static void remember(struct mangler *mangler, const char *full)
{
	bytes_append(&mangler->seen, full, strlen(full) + 1);
	mangler->count++;
}

/* The parts of a mangled type, from the outermost one on.  The target of a pointer always counts as a qualified type,
 * even if its address space, 0, has no spelling: later arguments may refer back to it. */
struct spelling {
	char pointer[2];            /* "P" or "" */
	char qualifiers[24];        /* "U3AS1VK"; "&" if there are none; "" if the type is no pointer */
	char atomic[12];            /* "U7_Atomic" or "" */
	char vector[16];            /* "Dv4_" or "" */
	const char *base;
	bool base_is_builtin;       /* names do not refer back to builtin types */
};

static const char *base_of(const struct spirv_argument *argument)
{
	static const char *const letters[] = {"c", "h", "s", "t", "i", "j", "l", "m", "f", "d", "b", "v"};
	if (argument->base == 'D')
		return "Dh";
	for (size_t i = 0; i < sizeof(letters) / sizeof(*letters); i++)
		if (*letters[i] == argument->base)
			return letters[i];
	return argument->named ? argument->named : "v";
}

static struct spelling spell(const struct spirv_argument *argument)
{
	struct spelling spelling = {.base = base_of(argument), .base_is_builtin = argument->base != 0};
	if (argument->lanes > 1)
		snprintf(spelling.vector, sizeof(spelling.vector), "Dv%u_", argument->lanes);
	if (!argument->is_pointer)
		return spelling;
	const unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(argument->value));
	char *at = spelling.qualifiers;
	spelling.pointer[0] = 'P';
	if (space)
		at += snprintf(at, 16, "U3AS%u", space);
	if (argument->qualifiers & SPIRV_VOLATILE)
		*at++ = 'V';
	if (argument->qualifiers & SPIRV_CONST)
		*at++ = 'K';
	if (at == spelling.qualifiers)
		*at++ = '&';
	if (argument->qualifiers & SPIRV_ATOMIC)
		strcpy(spelling.atomic, "U7_Atomic");
	return spelling;
}

/* Appends a type from a level on: 0 the pointer, 1 its qualified target, 2 the atomic type, 3 the vector, 4 the base.
 * Levels with an empty spelling are skipped. */
static void mangle_level(struct mangler *mangler, const struct spelling *spelling, unsigned level)
{
	const char *const parts[] = {spelling->pointer, spelling->qualifiers, spelling->atomic,
				     spelling->vector, spelling->base};
	enum { LEVELS = sizeof(parts) / sizeof(*parts) };
	char full[96] = "";
	while (!*parts[level])
		level++;
	if (level == LEVELS - 1 && spelling->base_is_builtin) {
		bytes_append_string(&mangler->name, spelling->base);
		return;
	}
	for (unsigned i = level; i < LEVELS; i++)
		strncat(full, parts[i], sizeof(full) - strlen(full) - 1);
	if (refer_back(mangler, full))
		return;
	if (*parts[level] != '&')
		bytes_append_string(&mangler->name, parts[level]);
	if (level < LEVELS - 1)
		mangle_level(mangler, spelling, level + 1);
	remember(mangler, full);
}

/* The mangled name of an overload; false: no memory. */
static bool mangle(const char *name, const struct spirv_argument *arguments, unsigned count,
		   struct bytes *name_out)
{
	struct mangler mangler = {0};
	bytes_printf(&mangler.name, "_Z%zu%s", strlen(name), name);
	for (unsigned i = 0; i < count; i++) {
		const struct spelling spelling = spell(&arguments[i]);
		mangle_level(&mangler, &spelling, 0);
	}
	if (!count)
		bytes_append_char(&mangler.name, 'v');
	const bool good = !bytes_failed(&mangler.name) && !bytes_failed(&mangler.seen);
	bytes_finish(&mangler.seen);
	if (good)
		bytes_move(name_out, &mangler.name);
	bytes_finish(&mangler.name);
	return good;
}

/* The attribute that says how an integer narrower than 32 bits is extended; NULL for other arguments. */
static const char *extension_of(const struct spirv_argument *argument)
{
	if (argument->is_pointer || argument->lanes > 1)
		return NULL;
	switch (argument->base) {
	case 'c':
	case 's': return "signext";
	case 'h':
	case 't':
	case 'b': return "zeroext";
	default: return NULL;
	}
}

/* --- calls --------------------------------------------------------------------------------------------------- */

enum { MOST_ARGUMENTS = 12 };

LLVMValueRef spirv_call_plain(struct spirv_reader *reader, const char *name, LLVMTypeRef result,
			      LLVMValueRef *arguments, unsigned count)
{
	LLVMTypeRef types[MOST_ARGUMENTS];
	for (unsigned i = 0; i < count; i++)
		types[i] = LLVMTypeOf(arguments[i]);
	LLVMTypeRef type = LLVMFunctionType(result, types, count, false);
	LLVMValueRef function = LLVMGetNamedFunction(reader->llvm, name);
	if (!function) {
		function = LLVMAddFunction(reader->llvm, name, type);
		spirv_mark_function(reader, function);
	} else if (LLVMGlobalGetValueType(function) != type) {
		spirv_fail(reader, "the builtin function %s is called with two types", name);
		return NULL;
	}
	LLVMValueRef call = LLVMBuildCall2(reader->builder, type, function, arguments, count, "");
	spirv_mark_call(reader, call);
	return call;
}

bool spirv_can_call(struct spirv_reader *reader, const char *name, const struct spirv_argument *arguments,
		    unsigned count)
{
	struct bytes mangled = BYTES_INIT;
	if (!mangle(name, arguments, count, &mangled))
		return spirv_no_memory(reader);
	const bool there = fe_builtin_symbol(bytes_string(&mangled));
	bytes_finish(&mangled);
	return there;
}

LLVMValueRef spirv_call(struct spirv_reader *reader, const char *name, LLVMTypeRef result,
			const struct spirv_argument *arguments, unsigned count)
{
	struct bytes mangled = BYTES_INIT;
	LLVMValueRef values[MOST_ARGUMENTS], call = NULL;
	for (unsigned i = 0; i < count; i++)
		values[i] = arguments[i].value;
	if (!mangle(name, arguments, count, &mangled))
		return spirv_no_memory(reader), NULL;
	if (!fe_builtin_symbol(bytes_string(&mangled)))
		spirv_fail(reader, "the function %s has no form for operands of these types", name);
	else
		call = spirv_call_plain(reader, bytes_string(&mangled), result, values, count);
	for (unsigned i = 0; call && i < count; i++) {
		const char *extension = extension_of(&arguments[i]);
		if (extension)
			spirv_mark_extended(reader, call, i + 1, extension);
	}
	bytes_finish(&mangled);
	return call;
}

LLVMValueRef spirv_convert_bfloats(struct spirv_reader *reader, LLVMValueRef value, unsigned lanes, bool to_bfloat)
{
	LLVMTypeRef result = spirv_vector(to_bfloat ? spirv_int(reader, 16) : LLVMFloatTypeInContext(reader->context),
					  lanes);
	const struct spirv_argument argument = {.value = value, .base = to_bfloat ? 'f' : 't', .lanes = lanes};
	char name[48], count[4] = "";
	if (lanes > 1)
		snprintf(count, sizeof(count), "%u", lanes % 100);
	snprintf(name, sizeof(name), to_bfloat ? "intel_convert_bfloat16%s_as_ushort%s"
					       : "intel_convert_as_bfloat16%s_float%s", count, count);
	return spirv_call(reader, name, result, &argument, 1);
}

/* --- OpExtInst of OpenCL.std: the table ---------------------------------------------------------------------- */

/* FIRST is the index of an extended instruction's first own operand. */
enum { FIRST = 5, MOST_OPERANDS = 4 };

/* A function of OpenCL C.  operands has a letter for each operand:
 *	v  a value, integers are unsigned        s  a value, integers are signed
 *	p  a pointer to the result's type        e  a pointer to an int or a vector of as many ints as the result has
 *	                                            elements
 * result is the type of the result:
 *	=  the type of the operand with the most elements
 *	i  an int for each element of the first operand
 *	s  the type of one element of the first operand
 *	n  a floating-point number with the width of the operand, which is an integer
 *	u  an integer with twice the width of the operands
 *	m  a vector of the first operand's elements with the length of the last operand */
struct function {
	const char *name;
	const char *operands;
	char result;
};

static const struct function functions[] = {
	/* 2.1 */
	[OpenCLstd_Acos] = {"acos", "v", '='},
	[OpenCLstd_Acosh] = {"acosh", "v", '='},
	[OpenCLstd_Acospi] = {"acospi", "v", '='},
	[OpenCLstd_Asin] = {"asin", "v", '='},
	[OpenCLstd_Asinh] = {"asinh", "v", '='},
	[OpenCLstd_Asinpi] = {"asinpi", "v", '='},
	[OpenCLstd_Atan] = {"atan", "v", '='},
	[OpenCLstd_Atan2] = {"atan2", "vv", '='},
	[OpenCLstd_Atanh] = {"atanh", "v", '='},
	[OpenCLstd_Atanpi] = {"atanpi", "v", '='},
	[OpenCLstd_Atan2pi] = {"atan2pi", "vv", '='},
	[OpenCLstd_Cbrt] = {"cbrt", "v", '='},
	[OpenCLstd_Ceil] = {"ceil", "v", '='},
	[OpenCLstd_Copysign] = {"copysign", "vv", '='},
	[OpenCLstd_Cos] = {"cos", "v", '='},
	[OpenCLstd_Cosh] = {"cosh", "v", '='},
	[OpenCLstd_Cospi] = {"cospi", "v", '='},
	[OpenCLstd_Erfc] = {"erfc", "v", '='},
	[OpenCLstd_Erf] = {"erf", "v", '='},
	[OpenCLstd_Exp] = {"exp", "v", '='},
	[OpenCLstd_Exp2] = {"exp2", "v", '='},
	[OpenCLstd_Exp10] = {"exp10", "v", '='},
	[OpenCLstd_Expm1] = {"expm1", "v", '='},
	[OpenCLstd_Fabs] = {"fabs", "v", '='},
	[OpenCLstd_Fdim] = {"fdim", "vv", '='},
	[OpenCLstd_Floor] = {"floor", "v", '='},
	[OpenCLstd_Fma] = {"fma", "vvv", '='},
	[OpenCLstd_Fmax] = {"fmax", "vv", '='},
	[OpenCLstd_Fmin] = {"fmin", "vv", '='},
	[OpenCLstd_Fmod] = {"fmod", "vv", '='},
	[OpenCLstd_Fract] = {"fract", "vp", '='},
	[OpenCLstd_Frexp] = {"frexp", "ve", '='},
	[OpenCLstd_Hypot] = {"hypot", "vv", '='},
	[OpenCLstd_Ilogb] = {"ilogb", "v", 'i'},
	[OpenCLstd_Ldexp] = {"ldexp", "vs", '='},
	[OpenCLstd_Lgamma] = {"lgamma", "v", '='},
	[OpenCLstd_Lgamma_r] = {"lgamma_r", "ve", '='},
	[OpenCLstd_Log] = {"log", "v", '='},
	[OpenCLstd_Log2] = {"log2", "v", '='},
	[OpenCLstd_Log10] = {"log10", "v", '='},
	[OpenCLstd_Log1p] = {"log1p", "v", '='},
	[OpenCLstd_Logb] = {"logb", "v", '='},
	[OpenCLstd_Mad] = {"mad", "vvv", '='},
	[OpenCLstd_Maxmag] = {"maxmag", "vv", '='},
	[OpenCLstd_Minmag] = {"minmag", "vv", '='},
	[OpenCLstd_Modf] = {"modf", "vp", '='},
	[OpenCLstd_Nan] = {"nan", "v", 'n'},
	[OpenCLstd_Nextafter] = {"nextafter", "vv", '='},
	[OpenCLstd_Pow] = {"pow", "vv", '='},
	[OpenCLstd_Pown] = {"pown", "vs", '='},
	[OpenCLstd_Powr] = {"powr", "vv", '='},
	[OpenCLstd_Remainder] = {"remainder", "vv", '='},
	[OpenCLstd_Remquo] = {"remquo", "vve", '='},
	[OpenCLstd_Rint] = {"rint", "v", '='},
	[OpenCLstd_Rootn] = {"rootn", "vs", '='},
	[OpenCLstd_Round] = {"round", "v", '='},
	[OpenCLstd_Rsqrt] = {"rsqrt", "v", '='},
	[OpenCLstd_Sin] = {"sin", "v", '='},
	[OpenCLstd_Sincos] = {"sincos", "vp", '='},
	[OpenCLstd_Sinh] = {"sinh", "v", '='},
	[OpenCLstd_Sinpi] = {"sinpi", "v", '='},
	[OpenCLstd_Sqrt] = {"sqrt", "v", '='},
	[OpenCLstd_Tan] = {"tan", "v", '='},
	[OpenCLstd_Tanh] = {"tanh", "v", '='},
	[OpenCLstd_Tanpi] = {"tanpi", "v", '='},
	[OpenCLstd_Tgamma] = {"tgamma", "v", '='},
	[OpenCLstd_Trunc] = {"trunc", "v", '='},
	[OpenCLstd_Half_cos] = {"half_cos", "v", '='},
	[OpenCLstd_Half_divide] = {"half_divide", "vv", '='},
	[OpenCLstd_Half_exp] = {"half_exp", "v", '='},
	[OpenCLstd_Half_exp2] = {"half_exp2", "v", '='},
	[OpenCLstd_Half_exp10] = {"half_exp10", "v", '='},
	[OpenCLstd_Half_log] = {"half_log", "v", '='},
	[OpenCLstd_Half_log2] = {"half_log2", "v", '='},
	[OpenCLstd_Half_log10] = {"half_log10", "v", '='},
	[OpenCLstd_Half_powr] = {"half_powr", "vv", '='},
	[OpenCLstd_Half_recip] = {"half_recip", "v", '='},
	[OpenCLstd_Half_rsqrt] = {"half_rsqrt", "v", '='},
	[OpenCLstd_Half_sin] = {"half_sin", "v", '='},
	[OpenCLstd_Half_sqrt] = {"half_sqrt", "v", '='},
	[OpenCLstd_Half_tan] = {"half_tan", "v", '='},
	[OpenCLstd_Native_cos] = {"native_cos", "v", '='},
	[OpenCLstd_Native_divide] = {"native_divide", "vv", '='},
	[OpenCLstd_Native_exp] = {"native_exp", "v", '='},
	[OpenCLstd_Native_exp2] = {"native_exp2", "v", '='},
	[OpenCLstd_Native_exp10] = {"native_exp10", "v", '='},
	[OpenCLstd_Native_log] = {"native_log", "v", '='},
	[OpenCLstd_Native_log2] = {"native_log2", "v", '='},
	[OpenCLstd_Native_log10] = {"native_log10", "v", '='},
	[OpenCLstd_Native_powr] = {"native_powr", "vv", '='},
	[OpenCLstd_Native_recip] = {"native_recip", "v", '='},
	[OpenCLstd_Native_rsqrt] = {"native_rsqrt", "v", '='},
	[OpenCLstd_Native_sin] = {"native_sin", "v", '='},
	[OpenCLstd_Native_sqrt] = {"native_sqrt", "v", '='},
	[OpenCLstd_Native_tan] = {"native_tan", "v", '='},
	/* 2.2 */
	[OpenCLstd_SAbs] = {"abs", "s", '='},
	[OpenCLstd_SAbs_diff] = {"abs_diff", "ss", '='},
	[OpenCLstd_SAdd_sat] = {"add_sat", "ss", '='},
	[OpenCLstd_UAdd_sat] = {"add_sat", "vv", '='},
	[OpenCLstd_SHadd] = {"hadd", "ss", '='},
	[OpenCLstd_UHadd] = {"hadd", "vv", '='},
	[OpenCLstd_SRhadd] = {"rhadd", "ss", '='},
	[OpenCLstd_URhadd] = {"rhadd", "vv", '='},
	[OpenCLstd_SClamp] = {"clamp", "sss", '='},
	[OpenCLstd_UClamp] = {"clamp", "vvv", '='},
	[OpenCLstd_Clz] = {"clz", "v", '='},
	[OpenCLstd_Ctz] = {"ctz", "v", '='},
	[OpenCLstd_SMad_hi] = {"mad_hi", "sss", '='},
	[OpenCLstd_UMad_sat] = {"mad_sat", "vvv", '='},
	[OpenCLstd_SMad_sat] = {"mad_sat", "sss", '='},
	[OpenCLstd_SMax] = {"max", "ss", '='},
	[OpenCLstd_UMax] = {"max", "vv", '='},
	[OpenCLstd_SMin] = {"min", "ss", '='},
	[OpenCLstd_UMin] = {"min", "vv", '='},
	[OpenCLstd_SMul_hi] = {"mul_hi", "ss", '='},
	[OpenCLstd_Rotate] = {"rotate", "vv", '='},
	[OpenCLstd_SSub_sat] = {"sub_sat", "ss", '='},
	[OpenCLstd_USub_sat] = {"sub_sat", "vv", '='},
	[OpenCLstd_U_Upsample] = {"upsample", "vv", 'u'},
	[OpenCLstd_S_Upsample] = {"upsample", "sv", 'u'},
	[OpenCLstd_Popcount] = {"popcount", "v", '='},
	[OpenCLstd_SMad24] = {"mad24", "sss", '='},
	[OpenCLstd_UMad24] = {"mad24", "vvv", '='},
	[OpenCLstd_SMul24] = {"mul24", "ss", '='},
	[OpenCLstd_UMul24] = {"mul24", "vv", '='},
	[OpenCLstd_UAbs] = {"abs", "v", '='},
	[OpenCLstd_UAbs_diff] = {"abs_diff", "vv", '='},
	[OpenCLstd_UMul_hi] = {"mul_hi", "vv", '='},
	[OpenCLstd_UMad_hi] = {"mad_hi", "vvv", '='},
	/* 2.3 */
	[OpenCLstd_FClamp] = {"clamp", "vvv", '='},
	[OpenCLstd_Degrees] = {"degrees", "v", '='},
	[OpenCLstd_FMax_common] = {"max", "vv", '='},
	[OpenCLstd_FMin_common] = {"min", "vv", '='},
	[OpenCLstd_Mix] = {"mix", "vvv", '='},
	[OpenCLstd_Radians] = {"radians", "v", '='},
	[OpenCLstd_Step] = {"step", "vv", '='},
	[OpenCLstd_Smoothstep] = {"smoothstep", "vvv", '='},
	[OpenCLstd_Sign] = {"sign", "v", '='},
	/* 2.4 */
	[OpenCLstd_Cross] = {"cross", "vv", '='},
	[OpenCLstd_Distance] = {"distance", "vv", 's'},
	[OpenCLstd_Length] = {"length", "v", 's'},
	[OpenCLstd_Normalize] = {"normalize", "v", '='},
	[OpenCLstd_Fast_distance] = {"fast_distance", "vv", 's'},
	[OpenCLstd_Fast_length] = {"fast_length", "v", 's'},
	[OpenCLstd_Fast_normalize] = {"fast_normalize", "v", '='},
	/* 2.5 */
	[OpenCLstd_Bitselect] = {"bitselect", "vvv", '='},
	[OpenCLstd_Select] = {"select", "vvv", '='},
	/* 2.7 */
	[OpenCLstd_Shuffle] = {"shuffle", "vv", 'm'},
	[OpenCLstd_Shuffle2] = {"shuffle2", "vvv", 'm'},
};

static bool fail_operands(struct spirv_reader *reader, const struct spirv_op *op)
{
	const char *name = spirv_name(SPIRV_NAME_EXTENDED, op->words[4]);
	return spirv_fail(reader, "the operands are not those of %s", name ? name : "the instruction");
}

/* --- functions ----------------------------------------------------------------------------------------------- */

/* An argument that is a pointer; base and lanes are those of its target.  False with a message. */
static bool pointer_argument(struct spirv_reader *reader, uint32_t id, char base, unsigned lanes,
			     struct spirv_argument *argument)
{
	LLVMValueRef pointer = spirv_pointer(reader, id);
	*argument = (struct spirv_argument){.value = pointer, .base = base, .lanes = lanes,
					    .is_pointer = true};
	return pointer != NULL;
}

/* An operand as its letter says (struct function); false with a message.  *type_out is set for values only. */
static bool operand(struct spirv_reader *reader, const struct spirv_op *op, char how, uint32_t id,
		    struct spirv_argument *argument, const struct spirv_type **type_out)
{
	if (how == 'p')
		return pointer_argument(reader, id, spirv_letter(op->type, false), op->type->lanes, argument);
	if (how == 'e')
		return pointer_argument(reader, id, 'i', op->type->lanes, argument);
	const struct spirv_type *type = spirv_type_of(reader, id);
	LLVMValueRef value = type ? spirv_value_as(reader, id, type) : NULL;
	if (!value)
		return false;
	if (!spirv_is_number(type))
		return fail_operands(reader, op);
	*argument = spirv_by_value(type, value, how == 's');
	*type_out = type;
	return true;
}

/* Whether the result has the type that the function gives for operands of these types. */
static bool is_result(const struct spirv_op *op, char how, const struct spirv_type *const *types, unsigned count)
{
	const struct spirv_type *first = types[0], *widest = first, *result = op->type;
	for (unsigned i = 1; i < count; i++)
		if (types[i] && types[i]->lanes > widest->lanes)
			widest = types[i];
	switch (how) {
	case '=': return result->value == widest->value;
	case 'i': return result->class == SPIRV_INT && result->bits == 32 && result->lanes == first->lanes;
	case 's': return result->value == (first->lanes > 1 ? first->element->value : first->value);
	case 'n':
		return first->class == SPIRV_INT && result->class == SPIRV_FLOAT &&
		       result->bits == first->bits && result->lanes == first->lanes;
	case 'u':
		return result->class == SPIRV_INT && first->class == SPIRV_INT &&
		       result->bits == 2 * first->bits && result->lanes == first->lanes;
	default:
		return result->lanes > 1 && first->lanes > 1 && types[count - 1] &&
		       result->element->value == first->element->value &&
		       result->lanes == types[count - 1]->lanes;
	}
}

static bool build_function(struct spirv_reader *reader, const struct spirv_op *op,
			   const struct function *function)
{
	const unsigned count = (unsigned)strlen(function->operands);
	struct spirv_argument arguments[MOST_OPERANDS];
	const struct spirv_type *types[MOST_OPERANDS] = {NULL};
	if (op->count != FIRST + count)
		return fail_operands(reader, op);
	for (unsigned i = 0; i < count; i++)
		if (!operand(reader, op, function->operands[i], op->words[FIRST + i], &arguments[i],
			     &types[i]))
			return false;
	if (!is_result(op, function->result, types, count))
		return fail_operands(reader, op);
	LLVMValueRef value = spirv_call(reader, function->name, op->type->value, arguments, count);
	return value && spirv_define(reader, op, spirv_fast(reader, op->result, value));
}

/* --- loads and stores ---------------------------------------------------------------------------------------- */

/* A function of section 2.6, whose name may end in the number of elements and a rounding mode. */
struct access {
	uint32_t instruction;
	const char *name;
	bool of_halfs;              /* the memory holds halves; otherwise the value's elements */
	bool has_mode, has_count;   /* operands of the instruction: a rounding mode, the number of elements */
};

static const struct access loads[] = {
	{OpenCLstd_Vloadn, "vload", false, false, true},
	{OpenCLstd_Vload_half, "vload_half", true, false, false},
	{OpenCLstd_Vload_halfn, "vload_half", true, false, true},
	{OpenCLstd_Vloada_halfn, "vloada_half", true, false, true},
};

static const struct access stores[] = {
	{OpenCLstd_Vstoren, "vstore", false, false, false},
	{OpenCLstd_Vstore_half, "vstore_half", true, false, false},
	{OpenCLstd_Vstore_half_r, "vstore_half", true, true, false},
	{OpenCLstd_Vstore_halfn, "vstore_half", true, false, false},
	{OpenCLstd_Vstore_halfn_r, "vstore_half", true, true, false},
	{OpenCLstd_Vstorea_halfn, "vstorea_half", true, false, false},
	{OpenCLstd_Vstorea_halfn_r, "vstorea_half", true, true, false},
};

static const struct access *find(const struct access *rows, size_t count, uint32_t instruction)
{
	for (size_t i = 0; i < count; i++)
		if (rows[i].instruction == instruction)
			return &rows[i];
	return NULL;
}

/* The name of the function: "vload_half4", "vstore_half4_rte". */
static void name_access(char *name, size_t size_B, const struct access *access, unsigned lanes,
			const char *mode)
{
	if (lanes > 1)
		snprintf(name, size_B, "%s%u%s", access->name, lanes, mode);
	else
		snprintf(name, size_B, "%s%s", access->name, mode);
}

/* The arguments offset and pointer, whose operands are words[at] and words[at + 1]; type is the value's.  False with a
 * message. */
static bool place_arguments(struct spirv_reader *reader, const struct spirv_op *op, const struct access *access,
			    const struct spirv_type *type, unsigned at, struct spirv_argument *arguments)
{
	const struct spirv_type *number = spirv_type_of(reader, op->words[at]);
	LLVMValueRef offset = number ? spirv_value(reader, op->words[at]) : NULL;
	if (!offset)
		return false;
	if (number->class != SPIRV_INT || number->lanes != 1 || !spirv_is_number(type) ||
	    (access->of_halfs && type->class != SPIRV_FLOAT))
		return fail_operands(reader, op);
	arguments[0] = (struct spirv_argument){
		.value = LLVMBuildIntCast2(reader->builder, offset, spirv_int(reader, 64), false, ""),
		.base = 'm',
	};
	return pointer_argument(reader, op->words[at + 1], access->of_halfs ? 'D' : spirv_letter(type, false), 1,
				&arguments[1]);
}

/* Builds a load.  Operands: offset, pointer, and for some the number of elements. */
static bool build_load(struct spirv_reader *reader, const struct spirv_op *op, const struct access *load)
{
	struct spirv_argument arguments[2];
	char name[32];
	if (op->count != FIRST + 2u + load->has_count)
		return fail_operands(reader, op);
	if (!place_arguments(reader, op, load, op->type, FIRST, arguments))
		return false;
	if ((load->has_count && op->words[FIRST + 2] != op->type->lanes) ||
	    (load->of_halfs && op->type->bits != 32) || (!load->has_count && op->type->lanes != 1))
		return fail_operands(reader, op);
	arguments[1].qualifiers = SPIRV_CONST;
	name_access(name, sizeof(name), load, op->type->lanes, "");
	return spirv_define(reader, op, spirv_call(reader, name, op->type->value, arguments, 2));
}

/* Builds a store.  Operands: data, offset, pointer, and for some the rounding mode as a literal. */
static bool build_store(struct spirv_reader *reader, const struct spirv_op *op, const struct access *store)
{
	static const char *const modes[] = {"_rte", "_rtz", "_rtp", "_rtn"};
	struct spirv_argument arguments[3];
	const char *mode = "";
	char name[32];
	if (op->count != FIRST + 3u + store->has_mode)
		return fail_operands(reader, op);
	if (store->has_mode && op->words[FIRST + 3] >= sizeof(modes) / sizeof(*modes))
		return spirv_fail(reader, "the rounding mode %" PRIu32 " is not known", op->words[FIRST + 3]);
	if (store->has_mode)
		mode = modes[op->words[FIRST + 3]];
	const struct spirv_type *type = spirv_type_of(reader, op->words[FIRST]);
	LLVMValueRef value = type ? spirv_value(reader, op->words[FIRST]) : NULL;
	if (!value || !place_arguments(reader, op, store, type, FIRST + 1, arguments + 1))
		return false;
	arguments[0] = spirv_by_value(type, value, false);
	name_access(name, sizeof(name), store, type->lanes, mode);
	return spirv_call(reader, name, LLVMVoidTypeInContext(reader->context), arguments, 3) != NULL;
}

/* Builds prefetch, which is a hint: types that OpenCL C's prefetch does not support are ignored. */
static bool build_prefetch(struct spirv_reader *reader, const struct spirv_op *op)
{
	static const char name[] = "prefetch";
	if (op->count != FIRST + 2)
		return fail_operands(reader, op);
	LLVMValueRef pointer = spirv_pointer(reader, op->words[FIRST]);
	LLVMValueRef count = pointer ? spirv_value_of(reader, op->words[FIRST + 1], spirv_int(reader, 64)) : NULL;
	const struct spirv_type *type = count ? spirv_type_of(reader, op->words[FIRST]) : NULL;
	type = type ? spirv_pointee(reader, type) : NULL;
	if (!type)
		return false;
	if (!spirv_is_number(type))
		return true;
	const struct spirv_argument arguments[] = {
		{.value = pointer, .base = spirv_letter(type, false), .lanes = type->lanes,
		 .is_pointer = true, .qualifiers = SPIRV_CONST},
		{.value = count, .base = 'm'},
	};
	return !spirv_can_call(reader, name, arguments, 2) ||
	       spirv_call(reader, name, LLVMVoidTypeInContext(reader->context), arguments, 2);
}

/* --- OpExtInst: the sets of instructions --------------------------------------------------------------------- */

static bool build_opencl(struct spirv_reader *reader, const struct spirv_op *op)
{
	const uint32_t instruction = op->words[4];
	if (instruction < sizeof(functions) / sizeof(*functions) && functions[instruction].name)
		return build_function(reader, op, &functions[instruction]);
	const struct access *load = find(loads, sizeof(loads) / sizeof(*loads), instruction);
	if (load)
		return build_load(reader, op, load);
	const struct access *store = find(stores, sizeof(stores) / sizeof(*stores), instruction);
	if (store)
		return build_store(reader, op, store);
	if (instruction == OpenCLstd_Prefetch)
		return build_prefetch(reader, op);
	if (instruction == OpenCLstd_Printf)
		return spirv_build_printf(reader, op);
	return spirv_fail(reader, "the instruction %" PRIu32 " of OpenCL.std is not known", instruction);
}

/* Whether a set of instructions is for debuggers and tools only. */
static bool says_nothing(const char *set)
{
	return !strncmp(set, "NonSemantic.", 12) || !strcmp(set, "OpenCL.DebugInfo.100") ||
	       !strcmp(set, "DebugInfo") || !strncmp(set, "SPIRV.debug", 11);
}

static bool build_extended(struct spirv_reader *reader, const struct spirv_op *op)
{
	const struct spirv_instruction import = spirv_of(reader->module, op->words[3]);
	const char *set = import.op == SpvOpExtInstImport ? spirv_string(import, 2) : NULL;
	if (!set)
		return spirv_fail(reader, "the id %" PRIu32 " is no set of instructions", op->words[3]);
	if (says_nothing(set))
		return true;
	if (op->words[3] != reader->module->openclstd || !reader->body)
		return spirv_fail(reader, "the instructions of %.100s are not supported here", set);
	return build_opencl(reader, op);
}

const struct spirv_row spirv_opencl_std_rows[] = {
	{SpvOpExtInst, 5, 0, 0, build_extended},
	{0, 0, 0, 0, NULL},
};
