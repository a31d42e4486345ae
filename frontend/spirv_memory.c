/* Loads, stores, copies, and pointers into what others point to. */
#include "config.h"

#include "frontend/spirv_module.h"

#include <inttypes.h>

/* Optional operands of a memory access (SPIR-V 1.6, 3.29). */
struct access {
	bool is_volatile;
	uint32_t alignment_B;   /* 0: not said */
};

static struct access read_access(const uint32_t *words, unsigned from, unsigned count)
{
	struct access access = {0};
	if (from >= count)
		return access;
	access.is_volatile = words[from] & SpvMemoryAccessVolatileMask;
	if (words[from] & SpvMemoryAccessAlignedMask && from + 1 < count)
		access.alignment_B = words[from + 1];
	if (access.alignment_B & (access.alignment_B - 1))
		access.alignment_B = 0;
	return access;
}

/* Words that such operands fill: of the mask, and of those of its bits that have an operand. */
static unsigned access_words(uint32_t mask)
{
	const uint32_t with_operand =
		SpvMemoryAccessAlignedMask | SpvMemoryAccessMakePointerAvailableMask |
		SpvMemoryAccessMakePointerVisibleMask | SpvMemoryAccessAliasScopeINTELMaskMask |
		SpvMemoryAccessNoAliasINTELMaskMask;
	return 1 + (unsigned)__builtin_popcount(mask & with_operand);
}

/* What the type's alignment is anyway, of those that need one; OpenCL C 3.0, 6.3.5. */
static uint32_t natural_B(struct spirv_shape shape)
{
	bool plain = shape.class == SPIRV_INT || shape.class == SPIRV_FLOAT ||
		     shape.class == SPIRV_POINTER;
	return plain ? shape.bits / 8 * (shape.lanes == 3 ? 4 : shape.lanes) : 0;
}

/* "*v7", with the pointer cast where the access is a special one; a typedef may go first, so the
 * statement stands in braces. */
static void put_target(struct spirv_writer *writer, struct bytes *text, uint32_t pointer,
		       struct access access)
{
	uint32_t type = spirv_id(writer->module, pointer)->type;
	uint32_t pointee = spirv_pointee(writer->module, type);
	const char *space = spirv_space(spirv_storage(writer->module, type));
	bool low = access.alignment_B &&
		   access.alignment_B < natural_B(spirv_shape(writer->module, pointee));
	if (!low && !access.is_volatile) {
		bytes_printf(text, "*v%" PRIu32, pointer);
		return;
	}
	unsigned x = spirv_temporary(writer);
	spirv_put(writer, "typedef t%" PRIu32 " x%u", pointee, x);
	if (low)
		spirv_put(writer, " __attribute__((aligned(%" PRIu32 ")))", access.alignment_B);
	spirv_put(writer, "; ");
	bytes_printf(text, "*(%s%s x%u *)v%" PRIu32, access.is_volatile ? "volatile " : "",
		     space ? space : "", x, pointer);
}

static enum spirv_written write_load(struct spirv_writer *writer, const uint32_t *words,
				     unsigned count)
{
	if (spirv_shape(writer->module, words[1]).class == SPIRV_OPAQUE) {
		spirv_put(writer, "\n#define v%" PRIu32 " v%" PRIu32 "\n", words[2], words[3]);
		return SPIRV_WRITTEN;
	}
	struct bytes target = BYTES_INIT;
	spirv_put(writer, "{ ");
	put_target(writer, &target, words[3], read_access(words, 4, count));
	spirv_put(writer, "v%" PRIu32 " = %s; }\n", words[2], bytes_string(&target));
	writer->out->failed |= bytes_failed(&target);
	bytes_finish(&target);
	return SPIRV_WRITTEN;
}

static enum spirv_written write_store(struct spirv_writer *writer, const uint32_t *words,
				      unsigned count)
{
	/* Of an image or a sampler: spirv_function.c has seen to it. */
	if (spirv_value_shape(writer->module, words[2]).class == SPIRV_OPAQUE)
		return SPIRV_WRITTEN;
	struct bytes target = BYTES_INIT;
	spirv_put(writer, "{ ");
	put_target(writer, &target, words[1], read_access(words, 3, count));
	spirv_put(writer, "%s = v%" PRIu32 "; }\n", bytes_string(&target), words[2]);
	writer->out->failed |= bytes_failed(&target);
	bytes_finish(&target);
	return SPIRV_WRITTEN;
}

/* --- copies --- */

static const char *space_of(struct spirv_writer *writer, uint32_t pointer)
{
	const struct spirv_id *id = spirv_id(writer->module, pointer);
	const char *space = spirv_space(id->is_input ? SpvStorageClassInput
						     : spirv_storage(writer->module, id->type));
	return space ? space : "";
}

/* What is said of the target, and of the source: SPIR-V 1.6, 3.49.8: "if only one is present, it
 * applies to both"; from version 1.4 on there may be a second, of the source. */
