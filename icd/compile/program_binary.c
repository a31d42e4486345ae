#include "config.h"

#include "icd/compile/program_binary.h"

#include "base/checksum.h"
#include "base/log.h"
#include "base/pack.h"
#include "frontend/ptx_facts.h"

#include <string.h>

static const char magic[8] = "CULVERT";

enum {
	CHECKSUM_AT_B = 16,
	CHECKED_FROM_B = CHECKSUM_AT_B + CHECKSUM_B,
	FLAGS_AT_B = 36,
	SIZES_AT_B = 48,
	PART_FACTS = 0,
	PART_OBJECT,
	PART_PTX,
	PART_CUBIN,
	PART_LOG,
	PART_COUNT,
	HEADER_B = SIZES_AT_B + 8 * PART_COUNT,
	FLAG_LINE_INFO = 1,
	FLAG_VERBOSE = 2,
	FLAG_PACKED_OBJECT = 4,  /* this and the next only in the cache */
	FLAG_PACKED_PTX = 8,
	FLAG_WARP_SYNCHRONOUS = 16,
	FLAGS_GIVEN = FLAG_LINE_INFO | FLAG_VERBOSE | FLAG_WARP_SYNCHRONOUS
};

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

/* The checksum of all bytes except those of the checksum itself. */
static struct checksum checksum_but_itself(const void *data, size_t size_B)
{
	unsigned char both[CHECKSUM_AT_B + CHECKSUM_B];
	struct checksum rest =
		checksum_of((const char *)data + CHECKED_FROM_B, size_B - CHECKED_FROM_B);
	memcpy(both, data, CHECKSUM_AT_B);
	memcpy(both + CHECKSUM_AT_B, rest.bytes, CHECKSUM_B);
	return checksum_of(both, sizeof(both));
}

/* The parts that are compressed in the cache because a hit mostly does not read them: the object of an executable,
 * and the PTX if there is machine code. */
static unsigned kept_packed(const struct ocl_code *code)
{
	return (code->abi ? FLAG_PACKED_OBJECT : 0u) | (code->cubin.size_B ? FLAG_PACKED_PTX : 0u);
}

static void append_parts(const struct ocl_code *code, unsigned packed,
			 const struct bytes *const parts[PART_COUNT], struct bytes *bytes)
{
	const unsigned flags = (code->choice.line_info ? FLAG_LINE_INFO : 0u) |
			       (code->choice.verbose ? FLAG_VERBOSE : 0u) |
			       (code->choice.warp_synchronous ? FLAG_WARP_SYNCHRONOUS : 0u) | packed;
	unsigned char header[HEADER_B] = {0};
	memcpy(header, magic, sizeof(magic));
	number_put(header + 8, OCL_BINARY_VERSION, 4);
	number_put(header + 12, code->type, 4);
	number_put(header + 32, code->sm, 2);
	number_put(header + 34, code->ptx_sm, 2);
	number_put(header + FLAGS_AT_B, flags, 4);
	number_put(header + 40, code->choice.optimization, 4);
	number_put(header + 44, code->choice.max_registers, 4);
	for (unsigned i = 0; i < PART_COUNT; i++)
		number_put(header + SIZES_AT_B + 8 * i, parts[i]->size_B, 8);
	bytes_append(bytes, header, sizeof(header));
	for (unsigned i = 0; i < PART_COUNT; i++) {
		bytes_append(bytes, parts[i]->data, parts[i]->size_B);
		bytes->failed |= bytes_failed(parts[i]);
	}
}

/* The part, compressed or not as wanted: its own bytes, or bytes in made.  NULL: out of memory. */
static const struct bytes *part_in(struct packed_bytes *part, bool packed, struct bytes *made)
{
	if (packed_bytes_empty(part) || (packed && part->packed))
		return &part->bytes;
	if (!packed)
		return packed_bytes_open(part);
	pack(part->bytes.data, part->bytes.size_B, made);
	return made;
}

void ocl_code_write(struct ocl_code *code, enum ocl_code_form form, struct bytes *bytes)
{
	static const struct bytes none = BYTES_INIT;
	struct bytes facts = BYTES_INIT, object = BYTES_INIT, ptx = BYTES_INIT;
	const bool kept = form == OCL_CODE_KEPT;
	const unsigned packed = kept ? kept_packed(code) : 0;
	const size_t start_B = bytes->size_B;
	if (code->abi)
		abi_program_write(code->abi, &facts);
	const struct bytes *parts[PART_COUNT] = {
		&facts, part_in(&code->object, packed & FLAG_PACKED_OBJECT, &object),
		part_in(&code->ptx, packed & FLAG_PACKED_PTX, &ptx), &code->cubin,
		kept ? &code->log : &none};
	if (parts[PART_OBJECT] && parts[PART_PTX])
		append_parts(code, packed, parts, bytes);
	else
		bytes->failed = true;
	bytes_finish(&facts);
	bytes_finish(&object);
	bytes_finish(&ptx);
	if (kept || bytes_failed(bytes))
		return;
	struct checksum sum = checksum_but_itself(bytes->data + start_B, bytes->size_B - start_B);
	memcpy(bytes->data + start_B + CHECKSUM_AT_B, sum.bytes, CHECKSUM_B);
}

/* Finds where the parts are; false when their sizes do not add up to the whole. */
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

