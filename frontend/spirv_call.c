#include "config.h"

#include "frontend/spirv_call.h"

#include <inttypes.h>

void spirv_put_result(struct spirv_writer *writer, const uint32_t *words)
{
	struct spirv_shape shape = spirv_shape(writer->module, words[1]);
	spirv_put(writer, "v%" PRIu32 " = ", words[2]);
	if (shape.class == SPIRV_INT && shape.lanes > 1)
		spirv_put(writer, "as_%s(", spirv_unsigned_name(shape).text);
	else
		spirv_put(writer, "(t%" PRIu32 ")(", words[1]);
}

void spirv_put_signed(struct spirv_writer *writer, uint32_t value)
{
	struct spirv_shape shape = spirv_value_shape(writer->module, value);
	spirv_put(writer, shape.lanes > 1 ? "as_%s(v%" PRIu32 ")" : "(%s)v%" PRIu32,
		  spirv_signed_name(shape).text, value);
}

bool spirv_put_pointer(struct spirv_writer *writer, const char *qualifier, const char *type,
		       uint32_t value)
{
	uint32_t pointer = spirv_id(writer->module, value)->type;
	const char *space = spirv_space(spirv_storage(writer->module, pointer));
	if (!space || !spirv_pointee(writer->module, pointer))
		return false;
	spirv_put(writer, "(%s%s %s *)v%" PRIu32, qualifier, space, type, value);
	return true;
}

uint32_t spirv_scope(const struct spirv_writer *writer, uint32_t id, uint32_t other)
{
	uint64_t scope;
	return spirv_integer(writer, id, &scope) ? (uint32_t)scope : other;
}
