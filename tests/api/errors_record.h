/* Recording into command buffers, for the cases of errors: the calls as functions of what they
 * have in common and of what a case changes. */
#ifndef CULVERT_TESTS_API_ERRORS_RECORD_H
#define CULVERT_TESTS_API_ERRORS_RECORD_H

#include "tests/api/errors.h"

/* Headers that know an older version of the extension lack some. */
#ifndef CL_INVALID_COMMAND_BUFFER_KHR
#define CL_INVALID_COMMAND_BUFFER_KHR -1138
#define CL_INVALID_SYNC_POINT_WAIT_LIST_KHR -1139
#define CL_INCOMPATIBLE_COMMAND_QUEUE_KHR -1140
#endif
#ifndef CL_INVALID_MUTABLE_COMMAND_KHR
#define CL_INVALID_MUTABLE_COMMAND_KHR -1141
#endif
#ifndef CL_INVALID_SEMAPHORE_KHR
#define CL_INVALID_SEMAPHORE_KHR -1142
#endif

/* The first and the last arguments of each clCommand*. */
struct record {
	cl_command_buffer_khr buffer;
	cl_command_queue queue;
	const cl_properties *properties;
	cl_uint count;
	const cl_sync_point_khr *points;
	cl_mutable_command_khr *handle;
};

#define RECORD_FIRST cl_command_buffer_khr, cl_command_queue, const cl_properties *
#define RECORD_LAST cl_uint, const cl_sync_point_khr *, cl_sync_point_khr *, cl_mutable_command_khr *
#define FIRST(record) (record)->buffer, (record)->queue, (record)->properties
#define LAST(record) (record)->count, (record)->points, NULL, (record)->handle

struct recorder {
	cl_command_buffer_khr(CL_API_CALL *create)(cl_uint, const cl_command_queue *,
						   const cl_properties *, cl_int *);
	cl_int(CL_API_CALL *retain)(cl_command_buffer_khr);
	cl_int(CL_API_CALL *release)(cl_command_buffer_khr);
	cl_int(CL_API_CALL *finalize)(cl_command_buffer_khr);
	cl_int(CL_API_CALL *enqueue)(cl_uint, cl_command_queue *, cl_command_buffer_khr, cl_uint,
				     const cl_event *, cl_event *);
	cl_int(CL_API_CALL *info)(cl_command_buffer_khr, cl_uint, size_t, void *, size_t *);
	cl_int(CL_API_CALL *update)(cl_command_buffer_khr, cl_uint, const cl_uint *,
				    const void **);
	cl_int(CL_API_CALL *command_info)(cl_mutable_command_khr, cl_uint, size_t, void *,
					  size_t *);
	cl_int(CL_API_CALL *barrier)(RECORD_FIRST, RECORD_LAST);
	cl_int(CL_API_CALL *copy)(RECORD_FIRST, cl_mem, cl_mem, size_t, size_t, size_t,
				  RECORD_LAST);
	cl_int(CL_API_CALL *copy_rect)(RECORD_FIRST, cl_mem, cl_mem, const size_t *,
				       const size_t *, const size_t *, size_t, size_t, size_t,
				       size_t, RECORD_LAST);
	cl_int(CL_API_CALL *fill)(RECORD_FIRST, cl_mem, const void *, size_t, size_t, size_t,
				  RECORD_LAST);
	cl_int(CL_API_CALL *launch)(RECORD_FIRST, cl_kernel, cl_uint, const size_t *,
				    const size_t *, const size_t *, RECORD_LAST);
	cl_int(CL_API_CALL *copy_image)(RECORD_FIRST, cl_mem, cl_mem, const size_t *,
					const size_t *, const size_t *, RECORD_LAST);
	cl_int(CL_API_CALL *fill_image)(RECORD_FIRST, cl_mem, const void *, const size_t *,
					const size_t *, RECORD_LAST);
	cl_int(CL_API_CALL *image_to_buffer)(RECORD_FIRST, cl_mem, cl_mem, const size_t *,
					     const size_t *, size_t, RECORD_LAST);
	cl_int(CL_API_CALL *buffer_to_image)(RECORD_FIRST, cl_mem, cl_mem, size_t, const size_t *,
					     const size_t *, RECORD_LAST);
	cl_int(CL_API_CALL *svm_copy)(RECORD_FIRST, void *, const void *, size_t, RECORD_LAST);
	cl_int(CL_API_CALL *svm_fill)(RECORD_FIRST, void *, const void *, size_t, size_t,
				      RECORD_LAST);
	cl_command_buffer_khr(CL_API_CALL *remap)(cl_command_buffer_khr, cl_bool, cl_uint, const cl_command_queue *,
						  cl_uint, const cl_mutable_command_khr *, cl_mutable_command_khr *,
						  cl_int *);
};

extern struct recorder recorder;
extern struct record right;      /* into a buffer that records, with nothing wrong */

/* What recording has of clEnqueue*: by files as those. */
void record_buffers(void);
void record_images(void);
void record_immutable(void);
void record_launches(void);
void record_svm(void);

#endif