/* Whether the code has the parts that its type must have, and can be used on devices of compute capability sm. */
static bool code_usable(const struct ocl_code *code, unsigned sm)
{
	switch (code->type) {
	case CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT:
	case CL_PROGRAM_BINARY_TYPE_LIBRARY:
		return !packed_bytes_empty(&code->object) && !code->abi;
	case CL_PROGRAM_BINARY_TYPE_EXECUTABLE:
		if (!code->abi)
			return false;
		return ocl_code_fits(code, sm) || !packed_bytes_empty(&code->object) ||
		       (!packed_bytes_empty(&code->ptx) && code->ptx_sm <= sm);
	default:
		return false;
	}
}

/* Returns NULL, or what is wrong with the container. */
static const char *container_check(const unsigned char *data, size_t size_B,
				   enum ocl_code_form form, const unsigned char *parts[PART_COUNT],
				   size_t sizes_B[PART_COUNT])
{
	if (size_B < HEADER_B || memcmp(data, magic, sizeof(magic)))
		return "not a program binary of this platform";
	if (number_get(data + 8, 4) != OCL_BINARY_VERSION)
		return "of another version of the format: build the program from source again";
	if (!parts_find(data, size_B, parts, sizes_B))
		return "damaged";
	if (form == OCL_CODE_KEPT)
		return NULL;
	struct checksum sum = checksum_but_itself(data, size_B);
	const bool whole = !memcmp(sum.bytes, data + CHECKSUM_AT_B, CHECKSUM_B) &&
			   !(number_get(data + FLAGS_AT_B, 4) & ~(uint64_t)FLAGS_GIVEN);
	return whole ? NULL : "damaged";
}

/* Returns NULL, or what is wrong with the contents of the container. */
static const char *fill(struct ocl_code *code, const unsigned char *data,
			const unsigned char *const parts[PART_COUNT],
			const size_t sizes_B[PART_COUNT], unsigned sm)
{
	unsigned flags = (unsigned)number_get(data + FLAGS_AT_B, 4);
	code->type = (cl_program_binary_type)number_get(data + 12, 4);
	code->sm = (unsigned)number_get(data + 32, 2);
	code->ptx_sm = (unsigned)number_get(data + 34, 2);
	code->choice.line_info = flags & FLAG_LINE_INFO;
	code->choice.verbose = flags & FLAG_VERBOSE;
	code->choice.warp_synchronous = flags & FLAG_WARP_SYNCHRONOUS;
	code->choice.optimization = (unsigned)number_get(data + 40, 4);
	code->choice.max_registers = (unsigned)number_get(data + 44, 4);
	if (sizes_B[PART_FACTS]) {
		code->abi = abi_program_read(parts[PART_FACTS], sizes_B[PART_FACTS]);
		if (!code->abi)
			return "its launch facts cannot be read";
	}
	code->object.packed = flags & FLAG_PACKED_OBJECT && sizes_B[PART_OBJECT];
	code->ptx.packed = flags & FLAG_PACKED_PTX && sizes_B[PART_PTX];
	bytes_append(&code->object.bytes, parts[PART_OBJECT], sizes_B[PART_OBJECT]);
	bytes_append(&code->ptx.bytes, parts[PART_PTX], sizes_B[PART_PTX]);
	bytes_append(&code->cubin, parts[PART_CUBIN], sizes_B[PART_CUBIN]);
	bytes_append(&code->log, parts[PART_LOG], sizes_B[PART_LOG]);
	return !sm || code_usable(code, sm) ? NULL : "nothing in it is for this device";
}

/* A program binary that is PTX as text, which NVIDIA's platform also accepts: an executable for the device and with
 * the options with which it is loaded.  Returns NULL, or what is wrong with the text. */
static const char *fill_text(struct ocl_code *code, const char *text, size_t size_B,
			     unsigned sm)
{
	struct fe_ptx ptx;
	const char *reason = fe_ptx_facts(text, size_B, &ptx);
	if (reason)
		return reason;
	code->type = CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
	code->sm = sm ? sm : ptx.sm;
	code->ptx_sm = ptx.sm;
	code->choice.optimization = 3;
	code->abi = ptx.abi;
	bytes_append(&code->ptx.bytes, text, size_B);
	return ptx.sm > code->sm || (ptx.only_sm && ptx.sm != code->sm)
		       ? "PTX for another device" : NULL;
}

/* Returns NULL, or why the data cannot be read. */
static const char *read_any(struct ocl_code *code, const void *data, size_t size_B,
			    enum ocl_code_form form, unsigned sm)
{
	const unsigned char *parts[PART_COUNT];
	size_t sizes_B[PART_COUNT];
	if (form == OCL_CODE_GIVEN && fe_is_ptx(data, size_B))
		return fill_text(code, data, strnlen(data, size_B), sm);
	const char *reason = container_check(data, size_B, form, parts, sizes_B);
	return reason ? reason : fill(code, data, parts, sizes_B, sm);
}

cl_int ocl_code_read(const void *data, size_t size_B, enum ocl_code_form form, unsigned sm,
		     struct ocl_code **code_out)
{
	struct ocl_code *code = ocl_code_create();
	if (!code)
		return CL_OUT_OF_HOST_MEMORY;
	const char *reason = read_any(code, data, size_B, form, sm);
	bool no_memory = reason == fe_ptx_no_memory || bytes_failed(&code->object.bytes) ||
			 bytes_failed(&code->ptx.bytes) || bytes_failed(&code->cubin) ||
			 bytes_failed(&code->log);
	if (!reason && !no_memory) {
		*code_out = code;
		return CL_SUCCESS;
	}
	ocl_code_unref(code);
	if (no_memory)
		return CL_OUT_OF_HOST_MEMORY;
	log_warn("program binary: %s", reason);
	return CL_INVALID_BINARY;
}
