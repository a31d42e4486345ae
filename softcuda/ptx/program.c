#include "config.h"

#include "softcuda/ptx/program.h"
#include "softcuda/ptx/ptx.h"

#include "base/log.h"
#include "softcuda/exec/tier.h"

#include <stdlib.h>
#include <string.h>

/* PTX ISA 9.0, 7.1: arguments match the formal parameters in type and size.  Assemblers refuse others. */
static bool check_sizes(struct ptx_parser *parser, const struct code *code, const struct code *callee,
			const struct call_copy *copies, const struct soft_parameter *formals,
			uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (copies[i].declared && copies[i].size_B != formals[i].size_B)
			return ptx_fail(parser, code->ops[0].line, "a call of '%s' has %u bytes where "
					"it takes or returns %u", callee->name, copies[i].size_B,
					formals[i].size_B);
	return true;
}

/* An alias's calls go to the function it stands for; then what is called must
 * have a body, and where arguments go is known. */
static bool bind_calls(struct ptx_parser *parser, struct code *code)
{
	struct soft_program *program = parser->program;
	for (uint32_t i = 0; i < code->site_count; i++) {
		struct call_site *site = &code->sites[i];
		if (site->callee == OPERAND_NONE)
			continue;
		if (program->codes[site->callee].alias)
			site->callee = program->codes[site->callee].alias - 1;
		const struct code *callee = &program->codes[site->callee];
		if (!callee->defined)
			return ptx_fail(parser, code->ops[0].line, "unresolved function '%s'",
					callee->name);
		if (callee->parameter_count != site->argument_count ||
		    callee->result_count != site->result_count)
			return ptx_fail(parser, code->ops[0].line,
					"call of '%s' does not fit its parameters", callee->name);
		if (!check_sizes(parser, code, callee, site->arguments, callee->parameters,
				 site->argument_count) ||
		    !check_sizes(parser, code, callee, site->results, callee->results,
				 site->result_count))
			return false;
	}
	return true;
}

/* Marks what an entry may run: calls lead on, an indirect call to every function
 * whose address is known to anyone. */
static void reach(const struct soft_program *program, uint32_t index, bool *reached)
{
	const struct code *code = &program->codes[index];
	if (reached[index])
		return;
	reached[index] = true;
	for (uint32_t i = 0; i < code->site_count; i++)
		if (code->sites[i].callee != OPERAND_NONE)
			reach(program, code->sites[i].callee, reached);
	for (uint32_t i = 0; code->calls_indirectly && i < program->code_count; i++)
		if (program->codes[i].address_taken)
			reach(program, i, reached);
}

static uint64_t align_up(uint64_t value, uint32_t align)
{
	return (value + align - 1) & ~(uint64_t)(align - 1);
}

/* Each entry has its own layout of what it uses; external arrays all lie after. */
static bool lay_out_shared(struct ptx_parser *parser, uint32_t index)
{
	struct soft_program *program = parser->program;
	struct code *entry = &program->codes[index];
	bool *reached = calloc(program->code_count, sizeof(*reached));
	bool *used = calloc(program->shared_count + 1, sizeof(*used));
	uint64_t size_B = 0, end_B, gap_B = parser->gaps ? PTX_SHARED_GAP_B : 0;
	uint64_t plain_B = 0;
	entry->shared_offset_B = arena_take(parser->arena,
					    (program->shared_count + 1) * sizeof(uint64_t));
	if (!reached || !used || !entry->shared_offset_B) {
		free(reached);
		free(used);
		return ptx_fail_memory(parser);
	}
	for (uint32_t i = 0; i < program->shared_count; i++)
		entry->shared_offset_B[i] = SHARED_UNUSED;
	reach(program, index, reached);
	for (uint32_t c = 0; c < program->code_count; c++)
		for (uint32_t i = 0; reached[c] && i < program->codes[c].shared_count; i++)
			used[program->codes[c].shared[i]] = true;
	for (uint32_t i = 0; i < program->shared_count; i++) {
		if (!used[i] || program->shared[i].external)
			continue;
		size_B = align_up(size_B, program->shared[i].align_B);
		entry->shared_offset_B[i] = size_B;
		size_B += program->shared[i].size_B + gap_B;
		plain_B = align_up(plain_B, program->shared[i].align_B) +
			  program->shared[i].size_B;
	}
	end_B = size_B;
	for (uint32_t i = 0; i < program->shared_count; i++) {
		if (!used[i] || !program->shared[i].external)
			continue;
		entry->shared_offset_B[i] = align_up(size_B, program->shared[i].align_B);
		end_B = entry->shared_offset_B[i] > end_B ? entry->shared_offset_B[i] : end_B;
	}
	free(reached);
	free(used);
	/* What the entry is said to use has no gaps in it. */
	entry->shared_gap_B = (uint32_t)(end_B - plain_B);
	end_B = gap_B ? plain_B : end_B;
	if (!gap_B)
		entry->shared_gap_B = 0;
	if (end_B > SHARED_MAX_B)
		return ptx_fail(parser, entry->ops[0].line, "'%s' uses %llu bytes of shared memory",
				entry->name, (unsigned long long)end_B);
	entry->static_shared_B = (uint32_t)end_B;
	return true;
}

/* As many as a GPU's code for it might use.  Where the size of a block is bounded, a compiler for GPUs
 * spills what does not fit: a block of that size can always be launched. */