struct accesses {
	struct access to, from;
};

static struct accesses read_accesses(const uint32_t *words, unsigned from, unsigned count)
{
	struct accesses accesses;
	accesses.to = accesses.from = read_access(words, from, count);
	if (from < count && from + access_words(words[from]) < count)
		accesses.from = read_access(words, from + access_words(words[from]), count);
	return accesses;
}

static enum spirv_written write_copy(struct spirv_writer *writer, const uint32_t *words,
				     unsigned count)
{
	struct accesses accesses = read_accesses(words, 3, count);
	struct bytes to = BYTES_INIT, from = BYTES_INIT;
	spirv_put(writer, "{ ");
	put_target(writer, &to, words[1], accesses.to);
	put_target(writer, &from, words[2], accesses.from);
	spirv_put(writer, "%s = %s; }\n", bytes_string(&to), bytes_string(&from));
	writer->out->failed |= bytes_failed(&to) || bytes_failed(&from);
	bytes_finish(&to);
	bytes_finish(&from);
	return SPIRV_WRITTEN;
}

static enum spirv_written write_copy_sized(struct spirv_writer *writer, const uint32_t *words,
					   unsigned count)
{
	struct accesses accesses = read_accesses(words, 4, count);
	uint32_t to_B = accesses.to.alignment_B, from_B = accesses.from.alignment_B;
	bool is_volatile = accesses.to.is_volatile || accesses.from.is_volatile;
	uint32_t alignment_B = to_B < from_B ? to_B : from_B;
	uint64_t size_B;
	unsigned x = spirv_temporary(writer);
	const char *to = space_of(writer, words[1]), *from = space_of(writer, words[2]);
	if (is_volatile || !spirv_integer(writer, words[3], &size_B))
		spirv_put(writer, "for (ulong x%u = 0; x%u < v%" PRIu32 "; x%u++) "
				  "((volatile %s uchar *)v%" PRIu32 ")[x%u] = "
				  "((volatile %s uchar *)v%" PRIu32 ")[x%u];\n",
			  x, x, words[3], x, to, words[1], x, from, words[2], x);
	else if (size_B)
		spirv_put(writer, "{ typedef struct { uchar e[%" PRIu64 "]; } x%u "
				  "__attribute__((aligned(%" PRIu32 "))); "
				  "*(%s x%u *)v%" PRIu32 " = *(%s x%u *)v%" PRIu32 "; }\n",
			  size_B, x, alignment_B ? alignment_B : 1, to, x, words[1], from, x, words[2]);
	return SPIRV_WRITTEN;
}

/* --- pointers --- */

/* An index: signed in SPIR-V. */
static void put_index(struct spirv_writer *writer, struct bytes *text, uint32_t id)
{
	uint64_t value;
	if (spirv_integer(writer, id, &value) && value < INT32_MAX)
		bytes_printf(text, "[%" PRIu64 "]", value);
	else
		bytes_printf(text, "[(%s)v%" PRIu32 "]",
			     spirv_signed_name(spirv_value_shape(writer->module, id)).text, id);
}

/* Appends a step into a type; 0 when there is no such part. */
static uint32_t step(struct spirv_writer *writer, struct bytes *text, uint32_t type, uint32_t index)
{
	const struct spirv_id *id = spirv_id(writer->module, type);
	uint64_t member;
	switch (id->words ? id->op : 0) {
	case SpvOpTypeStruct:
		if (!spirv_integer(writer, index, &member) || member + 2 >= id->count)
			return 0;
		bytes_printf(text, ".m%" PRIu64, member);
		return id->words[member + 2];
	case SpvOpTypeArray:
		bytes_append_string(text, ".e");
		put_index(writer, text, index);
		return id->words[2];
	default: return 0;
	}
}

/* LLVM's back end for SPIR-V writes a constant as many bytes behind a variable as a chain by the
 * element 0 and by these bytes, whose result points to bytes and the variable to something else. */
static bool is_byte_offset(struct spirv_writer *writer, const uint32_t *words, unsigned count)
{
	const struct spirv_module *module = writer->module;
	struct spirv_shape result = spirv_shape(module, spirv_pointee(module, words[1]));
	uint32_t pointee = spirv_pointee(module, spirv_id(module, words[3])->type);
	struct bytes text = BYTES_INIT;
	uint64_t element;
	if (!writer->in_constant || count != 6 || result.class != SPIRV_INT || result.bits != 8 ||
	    !spirv_integer(writer, words[4], &element) || element)
		return false;
	struct spirv_shape part = spirv_shape(module, step(writer, &text, pointee, words[5]));
	bytes_finish(&text);
	return part.class != SPIRV_INT || part.bits != 8;
}

