#include "config.h"

#include "tools/cache_entry.h"

#include "icd/compile/program_binary.h"

#include <string.h>

enum {
	PLAIN = 'P',
	CHOICES = 'C',
	MACHINE_CODE = 'S',
	/* Of a program binary. */
	VERSION_AT_B = 8,
	TYPE_AT_B = 12,
	SM_AT_B = 32,
	FACTS_SIZE_AT_B = 48,
	HEADER_B = 88,
	/* Its types, as cl_program_binary_type numbers them. */
	TYPE_OBJECT = 1,
	TYPE_LIBRARY = 2,
	TYPE_EXECUTABLE = 4
};

static uint64_t number_at(const char *at, unsigned width_B)
{
	uint64_t number = 0;
	for (unsigned i = 0; i < width_B; i++)
		number |= (uint64_t)(unsigned char)at[i] << (8 * i);
	return number;
}

/* binary: behind the byte that says that it is one. */
static struct cache_entry read_binary(const char *binary, size_t size_B)
{
	struct cache_entry entry = {.kind = "unknown"};
	if (size_B < HEADER_B || memcmp(binary, "CULVERT", 8) ||
	    number_at(binary + VERSION_AT_B, 4) != OCL_BINARY_VERSION)
		return entry;
	const uint64_t type = number_at(binary + TYPE_AT_B, 4);
	const uint64_t facts_B = number_at(binary + FACTS_SIZE_AT_B, 8);
	entry.sm = (unsigned)number_at(binary + SM_AT_B, 2);
	if (type == TYPE_OBJECT)
		entry.kind = "object";
	else if (type == TYPE_LIBRARY)
		entry.kind = "library";
	else if (type == TYPE_EXECUTABLE && facts_B <= size_B - HEADER_B)
		entry.abi = abi_program_read(binary + HEADER_B, (size_t)facts_B);
	if (entry.abi)
		entry.kind = "program";
	return entry;
}

/* Lists of what was asked, each behind its size. */
static struct cache_entry read_index(const char *at, size_t size_B)
{
	struct cache_entry entry = {.kind = "index"};
	while (size_B >= 4 && number_at(at, 4) <= size_B - 4) {
		const size_t whole_B = 4 + (size_t)number_at(at, 4);
		entry.builds++;
		at += whole_B;
		size_B -= whole_B;
	}
	return entry;
}

struct cache_entry cache_entry_of(const struct bytes *value)
{
	if (value->size_B && value->data[0] == PLAIN)
		return read_binary(value->data + 1, value->size_B - 1);
	if (value->size_B && value->data[0] == CHOICES)
		return read_index(value->data + 1, value->size_B - 1);
	if (value->size_B && value->data[0] == MACHINE_CODE && memchr(value->data, '\0', value->size_B))
		return (struct cache_entry){.kind = "machine code", .kernel = value->data + 1};
	return (struct cache_entry){.kind = "unknown"};
}

void cache_entry_finish(struct cache_entry *entry)
{
	abi_program_destroy(entry->abi);
	entry->abi = NULL;
}
