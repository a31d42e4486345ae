#include "config.h"

#include "icd/graph/command_part.h"

#include <stdlib.h>

void ocl_command_parts_free(struct ocl_command_part *parts, uint32_t count)
{
	for (uint32_t i = 0; parts && i < count; i++) {
		ocl_command_graph_unref(parts[i].graph);
		free(parts[i].positions);
		free(parts[i].after);
	}
	free(parts);
}

/* Gives each command a level, in its field part: a command that follows one of its own queue has at least the level of
 * that one, and a command that follows one of another queue a higher level.  Returns the number of levels. */
static uint32_t levels_find(struct ocl_recorded *commands, uint32_t count)
{
	uint32_t levels = 0;
	for (uint32_t i = 0; i < count; i++) {
		struct ocl_recorded *recorded = &commands[i];
		recorded->part = 0;
		for (uint32_t k = 0; k < recorded->after_count; k++) {
			const struct ocl_recorded *earlier = &commands[recorded->after[k]];
			const uint32_t least = earlier->part + (earlier->queue != recorded->queue);
			recorded->part = recorded->part > least ? recorded->part : least;
		}
		levels = levels > recorded->part ? levels : recorded->part + 1;
	}
	return levels;
}

/* The commands of a level and queue are a part.  Numbers the parts level by level, and returns how many there are.
 * numbers: zeros, one for each queue in each level. */
static uint32_t parts_number(struct ocl_recorded *commands, uint32_t count, uint32_t queue_count, uint32_t *numbers,
			     size_t number_count)
{
	uint32_t parts = 0;
	for (uint32_t i = 0; i < count; i++)
		numbers[(size_t)commands[i].part * queue_count + commands[i].queue] = 1;
	for (size_t i = 0; i < number_count; i++)
		numbers[i] = numbers[i] ? parts++ : 0;
	for (uint32_t i = 0; i < count; i++)
		commands[i].part = numbers[(size_t)commands[i].part * queue_count + commands[i].queue];
	return parts;
}

static cl_int positions_fill(struct ocl_command_part *parts, uint32_t part_count, const struct ocl_recorded *commands,
			     uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		parts[commands[i].part].count++;
	for (uint32_t i = 0; i < part_count; i++) {
		parts[i].positions = malloc(parts[i].count * sizeof(*parts[i].positions));
		if (!parts[i].positions)
			return CL_OUT_OF_HOST_MEMORY;
		parts[i].count = 0;
	}
	for (uint32_t i = 0; i < count; i++) {
		struct ocl_command_part *part = &parts[commands[i].part];
		part->queue = commands[i].queue;
		part->positions[part->count++] = i;
	}
	return CL_SUCCESS;
}

/* named_by: for each part, 1 + the last part that has it in its after. */
static cl_int after_fill(struct ocl_command_part *parts, uint32_t index, const struct ocl_recorded *commands,
			 uint32_t *named_by)
{
	struct ocl_command_part *part = &parts[index];
	size_t most = 0;
	for (uint32_t i = 0; i < part->count; i++)
		most += commands[part->positions[i]].after_count;
	if (most > index)
		most = index;
	part->after = malloc((most + 1) * sizeof(*part->after));
	if (!part->after)
		return CL_OUT_OF_HOST_MEMORY;
	for (uint32_t i = 0; i < part->count; i++) {
		const struct ocl_recorded *recorded = &commands[part->positions[i]];
		for (uint32_t k = 0; k < recorded->after_count; k++) {
			const uint32_t earlier = commands[recorded->after[k]].part;
			if (earlier == index || named_by[earlier] == index + 1)
				continue;
			named_by[earlier] = index + 1;
			part->after[part->after_count++] = earlier;
			parts[earlier].followed = true;
		}
	}
	return CL_SUCCESS;
}

cl_int ocl_command_parts_make(struct ocl_recorded *commands, uint32_t count, uint32_t queue_count,
			      struct ocl_command_part **parts_out, uint32_t *count_out)
{
	const size_t number_count = (size_t)levels_find(commands, count) * queue_count;
	uint32_t *numbers = calloc(number_count + 1, sizeof(*numbers));
	struct ocl_command_part *parts = NULL;
	uint32_t part_count = 0;
	cl_int error = CL_OUT_OF_HOST_MEMORY;
	if (numbers) {
		part_count = parts_number(commands, count, queue_count, numbers, number_count);
		parts = calloc((size_t)part_count + 1, sizeof(*parts));
	}
	free(numbers);
	uint32_t *named_by = calloc((size_t)part_count + 1, sizeof(*named_by));
	if (parts && named_by)
		error = positions_fill(parts, part_count, commands, count);
	for (uint32_t i = 0; i < part_count && !error; i++)
		error = after_fill(parts, i, commands, named_by);
	free(named_by);
	if (error) {
		ocl_command_parts_free(parts, part_count);
		return error;
	}
	*parts_out = parts;
	*count_out = part_count;
	return CL_SUCCESS;
}
