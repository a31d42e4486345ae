/* From a parsed function to code that runs. */
#include "config.h"

#include "softcuda/ptx/program.h"

#include <string.h>

/* The content of a list as the program's own array; NULL when out of memory. */
void *ptx_keep(struct ptx_parser *parser, struct bytes *list)
{
	void *copy = arena_take(parser->arena, list->size_B ? list->size_B : 1);
	if (copy && list->size_B)
		memcpy(copy, list->data, list->size_B);
	if (!copy || bytes_failed(list)) {
		ptx_fail_memory(parser);
		copy = NULL;
	}
	list->size_B = 0;
	return copy;
}

bool ptx_code_finish(struct ptx_parser *parser)
{
	struct code *code = ptx_code(parser, parser->code);
	code->op_count = ptx_op_count(parser);
	code->site_count = (uint32_t)(parser->sites.size_B / sizeof(struct call_site));
	code->table_count = (uint32_t)(parser->tables.size_B / sizeof(struct branch_table));
	code->shared_count = (uint32_t)(parser->shared_used.size_B / sizeof(uint32_t));
	code->local_B = (uint32_t)parser->local_B;
	code->local_gap_B = parser->local_gap_B;
	code->local_align_B = parser->local_align_B;
	code->local_count = (uint32_t)(parser->locals.size_B / sizeof(struct local_variable));
	code->ops = ptx_keep(parser, &parser->ops);
	code->places = ptx_keep(parser, &parser->places);
	code->locals = ptx_keep(parser, &parser->locals);
	parser->place = (struct source_place){0};
	code->sites = ptx_keep(parser, &parser->sites);
	code->tables = ptx_keep(parser, &parser->tables);
	code->shared = ptx_keep(parser, &parser->shared_used);
	if (parser->error != CUDA_SUCCESS ||
	    !ptx_registers_drop_unneeded(parser, code->ops, code->op_count) ||
	    !ptx_layout(parser, code))
		return false;
	ptx_polls_mark(code);
	if (!ptx_registers_place(parser, code))
		return false;
	parser->widths.size_B = 0;
	parser->formals.size_B = 0;
	parser->fixups.size_B = 0;
	return true;
}
