#include "config.h"

#include "softcuda/exec/level.h"
#include "softcuda/exec/memory.h"

#include <pthread.h>

static const struct op_rows *const tables[] = {
	&exec_rows_control, &exec_rows_rounded, &exec_rows_half, &exec_rows_atomic, &exec_rows_narrow,
	&exec_rows_video, &exec_rows_copy, &exec_rows_mbarrier, &exec_rows_object, &exec_rows_texture,
	&exec_rows_surface, &exec_rows_matrix, &exec_rows_wgmma, &exec_rows_quad, &exec_rows_stack,
	&exec_rows_note
};

/* Filled once; a power of two well above the number of rows. */
enum { SLOTS = 8192 };
static const struct op_row *slots[SLOTS], *by_handler[SLOTS];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static uint32_t hash(const char *name)
{
	uint32_t h = 2166136261u;
	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * 16777619u;
	return (h ^ h >> 15) % SLOTS;
}

static uint32_t hash_handler(op_run *run)
{
	const uint64_t h = (uint64_t)(uintptr_t)run * 0x9e3779b97f4a7c15u;
	return (uint32_t)(h >> 40) % SLOTS;
}

static void add_handler(const struct op_row *row)
{
	uint32_t slot = hash_handler(row->run);
	while (by_handler[slot] && by_handler[slot]->run != row->run)
		slot = (slot + 1) % SLOTS;
	if (!by_handler[slot])
		by_handler[slot] = row;
}

static void add(const struct op_rows *table)
{
	for (size_t i = 0; i < table->count; i++) {
		const struct op_row *row = &table->rows[i];
		uint32_t slot = hash(row->name);
		while (slots[slot])
			slot = (slot + 1) % SLOTS;
		slots[slot] = row;
		add_handler(row);
	}
}

static void fill(void)
{
	for (size_t t = 0; t < sizeof(tables) / sizeof(tables[0]); t++)
		add(tables[t]);
	for (size_t t = 0; t < EXEC_HOT_TABLE_COUNT; t++)
		add(exec_level()->tables[t]);
}

const struct op_row *exec_table_find(const char *name)
{
	pthread_once(&once, fill);
	for (uint32_t slot = hash(name); slots[slot]; slot = (slot + 1) % SLOTS)
		if (!strcmp(slots[slot]->name, name))
			return slots[slot];
	return NULL;
}

const struct op_row *exec_table_row(op_run *run)
{
	pthread_once(&once, fill);
	for (uint32_t slot = hash_handler(run); by_handler[slot]; slot = (slot + 1) % SLOTS)
		if (by_handler[slot]->run == run)
			return by_handler[slot];
	return NULL;
}

static bool is_atomic(const struct op_row *row)
{
	return !strncmp(row->name, "_atom", 5);
}

static bool is_mbarrier(const struct op_row *row)
{
	return !strncmp(row->name, "_mbarrier", 9);
}

static bool is_load_or_store(const struct op_row *row)
{
	return !strncmp(row->name, "_ld", 3) || !strncmp(row->name, "_st.", 4);
}

bool exec_table_waits(const struct op *op)
{
	const struct op_row *row = exec_table_row(op->run);
	return row && (is_atomic(row) || is_mbarrier(row) || (op->mode != ORDER_WEAK && is_load_or_store(row)));
}

bool exec_table_orders(const struct op *op)
{
	const struct op_row *row = exec_table_row(op->run);
	const bool has_order = op->mode != ORDER_WEAK && op->mode != ORDER_RELAXED;
	return row && (is_mbarrier(row) ||
		       (!op->narrow && (!strcmp(row->name, "_fence") ||
					(has_order && (is_atomic(row) || is_load_or_store(row))))));
}

bool exec_table_meets(const struct op *op)
{
	static const char *const names[] = {
		"_bar", "_mbarrier", "_shfl", "_vote", "_match", "_redux", "_activemask", "_elect", "_matrix", "_wgmma"
	};
	const struct op_row *row = exec_table_row(op->run);
	for (size_t i = 0; row && i < sizeof(names) / sizeof(names[0]); i++)
		if (!strncmp(row->name, names[i], strlen(names[i])))
			return true;
	return false;
}
