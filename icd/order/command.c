#include "config.h"

#include "icd/order/command.h"

#include "base/clock.h"
#include "icd/order/queue.h"


void ocl_command_init(struct ocl_command *command, const struct ocl_command_kind *kind,
		      cl_command_queue queue, cl_command_type type, struct ocl_access *accesses)
{
	command->kind = kind;
	command->queue = queue;
	command->type = type;
	command->event = NULL;
	command->delay = OCL_DELAY_NONE;
	command->witness = false;
	command->joins = false;
	command->bars = false;
	command->accesses = accesses;
	command->access_count = 0;
	command->dependency_count = 0;
	command->dependencies = NULL;
}

void ocl_command_touch(struct ocl_command *command, cl_mem mem, uint64_t offset_B,
		       uint64_t size_B, enum ocl_access_mode mode)
{
	struct ocl_access *access = &command->accesses[command->access_count++];
	access->mem = mem;
	access->lo_B = mem->origin_B + offset_B;
	access->hi_B = access->lo_B + size_B;
	access->mode = mode;
}

static enum ocl_delay slow_access_delay(const struct ocl_command *command,
					const struct ocl_access *access)
{
	return ocl_storage_has(access->mem->storage, command->queue->device_index, access->lo_B,
			       access->hi_B, access->mode) ? OCL_DELAY_SHORT : OCL_DELAY_GPU;
}

enum ocl_delay ocl_command_delay_of_any(struct ocl_command *command)
{
	const struct ocl_access *access = command->accesses;
	enum ocl_delay most = command->kind->delay ? command->kind->delay(command)
						   : OCL_DELAY_NONE;
	for (uint32_t i = command->access_count; i && most != OCL_DELAY_GPU; i--, access++)
		if (ocl_storage_is_slow(access->mem->storage))
			most = slow_access_delay(command, access);
	command->delay = most;
	return most;
}

/* --- submission ----------------------------------------------------------------------- */

/* Makes stream wait for the wait list, the last event first: if several events are in one stream, the last is the
 * latest and implies the others. */
static cl_int dependencies_order(const struct ocl_command *command, struct gpu_stream *stream)
{
	for (uint32_t i = command->dependency_count; i-- > 0;) {
		cl_int error = ocl_event_order(command->dependencies[i], stream);
		if (error)
			return error;
	}
	return CL_SUCCESS;
}

static cl_int accesses_acquire(struct ocl_command *command, struct gpu_stream *stream,
			       uint32_t *acquired_out)
{
	for (uint32_t i = 0; i < command->access_count; i++) {
		struct ocl_access *access = &command->accesses[i];
		cl_int error = ocl_storage_acquire(access->mem->storage,
						   command->queue->device_index, stream,
						   access->lo_B, access->hi_B, access->mode,
						   &access->at);
		if (error)
			return error;
		++*acquired_out;
	}
	return CL_SUCCESS;
}

/* How much of a command is in its stream.  A launch may be several grids, of which a later one can fail. */
enum progress { NOTHING_RUNS, A_PART_RUNS, ALL_RUNS };

/* What a part has written is not known: memory that the command reads as well has its newest bytes on the device in any
 * case. */
static bool is_written(const struct ocl_access *access, enum progress progress)
{
	return progress == ALL_RUNS || (progress == A_PART_RUNS && access->mode == OCL_ACCESS_UPDATE);
}

static void accesses_commit(struct ocl_command *command, uint32_t acquired, enum progress progress,
			    struct gpu_event *done)
{
	const struct ocl_access *access = command->accesses;
	for (uint32_t i = acquired; i; i--, access++)
		ocl_storage_commit(access->mem->storage, &access->at, is_written(access, progress), done);
}

/* The timestamp at which a command starts: that of the previous command's end can be shared if the command never
 * waits after its submission (stamps.h). */
static cl_int start_stamp(const struct ocl_command *command, struct gpu_stream *stream,
			  struct ocl_submission *submission)
{
	if (command->queue->line.in_order && !command->kind->delay)
		submission->start = ocl_stamps_start(&command->queue->stamps, stream);
	submission->start_is_shared = submission->start;
	return submission->start ? CL_SUCCESS :
	       gpu_event_record_in(stream, true, &command->event->spare_start,
				   &submission->start);
}