static enum spirv_written write_chain(struct spirv_writer *writer, const uint32_t *words,
				      unsigned count, bool by_element)
{
	const struct spirv_module *module = writer->module;
	uint32_t pointer = spirv_id(module, words[3])->type, type = spirv_pointee(module, pointer);
	unsigned from = by_element ? 5 : 4;
	struct bytes path = BYTES_INIT;
	if (by_element && is_byte_offset(writer, words, count)) {
		spirv_put(writer, "v%" PRIu32 " = (t%" PRIu32 ")v%" PRIu32 " + v%" PRIu32 ";\n", words[2],
			  words[1], words[3], words[5]);
		return SPIRV_WRITTEN;
	}
	if (by_element && count > 4)
		put_index(writer, &path, words[4]);
	else
		bytes_append_string(&path, "[0]");
	enum spirv_written written = SPIRV_WRITTEN;
	for (unsigned i = from; i < count && written == SPIRV_WRITTEN; i++) {
		struct spirv_shape shape = spirv_shape(module, type);
		uint32_t next = step(writer, &path, type, words[i]);
		if (!next && shape.lanes > 1 && i + 1 == count) {
			/* An element of a vector has no address in OpenCL C. */
			struct spirv_shape element = shape;
			element.lanes = 1;
			struct bytes index = BYTES_INIT;
			put_index(writer, &index, words[i]);
			spirv_put(writer, "v%" PRIu32 " = &((%s %s *)&v%" PRIu32 "%s)%s;\n", words[2],
				  space_of(writer, words[3]),
				  shape.class == SPIRV_BOOL ? "char" : spirv_unsigned_name(element).text,
				  words[3], bytes_string(&path), bytes_string(&index));
			writer->out->failed |= bytes_failed(&path) || bytes_failed(&index);
			bytes_finish(&index);
			bytes_finish(&path);
			return SPIRV_WRITTEN;
		}
		if (!next)
			written = spirv_fail(writer, words[0] & SpvOpCodeMask,
					     "id %" PRIu32 " has no such part", words[3]);
		type = next;
	}
	if (written == SPIRV_WRITTEN)
		spirv_put(writer, "v%" PRIu32 " = &v%" PRIu32 "%s;\n", words[2], words[3],
			  bytes_string(&path));
	writer->out->failed |= bytes_failed(&path);
	bytes_finish(&path);
	return written;
}

static enum spirv_written write_pointer_fact(struct spirv_writer *writer, unsigned op,
					     const uint32_t *words, unsigned count)
{
	if (op == SpvOpPtrDiff && count > 4)
		spirv_put(writer, "v%" PRIu32 " = (t%" PRIu32 ")(v%" PRIu32 " - v%" PRIu32 ");\n",
			  words[2], words[1], words[3], words[4]);
	else if (op == SpvOpSizeOf)
		spirv_put(writer, "v%" PRIu32 " = (t%" PRIu32 ")sizeof(*v%" PRIu32 ");\n", words[2],
			  words[1], words[3]);
	else if (op == SpvOpGenericPtrMemSemantics)
		spirv_put(writer, "v%" PRIu32 " = to_local(v%" PRIu32 ") ? 0x%xu : to_global(v%" PRIu32
			  ") ? 0x%xu : 0u;\n", words[2], words[3],
			  SpvMemorySemanticsWorkgroupMemoryMask, words[3],
			  SpvMemorySemanticsCrossWorkgroupMemoryMask);
	else
		return spirv_fail(writer, op, "%u words", count);
	return SPIRV_WRITTEN;
}

enum spirv_written spirv_memory(struct spirv_writer *writer, const uint32_t *words, unsigned count)
{
	unsigned op = words[0] & SpvOpCodeMask;
	unsigned least = op == SpvOpStore || op == SpvOpCopyMemory ? 3 : 4;
	switch (op) {
	case SpvOpLoad:
	case SpvOpStore:
	case SpvOpCopyMemory:
	case SpvOpCopyMemorySized:
	case SpvOpAccessChain:
	case SpvOpInBoundsAccessChain:
	case SpvOpPtrAccessChain:
	case SpvOpInBoundsPtrAccessChain:
	case SpvOpPtrDiff:
	case SpvOpSizeOf:
	case SpvOpGenericPtrMemSemantics:
		if (count < least)
			return spirv_fail(writer, op, "%u words", count);
		break;
	default: return SPIRV_OTHER;
	}
	switch (op) {
	case SpvOpLoad: return write_load(writer, words, count);
	case SpvOpStore: return write_store(writer, words, count);
	case SpvOpCopyMemory: return write_copy(writer, words, count);
	case SpvOpCopyMemorySized: return write_copy_sized(writer, words, count);
	case SpvOpAccessChain:
	case SpvOpInBoundsAccessChain: return write_chain(writer, words, count, false);
	case SpvOpPtrAccessChain:
	case SpvOpInBoundsPtrAccessChain: return write_chain(writer, words, count, true);
	default: return write_pointer_fact(writer, op, words, count);
	}
}
