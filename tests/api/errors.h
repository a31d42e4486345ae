/* Every documented error of every function.
 *
 * errors.def lists them: (function, code, number of the condition).  Cases say which row they
 * provoke; errors_reasons.def says of a row why no case can.  tests/api/errors fails for a case
 * that got another code, for one that is of no row, for a row with neither a case nor a reason,
 * and for a reason that a case has made wrong.
 *
 *	ERROR_CODE(clFlush, CL_INVALID_COMMAND_QUEUE, 1, clFlush(world.wrong_queue));
 *	ERROR_OBJECT(clCreateUserEvent, CL_INVALID_CONTEXT, 1,
 *		     clCreateUserEvent(world.wrong_context, &error_code));
 *
 * A handle of another type stands for one that is not valid: a loader looks into what it is
 * given, and answers for NULL itself. */
#ifndef CULVERT_TESTS_API_ERRORS_H
#define CULVERT_TESTS_API_ERRORS_H

#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <CL/cl_egl.h>
#include <CL/cl_gl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { WORLD_BUFFER_B = 4096, WORLD_IMAGE_WIDTH = 16, WORLD_IMAGE_HEIGHT = 8,
       WORLD_IMAGE_LEVELS = 3 };

/* What most cases need.  "Foreign" is of another context of the same device. */
struct world {
	cl_platform_id platform;
	cl_device_id device;
	cl_device_id other;              /* not in context; NULL if there is none */
	cl_context context, foreign_context;
	cl_command_queue queue, foreign_queue;
	cl_mem buffer, buffer2, foreign_buffer, sub_buffer;
	cl_mem image, image2, image3d, foreign_image;
	cl_mem mipmapped;                /* as image, with WORLD_IMAGE_LEVELS levels */
	cl_sampler sampler, foreign_sampler;
	cl_program program, foreign_program, unbuilt;
	cl_kernel kernel, foreign_kernel;/* of program: take a buffer and an int; both set */
	cl_event done, failed, foreign_event;
	cl_event user;                   /* not set before the end of all cases */
	/* Handles that are not what they are taken for. */
	cl_context wrong_context;
	cl_command_queue wrong_queue;
	cl_mem wrong_mem;
	cl_event wrong_event;
	cl_program wrong_program;
	cl_kernel wrong_kernel;
	cl_sampler wrong_sampler;
	cl_device_id wrong_device;
	cl_platform_id wrong_platform;
};

extern struct world world;
extern cl_int error_code;        /* for the calls of ERROR_OBJECT to write */
extern char error_bytes[WORLD_BUFFER_B]; /* somewhere to read from and write to */

/* One case: got is right if it is code.  Prints what is wrong. */
void error_case(const char *function, cl_int code, unsigned condition, cl_int got,
		const char *file, int line);
/* A row whose case needs what this machine has not, e.g. a second device. */
void error_absent(const char *function, cl_int code, unsigned condition);
/* Something that has to work so that cases mean what they say. */
void error_require(bool good, const char *text, const char *file, int line);
/* A function of an extension; has to be there. */
void *error_function(const char *name);

#define ERROR_CODE(function, code, condition, call)                                               \
	error_case(#function, code, condition, (call), __FILE__, __LINE__)
/* error_code is what the call wrote; an object in spite of an error is a failure too. */
#define ERROR_OBJECT(function, code, condition, call)                                             \
	do {                                                                                      \
		error_code = 12345;                                                               \
		const void *object_ = (const void *)(call);                                       \
		error_case(#function, code, condition, object_ ? 12346 : error_code, __FILE__,    \
			   __LINE__);                                                             \
	} while (0)
#define REQUIRE(condition) error_require((condition), #condition, __FILE__, __LINE__)

/* The cases, a file each. */
void errors_platform(void);
void errors_context(void);
void errors_queue(void);
void errors_event(void);
void errors_buffer(void);
void errors_rect(void);
void errors_image(void);
void errors_image_commands(void);
void errors_immutable(void);     /* cl_ext_immutable_memory_objects */
void errors_sampler(void);
void errors_program(void);
void errors_kernel(void);
void errors_launch(void);
void errors_svm(void);
void errors_usm(void);
void errors_command_buffer(void);
void errors_semaphore(void);
void errors_gl(void);            /* cl_khr_gl_sharing */
void errors_info(void);          /* every clGet*Info */
void errors_handles(void);       /* every clRetain* and clRelease* */
void errors_wait_lists(void);    /* what all clEnqueue* have in common */

#endif