/* The timestamp at which a command ends; its operation is in the stream. */
static cl_int done_stamp(const struct ocl_command *command, struct gpu_stream *stream,
			 struct ocl_submission *submission)
{
	struct ocl_stamps *stamps = &command->queue->stamps;
	if (submission->start_is_shared)
		submission->arrived_ns = ocl_stamps_arrived_ns(stamps, submission->start);
	cl_int error = gpu_event_record_in(stream, true, &command->event->spare_done,
					   &submission->done);
	if (!error && command->queue->line.in_order)
		ocl_stamps_add(stamps, submission->done);
	return error;
}

/* Records the event after the operation: that of the command's event, or the one for which the caller asked. */
static inline cl_int done_witness(const struct ocl_command *command, struct gpu_stream *stream,
				  struct ocl_submission *submission)
{
	if (!command->event)
		return gpu_event_record(stream, false, &submission->done);
	return gpu_event_record_in(stream, false, &command->event->spare_done, &submission->done);
}

cl_int ocl_command_submit_any(struct ocl_command *command, struct gpu_stream *stream,
			      struct ocl_submission *submission)
{
	const bool timed = command->event && command->event->profiling;
	uint32_t acquired = 0;
	submission->start = submission->done = NULL;
	submission->arrived_ns = 0;
	if (timed)
		command->event->submit_ns = host_now_ns();
	cl_int error = command->dependency_count ? dependencies_order(command, stream) : CL_SUCCESS;
	if (!error && command->access_count)
		error = accesses_acquire(command, stream, &acquired);
	if (!error && timed)
		error = start_stamp(command, stream, submission);
	submission->before_sequence = gpu_stream_last(stream);
	if (!error)
		error = ocl_command_run(command, stream);
	const enum progress progress = !error ? ALL_RUNS :
				       gpu_stream_last(stream) != submission->before_sequence ? A_PART_RUNS :
				       NOTHING_RUNS;
	if (!error && timed)
		error = done_stamp(command, stream, submission);
	else if (!error && (command->event || command->witness))
		error = done_witness(command, stream, submission);
	if (acquired)
		accesses_commit(command, acquired, progress, submission->done);
	if (error && timed)
		gpu_event_unref(submission->start);
	return error;
}

cl_int ocl_command_stream_wait(struct gpu_stream *stream)
{
	struct gpu_event *tail;
	if (gpu_stream_reached(stream, gpu_stream_last(stream)))
		return gpu_stream_status(stream);
	cl_int error = gpu_event_record(stream, false, &tail);
	if (error)
		return error;
	error = gpu_event_wait(tail);
	gpu_event_unref(tail);
	return error;
}

/* --- for later --------------------------------------------------------------------------- */

size_t ocl_command_duplicate_B(const struct ocl_command *command)
{
	return command->access_count * sizeof(struct ocl_access) +
	       command->dependency_count * sizeof(cl_event);
}

void ocl_command_duplicate(struct ocl_command *copy, const struct ocl_command *command, void *room)
{
	struct ocl_access *accesses = room;
	cl_event *events = (cl_event *)(accesses + command->access_count);
	*copy = *command;
	copy->accesses = accesses;
	copy->dependencies = events;
	object_ref(copy->queue);
	if (copy->event)
		object_ref(copy->event);
	for (uint32_t i = 0; i < copy->access_count; i++) {
		accesses[i] = command->accesses[i];
		object_ref(accesses[i].mem);
	}
	for (uint32_t i = 0; i < copy->dependency_count; i++) {
		events[i] = command->dependencies[i];
		object_ref(events[i]);
	}
	if (copy->kind->retain)
		copy->kind->retain(copy);
}

void ocl_command_duplicate_finish(struct ocl_command *copy)
{
	if (copy->kind->release)
		copy->kind->release(copy);
	for (uint32_t i = 0; i < copy->dependency_count; i++)
		object_unref(copy->dependencies[i]);
	for (uint32_t i = 0; i < copy->access_count; i++)
		object_unref(copy->accesses[i].mem);
	object_unref(copy->event);
	object_unref(copy->queue);
}