static uint32_t registers(const struct code *code)
{
	uint64_t threads = code->max_block_threads, most = 255;
	if (code->required_block[0])
		threads = (uint64_t)code->required_block[0] * code->required_block[1] *
			  code->required_block[2];
	if (code->bounded && threads && threads <= BLOCK_MAX_THREADS) {
		uint64_t share = BLOCK_REGISTERS / ((threads + 31) & ~(uint64_t)31) & ~(uint64_t)7;
		most = share < most ? share : most;
	}
	return code->register_peak < 16 ? 16 :
	       code->register_peak > most ? (uint32_t)most : code->register_peak;
}

static bool list_entries(struct ptx_parser *parser)
{
	struct soft_program *program = parser->program;
	size_t count = program->code_count ? program->code_count : 1;
	program->functions = arena_take(parser->arena, count * sizeof(*program->functions));
	program->entry_code = arena_take(parser->arena, count * sizeof(*program->entry_code));
	program->tiers = arena_take(parser->arena, count * sizeof(*program->tiers));
	if (!program->functions || !program->entry_code || !program->tiers)
		return ptx_fail_memory(parser);
	for (uint32_t i = 0; i < program->code_count; i++)
		if (!bind_calls(parser, &program->codes[i]))
			return false;
	if (parser->flat && !ptx_flatten(parser))
		return false;
	for (uint32_t i = 0; i < program->code_count; i++) {
		struct code *code = &program->codes[i];
		if (!code->entry || !code->defined)
			continue;
		if (!lay_out_shared(parser, i))
			return false;
		program->entry_code[program->function_count] = i;
		program->functions[program->function_count++] = (struct soft_function){
			.name = code->name, .parameters = code->parameters,
			.parameter_count = code->parameter_count,
			.parameter_size_B = code->parameter_size_B,
			.static_shared_B = code->static_shared_B,
			.local_B = code->local_B - code->local_gap_B,
			.register_count = registers(code),
			.required_block = {code->required_block[0], code->required_block[1],
					   code->required_block[2]},
			.max_block_threads = code->max_block_threads < BLOCK_MAX_THREADS ?
					     code->max_block_threads : BLOCK_MAX_THREADS,
			.program = program
		};
	}
	return true;
}

static bool finish(struct ptx_parser *parser)
{
	struct soft_program *program = parser->program;
	program->code_count = (uint32_t)(parser->codes.size_B / sizeof(struct code));
	program->variable_count =
		(uint32_t)(parser->variables.size_B / sizeof(struct soft_variable));
	program->shared_count =
		(uint32_t)(parser->shared.size_B / sizeof(struct shared_variable));
	program->relocation_count =
		(uint32_t)(parser->relocations.size_B / sizeof(struct relocation));
	program->launch_constant_count =
		(uint32_t)(parser->launch_constants.size_B / sizeof(struct launch_constant));
	program->launch_constant_B = parser->launch_constant_B;
	program->file_count = (uint32_t)(parser->files.size_B / sizeof(struct source_file));
	program->files = ptx_keep(parser, &parser->files);
	program->constant_B = (uint32_t)parser->constants.size_B;
	program->codes = ptx_keep(parser, &parser->codes);
	program->variables = ptx_keep(parser, &parser->variables);
	program->shared = ptx_keep(parser, &parser->shared);
	program->relocations = ptx_keep(parser, &parser->relocations);
	program->launch_constants = ptx_keep(parser, &parser->launch_constants);
	program->constants = ptx_keep(parser, &parser->constants);
	return parser->error == CUDA_SUCCESS && list_entries(parser);
}

static void parser_destroy(struct ptx_parser *parser)
{
	struct bytes *lists[] = {
		&parser->codes, &parser->variables, &parser->shared, &parser->relocations,
		&parser->launch_constants, &parser->constants, &parser->ops, &parser->widths,
		&parser->fixups, &parser->sites, &parser->tables, &parser->shared_used,
		&parser->unneeded,
		&parser->places, &parser->locals, &parser->files, &parser->formals
	};
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		bytes_finish(lists[i]);
	free(parser->constant_hash);
	free(parser);
}

CUresult ptx_parse(const char *ptx, size_t size_B, bool gaps, enum ptx_flat flat, unsigned newest, struct bytes *log,
		   struct soft_program **program_out)
{
	struct arena *arena = arena_create();
	struct ptx_parser *parser = calloc(1, sizeof(*parser));
	struct soft_program *program = arena ? arena_take(arena, sizeof(*program)) : NULL;
	char *text = arena ? arena_string(arena, ptx, size_B) : NULL;
	CUresult result = CUDA_ERROR_OUT_OF_MEMORY;
	if (!parser || !program || !text)
		goto fail;
	program->arena = arena;
	parser->arena = arena;
	parser->program = program;
	parser->log = log;
	parser->gaps = program->has_gaps = gaps;
	parser->flat = flat;
	parser->newest_version = newest;
	ptx_lex_init(&parser->lexer, text, size_B);
	if (!ptx_module(parser) || !finish(parser)) {
		result = parser->error == CUDA_SUCCESS ? CUDA_ERROR_INVALID_PTX : parser->error;
		log_info("softcuda: PTX refused: %s", log ? bytes_string(log) : "");
		goto fail;
	}
	parser_destroy(parser);
	*program_out = program;
	return CUDA_SUCCESS;
fail:
	if (parser)
		parser_destroy(parser);
	arena_destroy(arena);
	return result;
}
