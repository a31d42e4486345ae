#include "config.h"

#include "softcuda/exec/compile_wire.h"

#include "build_name.h"
#include "softcuda/exec/level.h"
#include "softcuda/exec/table.h"

#include <stddef.h>
#include <stdlib.h>

/* Of each message, after the name of the build. */
enum { COMPILED = 'C', REFUSED = 'R' };

/* The numbers of an order.  The arrays follow: ops, whose handlers are 0, the names of their rows, register widths and
 * constants. */
struct order_head {
	uint32_t rows, level, watched, op_count, register_B, parameter_size_B, local_B, constant_B;
};

struct answer_head {
	uint32_t width, entry_count, slot_count, link_count;
	bool may_wait, plain;
	uint64_t written, image_B;
};

struct answer_entry {
	uint64_t offset_B;               /* in the image */
	uint32_t barrier, linear_count;
	bool plain;
};

/* --- reading ---------- */

struct reader {
	const char *at, *end;
	bool failed;
};

/* The next size_B bytes; NULL if there are fewer. */
static const char *take(struct reader *reader, uint64_t size_B)
{
	const char *bytes = reader->at;
	reader->failed |= size_B > (uint64_t)(reader->end - reader->at);
	if (reader->failed)
		return NULL;
	reader->at += size_B;
	return bytes;
}

static void take_into(struct reader *reader, void *to, size_t size_B)
{
	const char *bytes = take(reader, size_B);
	if (bytes)
		memcpy(to, bytes, size_B);
}

static const char *take_string(struct reader *reader)
{
	const char *end = memchr(reader->at, '\0', (size_t)(reader->end - reader->at));
	return end ? take(reader, (uint64_t)(end + 1 - reader->at)) : take(reader, UINT64_MAX);
}

/* The next count elements in memory of their own, which the caller frees; NULL if there are fewer, or no memory. */
static void *take_array(struct reader *reader, uint64_t count, size_t size_B)
{
	const char *bytes = take(reader, count * size_B);
	void *array = bytes ? calloc(count + 1, size_B) : NULL;
	if (array)
		memcpy(array, bytes, count * size_B);
	reader->failed |= !array;
	return array;
}

/* Begins to read a message.  False if it is not of this build. */
static bool begin(struct reader *reader, const struct bytes *message, struct bytes *why)
{
	*reader = (struct reader){message->data, message->data + message->size_B, !message->size_B};
	const char *build = reader->failed ? NULL : take_string(reader);
	if (build && !strcmp(build, CULVERT_BUILD))
		return true;
	bytes_printf(why, "the compiler is of another build than " CULVERT_BUILD);
	return false;
}

static void put_build(struct bytes *message)
{
	bytes_append(message, CULVERT_BUILD, sizeof(CULVERT_BUILD));
}

/* --- orders ---------- */

/* An op as an order has it, with every byte defined: the order is a key of the cache. */
static struct op order_op(const struct op *from)
{
	struct op op;
	memcpy(&op, from, sizeof(op));
	op.run = NULL;
	const size_t end_B = offsetof(struct op, narrow) + sizeof(op.narrow);
	memset((char *)&op + end_B, 0, offsetof(struct op, imm) - end_B);
	return op;
}

void compile_order_put(const struct soft_program *program, const struct code *code, uint32_t rows,
		       bool watched, struct bytes *message)
{
	struct order_head head;
	memset(&head, 0, sizeof(head));
	head.rows = rows;
	head.level = exec_level_number() + 1 < exec_level_count() ? exec_level_number() + 1 : 0;
	head.watched = watched;
	head.op_count = code->op_count;
	head.register_B = code->register_B;
	head.parameter_size_B = code->parameter_size_B;
	head.local_B = code->local_B;
	head.constant_B = program->constant_B;
	put_build(message);
	bytes_append(message, &head, sizeof(head));
	for (uint32_t i = 0; i < code->op_count; i++) {
		const struct op op = order_op(&code->ops[i]);
		bytes_append(message, &op, sizeof(op));
	}
	for (uint32_t i = 0; i < code->op_count; i++) {
		const struct op_row *row = exec_table_row(code->ops[i].run);
		const char *name = row ? row->name : "";
		bytes_append(message, name, strlen(name) + 1);
	}
	bytes_append(message, code->register_widths, code->register_B / 4 + 1u);
	bytes_append(message, program->constants, program->constant_B);
}

static void find_handlers(struct reader *reader, struct code *code)
{
	for (uint32_t i = 0; i < code->op_count && !reader->failed; i++) {
		const char *name = take_string(reader);
		const struct op_row *row = name ? exec_table_find(name) : NULL;
		code->ops[i].run = row ? row->run : NULL;
		reader->failed |= name && *name && !row;
	}
}

bool compile_order_get(const struct bytes *message, struct compile_order *order, struct bytes *why)
{
	struct reader reader;
	struct order_head head;
	memset(order, 0, sizeof(*order));
	memset(&head, 0, sizeof(head));
	if (!begin(&reader, message, why))
		return false;
	take_into(&reader, &head, sizeof(head));
	order->rows = head.rows;
	order->level = head.level;
	order->watched = head.watched;
	order->code.op_count = head.op_count;
	order->code.register_B = head.register_B;
	order->code.parameter_size_B = head.parameter_size_B;
	order->code.local_B = head.local_B;
	order->code.ops = take_array(&reader, head.op_count, sizeof(*order->code.ops));
	find_handlers(&reader, &order->code);
	order->code.register_widths = take_array(&reader, head.register_B / 4 + 1u, 1);
	order->program.constants = take_array(&reader, head.constant_B, 1);
	order->program.constant_B = head.constant_B;
	if (reader.failed)
		bytes_append_string(why, "the order is damaged, or there is no memory for it");
	return !reader.failed;
}

