#include "config.h"

#include "frontend/frontend.h"

void fe_program_finish(struct fe_program *program)
{
	bytes_finish(&program->nvvm_ir);
	abi_program_destroy(program->abi);
	*program = (struct fe_program){0};
}
