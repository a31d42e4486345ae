#include "config.h"

#include "icd/program_binary.h"

#include <string.h>

static const char magic[8] = "CULVERT";

enum {
	VERSION = 2,
	PART_COUNT = 3,
	CHECKED_FROM_B = 24,
	SIZES_AT_B = 40,
	HEADER_B = SIZES_AT_B + 8 * PART_COUNT,
	FLAG_LINE_INFO = 1
};

static uint64_t checksum(const unsigned char *data, size_t size_B)
{
	uint64_t hash = 0xcbf29ce484222325u;
	for (size_t i = 0; i < size_B; i++)
		hash = (hash ^ data[i]) * 0x100000001b3u;
	return hash;
}

static void number_put(unsigned char *at, uint64_t value, unsigned width_B)
{
	for (unsigned i = 0; i < width_B; i++)
		at[i] = (unsigned char)(value >> (8 * i));
}

static uint64_t number_get(const unsigned char *at, unsigned width_B)
{
	uint64_t value = 0;
	for (unsigned i = 0; i < width_B; i++)
		value |= (uint64_t)at[i] << (8 * i);
	return value;
}

void ocl_code_write(const struct ocl_code *code, struct bytes *bytes)
{
	struct bytes facts = BYTES_INIT;
	if (code->abi)
		abi_program_write(code->abi, &facts);
	const struct bytes *parts[PART_COUNT] = {&facts, &code->object, &code->ptx};
	size_t start_B = bytes->size_B;
	unsigned char header[HEADER_B] = {0};
	memcpy(header, magic, sizeof(magic));
	number_put(header + 8, VERSION, 4);
	number_put(header + 12, code->type, 4);
	number_put(header + 24, code->sm, 2);
	number_put(header + 26, code->ptx_sm, 2);
	number_put(header + 28, code->line_info ? FLAG_LINE_INFO : 0, 4);
	number_put(header + 32, code->optimization, 4);
	number_put(header + 36, code->max_registers, 4);
	for (unsigned i = 0; i < PART_COUNT; i++)
		number_put(header + SIZES_AT_B + 8 * i, parts[i]->size_B, 8);
	bytes_append(bytes, header, sizeof(header));
	for (unsigned i = 0; i < PART_COUNT; i++)
		bytes_append(bytes, parts[i]->data, parts[i]->size_B);
	bytes->failed |= bytes_failed(&facts);
	bytes_finish(&facts);
	if (bytes_failed(bytes))
		return;
	unsigned char *whole = (unsigned char *)bytes->data + start_B;
	number_put(whole + 16,
		   checksum(whole + CHECKED_FROM_B, bytes->size_B - start_B - CHECKED_FROM_B), 8);
}

/* Where the parts lie; false when the sizes do not add up to the whole. */
static bool parts_find(const unsigned char *data, size_t size_B,
		       const unsigned char *parts[PART_COUNT], size_t sizes_B[PART_COUNT])
{
	size_t at_B = HEADER_B;
	for (unsigned i = 0; i < PART_COUNT; i++) {
		uint64_t part_B = number_get(data + SIZES_AT_B + 8 * i, 8);
		if (part_B > size_B - at_B)
			return false;
		parts[i] = data + at_B;
		sizes_B[i] = (size_t)part_B;
		at_B += (size_t)part_B;
	}
	return at_B == size_B;
}

bool ocl_code_fits(const struct ocl_code *code, cl_device_id device)
{
	return code->ptx.size_B && code->sm == device->caps->sm && code->ptx_sm <= code->sm;
}

/* Whether the parts are those that the type must have, and of use on device. */
static bool code_usable(const struct ocl_code *code, cl_device_id device)
{
	switch (code->type) {
	case CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT:
	case CL_PROGRAM_BINARY_TYPE_LIBRARY:
		return code->object.size_B && !code->abi;
	case CL_PROGRAM_BINARY_TYPE_EXECUTABLE:
		if (!code->abi)
			return false;
		return ocl_code_fits(code, device) || code->object.size_B ||
		       (code->ptx.size_B && code->ptx_sm <= device->caps->sm);
	default:
		return false;
	}
}

cl_int ocl_code_read(const void *data_, size_t size_B, cl_device_id device,
		     struct ocl_code **code_out)
{
	const unsigned char *data = data_;
	const unsigned char *parts[PART_COUNT];
	size_t sizes_B[PART_COUNT];
	if (size_B < HEADER_B || memcmp(data, magic, sizeof(magic)) ||
	    number_get(data + 8, 4) != VERSION || !parts_find(data, size_B, parts, sizes_B) ||
	    number_get(data + 16, 8) != checksum(data + CHECKED_FROM_B, size_B - CHECKED_FROM_B))
		return CL_INVALID_BINARY;
	struct ocl_code *code = ocl_code_create();
	if (!code)
		return CL_OUT_OF_HOST_MEMORY;
	cl_int error = CL_INVALID_BINARY;
	code->type = (cl_program_binary_type)number_get(data + 12, 4);
	code->sm = (unsigned)number_get(data + 24, 2);
	code->ptx_sm = (unsigned)number_get(data + 26, 2);
	code->line_info = number_get(data + 28, 4) & FLAG_LINE_INFO;
	code->optimization = (unsigned)number_get(data + 32, 4);
	code->max_registers = (unsigned)number_get(data + 36, 4);
	if (sizes_B[0]) {
		code->abi = abi_program_read(parts[0], sizes_B[0]);
		if (!code->abi)
			goto fail;
	}
	bytes_append(&code->object, parts[1], sizes_B[1]);
	bytes_append(&code->ptx, parts[2], sizes_B[2]);
	if (bytes_failed(&code->object) || bytes_failed(&code->ptx))
		error = CL_OUT_OF_HOST_MEMORY;
	else if (code_usable(code, device))
		error = CL_SUCCESS;
fail:
	if (error)
		ocl_code_unref(code);
	else
		*code_out = code;
	return error;
}
