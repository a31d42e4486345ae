/* What the example programs share: a device, a built program, errors that say
 * where.  Plain OpenCL 1.2: nothing here knows which platform it runs on.
 *
 * The device: the first GPU of the platform named by APP_PLATFORM, or of the
 * first platform that has one.  Any failure prints a line and ends the program. */
#ifndef CULVERT_TESTS_APP_H
#define CULVERT_TESTS_APP_H

#include <CL/cl.h>

struct app {
	cl_platform_id platform;
	cl_device_id device;
	cl_context context;
	cl_command_queue queue;      /* in-order, with profiling */
	cl_program program;
	char platform_name[128];
	char device_name[128];
};

/* Makes all of struct app from the text of an OpenCL C program. */
void app_start(struct app *app, const char *source, const char *options);
void app_finish(struct app *app);

/* Ends the program with a line unless error is CL_SUCCESS. */
void app_check(cl_int error, const char *what);

cl_kernel app_kernel(const struct app *app, const char *name);
/* Device time of a finished command in seconds; releases the event. */
double app_seconds(cl_event event);

#endif
