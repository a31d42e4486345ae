#include "config.h"

#include "softcuda/exec/fault.h"

#include "softcuda/exec/watch.h"

#include <stdarg.h>

const struct source_file *exec_source_file(const struct soft_program *program, uint32_t number)
{
	static const struct source_file unknown = {.name = "?"};
	for (uint32_t i = 0; i < program->file_count; i++)
		if (program->files[i].number == number)
			return &program->files[i];
	return &unknown;
}

void exec_describe_line(const struct job *job, const struct code *code, const struct op *op,
			struct bytes *text)
{
	const char *function = code != job->code ? code->name : NULL;
	bytes_printf(text, "ptx line %u", op->line);
	if (op >= code->ops && op < code->ops + code->op_count) {
		const struct source_place *place = &code->places[op - code->ops];
		const struct source_file *file = exec_source_file(job->program, place->file);
		function = file->function ? file->function : function;
		if (place->line)
			bytes_printf(text, " (%s:%u", file->name, place->line);
		if (place->line && place->column)
			bytes_printf(text, ":%u", place->column);
		if (place->line)
			bytes_append_char(text, ')');
	}
	if (function)
		bytes_printf(text, " in '%s'", function);
}

void exec_describe_place(const struct warp *warp, const struct op *op, unsigned l,
			 struct bytes *text)
{
	const struct group *group = warp->group;
	const struct job *job = group->job;
	const struct code *code = warp->frame ? warp->frame->code : job->code;
	const struct op *present = warp->pc < code->op_count ? &code->ops[warp->pc] : op;
	/* An op that was generated for a part of an instruction stands for that, which has a place in the source. */
	const bool generated = (uintptr_t)op - (uintptr_t)code->ops >= code->op_count * sizeof(*op) &&
			       present->line == op->line;
	bytes_printf(text, "kernel '%s', ", job->code->name);
	exec_describe_line(job, code, generated ? present : op, text);
	bytes_printf(text, ", work-group (%u,%u,%u), work-item (%u,%u,%u)", group->ctaid[0],
		     group->ctaid[1], group->ctaid[2], warp->tid[0][l], warp->tid[1][l],
		     warp->tid[2][l]);
}

enum flow exec_fault(struct warp *warp, const struct op *op, uint32_t lanes, CUresult result,
		     const char *format, ...)
{
	struct job *job = warp->group->job;
	struct bytes text = BYTES_INIT;
	va_list arguments;
	exec_describe_place(warp, op, exec_lowest(lanes), &text);
	bytes_append_string(&text, ": ");
	va_start(arguments, format);
	bytes_vprintf(&text, format, arguments);
	va_end(arguments);
	bytes_append_char(&text, '\n');
	lock_take(&job->lock);
	bool first = job->result == CUDA_SUCCESS;
	if (first) {
		job->result = result;
		if (job->report)
			bytes_append(job->report, text.data, text.size_B);
	}
	lock_drop(&job->lock);
	if (first)
		WATCH(job, fault, job, &text);
	bytes_finish(&text);
	atomic_store(&job->stop, true);
	return FLOW_FAULT;
}

void exec_fail_memory(struct job *job, const char *what)
{
	lock_take(&job->lock);
	if (job->result == CUDA_SUCCESS) {
		job->result = CUDA_ERROR_OUT_OF_MEMORY;
		if (job->report)
			bytes_printf(job->report, "kernel '%s': no host memory for %s\n", job->code->name, what);
	}
	lock_drop(&job->lock);
	atomic_store(&job->stop, true);
}
