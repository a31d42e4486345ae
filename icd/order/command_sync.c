#include "config.h"

#include "icd/order/command_sync.h"

#include "base/log.h"
#include "icd/order/queue.h"

#include <inttypes.h>

static const char *name_of(cl_command_type type)
{
	static const struct {
		cl_command_type type;
		const char *name;
	} names[] = {
		{CL_COMMAND_NDRANGE_KERNEL, "NDRangeKernel"},
		{CL_COMMAND_TASK, "Task"},
		{CL_COMMAND_NATIVE_KERNEL, "NativeKernel"},
		{CL_COMMAND_READ_BUFFER, "ReadBuffer"},
		{CL_COMMAND_READ_BUFFER_RECT, "ReadBufferRect"},
		{CL_COMMAND_WRITE_BUFFER, "WriteBuffer"},
		{CL_COMMAND_WRITE_BUFFER_RECT, "WriteBufferRect"},
		{CL_COMMAND_COPY_BUFFER, "CopyBuffer"},
		{CL_COMMAND_COPY_BUFFER_RECT, "CopyBufferRect"},
		{CL_COMMAND_FILL_BUFFER, "FillBuffer"},
		{CL_COMMAND_READ_IMAGE, "ReadImage"},
		{CL_COMMAND_WRITE_IMAGE, "WriteImage"},
		{CL_COMMAND_COPY_IMAGE, "CopyImage"},
		{CL_COMMAND_COPY_IMAGE_TO_BUFFER, "CopyImageToBuffer"},
		{CL_COMMAND_COPY_BUFFER_TO_IMAGE, "CopyBufferToImage"},
		{CL_COMMAND_FILL_IMAGE, "FillImage"},
		{CL_COMMAND_MAP_BUFFER, "MapBuffer"},
		{CL_COMMAND_MAP_IMAGE, "MapImage"},
		{CL_COMMAND_UNMAP_MEM_OBJECT, "UnmapMemObject"},
		{CL_COMMAND_MIGRATE_MEM_OBJECTS, "MigrateMemObjects"},
		{CL_COMMAND_MARKER, "Marker"},
		{CL_COMMAND_BARRIER, "Barrier"},
		{CL_COMMAND_SVM_FREE, "SVMFree"},
		{CL_COMMAND_SVM_MEMCPY, "SVMMemcpy"},
		{CL_COMMAND_SVM_MEMFILL, "SVMMemFill"},
		{CL_COMMAND_SVM_MAP, "SVMMap"},
		{CL_COMMAND_SVM_UNMAP, "SVMUnmap"},
		{CL_COMMAND_SVM_MIGRATE_MEM, "SVMMigrateMem"},
	};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].type == type)
			return names[i].name;
	return "a command";
}

static void describe(struct bytes *text, const struct ocl_command *command, uint64_t number)
{
	bytes_printf(text, "command %" PRIu64 " of the process, %s", number, name_of(command->type));
	if (command->type == CL_COMMAND_NDRANGE_KERNEL || command->type == CL_COMMAND_TASK) {
		const struct ocl_launch *launch = &command->u.launch;
		bytes_printf(text, " of kernel '%s', global %" PRIu64 "x%" PRIu64 "x%" PRIu64
			     ", local %ux%ux%u, offset %" PRIu64 ",%" PRIu64 ",%" PRIu64,
			     launch->kernel->name, launch->global[0], launch->global[1],
			     launch->global[2], launch->local[0], launch->local[1],
			     launch->local[2], launch->offset[0], launch->offset[1],
			     launch->offset[2]);
	}
	for (uint32_t i = 0; i < command->access_count; i++) {
		const struct ocl_access *access = &command->accesses[i];
		bytes_printf(text, "%s bytes %" PRIu64 " to %" PRIu64 " of %p", i ? "," : "; uses",
			     access->lo_B, access->hi_B, (const void *)access->mem);
	}
}

void ocl_command_sync(const struct ocl_command *command, cl_int error, struct gpu_event *done)
{
	static _Atomic uint64_t commands;
	const uint64_t number = ++commands;
	struct bytes text = BYTES_INIT;
	lock_assert_none();
	if (log_enabled(LOG_LEVEL_TRACE)) {
		describe(&text, command, number);
		log_trace("sync: %s", bytes_string(&text));
		bytes_finish(&text);
	}
	if (done)
		error = gpu_event_wait(done);
	if (!error)
		return;
	describe(&text, command, number);
	log_err("sync: error %d: %s", error, bytes_string(&text));
	ocl_context_report(command->queue->context, "error %d: %s", error, bytes_string(&text));
	bytes_finish(&text);
}
