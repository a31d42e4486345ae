#include "config.h"

#include "softcuda/exec/program.h"

#include "softcuda/exec/arena.h"
#include "softcuda/exec/tier.h"

void soft_program_destroy(struct soft_program *program)
{
	if (!program)
		return;
	tier_finish(program);
	arena_destroy(program->arena);
}

unsigned soft_program_target(const struct soft_program *program)
{
	return program->target;
}

bool soft_program_target_only(const struct soft_program *program)
{
	return program->target_only;
}

const struct soft_function *soft_program_function(const struct soft_program *program,
						  const char *name)
{
	for (uint32_t i = 0; i < program->function_count; i++)
		if (!strcmp(program->functions[i].name, name))
			return &program->functions[i];
	return NULL;
}

const struct soft_function *soft_program_functions(const struct soft_program *program,
						   uint32_t *count_out)
{
	*count_out = program->function_count;
	return program->functions;
}

const struct soft_variable *soft_program_variables(const struct soft_program *program,
						   uint32_t *count_out)
{
	*count_out = program->variable_count;
	return program->variables;
}

void soft_program_relocate(const struct soft_program *program, const uint64_t *addresses)
{
	for (uint32_t i = 0; i < program->relocation_count; i++) {
		const struct relocation *relocation = &program->relocations[i];
		uint64_t value = relocation->function ? WINDOW_CODE | relocation->index :
				 addresses[relocation->index];
		if (relocation->function && program->codes[relocation->index].alias)
			value = WINDOW_CODE | (program->codes[relocation->index].alias - 1);
		value = (value + (uint64_t)relocation->addend) >> relocation->shift;
		memcpy((char *)(uintptr_t)addresses[relocation->variable] + relocation->offset_B,
		       &value, relocation->size_B);
	}
}
