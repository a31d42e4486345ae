# The entry points: the dispatch table and a function for each call.
icd_api_sources = \
	icd/api/api_command_buffer.c icd/api/api_context.c icd/api/api_cuda.c icd/api/api_device.c \
	icd/api/api_enqueue_buffer.c icd/api/api_enqueue_image.c icd/api/api_enqueue_image_copy.c \
	icd/api/api_enqueue_kernel.c icd/api/api_enqueue_map.c icd/api/api_enqueue_rect.c \
	icd/api/api_enqueue_sync.c icd/api/api_event.c icd/api/api_external.c icd/api/api_gl.c icd/api/api_image.c \
	icd/api/api_image_requirements.c icd/api/api_kernel.c icd/api/api_mem.c icd/api/api_mutable.c \
	icd/api/api_pipe.c icd/api/api_platform.c icd/api/api_program.c icd/api/api_queue.c \
	icd/api/api_record.c icd/api/api_record_image.c icd/api/api_sampler.c icd/api/api_semaphore.c \
	icd/api/api_svm.c icd/api/api_unified_svm.c icd/api/api_unsupported.c icd/api/api_usm.c icd/api/doors.c icd/api/doors.h \
	icd/api/enqueue.c icd/api/enqueue.h icd/api/entrypoints.def \
	icd/api/icd.c icd/api/icd.h icd/api/loader.c icd/api/loader.h icd/api/ranges.c icd/api/ranges.h \
	icd/api/record.h
EXTRA_DIST += icd/api/README.md