void compile_order_finish(struct compile_order *order)
{
	free(order->code.ops);
	free(order->code.register_widths);
	free(order->program.constants);
}

/* --- answers ---------- */

void compile_refusal_put(const char *why, struct bytes *message)
{
	put_build(message);
	bytes_append_char(message, REFUSED);
	bytes_append(message, why, strlen(why) + 1);
}

void compile_answer_put(const struct compiled *compiled, const struct bytes *image, struct bytes *message)
{
	struct answer_head head;
	memset(&head, 0, sizeof(head));
	head.width = compiled->width;
	head.may_wait = compiled->may_wait;
	head.plain = compiled->plain;
	head.written = compiled->written;
	head.entry_count = compiled->entry_count;
	head.slot_count = compiled->slot_count;
	head.link_count = compiled->link_count;
	head.image_B = image->size_B;
	put_build(message);
	bytes_append_char(message, COMPILED);
	bytes_append(message, &head, sizeof(head));
	for (uint32_t e = 0; e < compiled->entry_count; e++) {
		const struct compiled_entry *from = &compiled->entries[e];
		struct answer_entry entry;
		memset(&entry, 0, sizeof(entry));
		entry.offset_B = (uint64_t)(uintptr_t)from->run;
		entry.barrier = from->barrier;
		entry.linear_count = from->linear_count;
		entry.plain = from->plain;
		bytes_append(message, &entry, sizeof(entry));
		bytes_append(message, from->linear, from->linear_count * sizeof(*from->linear));
	}
	bytes_append(message, compiled->slot_parameter, compiled->slot_count * sizeof(*compiled->slot_parameter));
	bytes_append(message, compiled->links, compiled->link_count * sizeof(*compiled->links));
	bytes_append(message, image->data, image->size_B);
	message->failed |= bytes_failed(image);
}

void compile_answer_free(struct compiled *compiled)
{
	for (uint32_t e = 0; compiled && compiled->entries && e < compiled->entry_count; e++)
		free(compiled->entries[e].linear);
	if (compiled) {
		free(compiled->entries);
		free(compiled->slot_parameter);
		free(compiled->links);
	}
	free(compiled);
}

static void take_entry(struct reader *reader, uint64_t image_B, struct compiled_entry *to)
{
	struct answer_entry entry;
	memset(&entry, 0, sizeof(entry));
	take_into(reader, &entry, sizeof(entry));
	reader->failed |= entry.offset_B >= image_B;
	to->run = (compiled_run *)(uintptr_t)entry.offset_B;
	to->barrier = entry.barrier;
	to->plain = entry.plain;
	to->linear = take_array(reader, entry.linear_count, sizeof(*to->linear));
	to->linear_count = to->linear ? entry.linear_count : 0;
}

static void take_compiled(struct reader *reader, struct compiled *compiled, const char **image_out,
			  size_t *image_B_out)
{
	struct answer_head head;
	memset(&head, 0, sizeof(head));
	take_into(reader, &head, sizeof(head));
	reader->failed |= head.entry_count > (uint64_t)(reader->end - reader->at) / sizeof(struct answer_entry);
	compiled->width = head.width;
	compiled->may_wait = head.may_wait;
	compiled->plain = head.plain;
	compiled->written = head.written;
	compiled->entries = reader->failed ? NULL : calloc(head.entry_count + 1u, sizeof(*compiled->entries));
	reader->failed |= !compiled->entries || !head.entry_count || !head.width || head.width > LANES ||
			  head.width & (head.width - 1);
	while (!reader->failed && compiled->entry_count < head.entry_count)
		take_entry(reader, head.image_B, &compiled->entries[compiled->entry_count++]);
	compiled->slot_parameter = take_array(reader, head.slot_count, sizeof(*compiled->slot_parameter));
	compiled->slot_count = head.slot_count;
	compiled->links = take_array(reader, head.link_count, sizeof(*compiled->links));
	compiled->link_count = compiled->links ? head.link_count : 0;
	for (uint32_t i = 0; i < compiled->link_count; i++)
		reader->failed |= compiled->links[i].function >= COMPILED_FUNCTION_COUNT ||
				  head.image_B < sizeof(void *) ||
				  compiled->links[i].offset_B > head.image_B - sizeof(void *);
	*image_out = take(reader, head.image_B);
	*image_B_out = head.image_B;
}

struct compiled *compile_answer_get(const struct bytes *message, const char **image_out, size_t *image_B_out,
				    bool *sound_out, struct bytes *why)
{
	struct reader reader;
	char kind = 0;
	*sound_out = false;
	if (!begin(&reader, message, why))
		return NULL;
	take_into(&reader, &kind, 1);
	if (kind == REFUSED) {
		const char *text = take_string(&reader);
		bytes_append_string(why, text ? text : "the compiler's answer is damaged");
		*sound_out = text != NULL;
		return NULL;
	}
	struct compiled *compiled = calloc(1, sizeof(*compiled));
	reader.failed |= kind != COMPILED || !compiled;
	if (!reader.failed)
		take_compiled(&reader, compiled, image_out, image_B_out);
	*sound_out = !reader.failed;
	if (!reader.failed)
		return compiled;
	bytes_append_string(why, "the compiler's answer is damaged, or there is no memory for it");
	compile_answer_free(compiled);
	return NULL;
}
