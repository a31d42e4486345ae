/* A workload that uses most of OpenCL's commands and goes on whatever fails.
 *
 * Each call's code is noted: an error is no failure of the test, an error that the
 * specification does not allow for that call is.  One thread works; callbacks come
 * from others. */
#ifndef CULVERT_TESTS_STRESS_FAULTS_H
#define CULVERT_TESTS_STRESS_FAULTS_H

#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <stdatomic.h>
#include <stdbool.h>

enum { FAULTS_DEVICES = 2, FAULTS_EVENTS = 96 };

/* One time through the workload. */
struct faults_run {
	unsigned errors;                 /* that OpenCL reported, by code or by event */
	unsigned wrong;                  /* what must not be, whatever failed */
	bool no_platform;                /* there is nothing to work with */
	cl_device_id devices[FAULTS_DEVICES];
	bool served[FAULTS_DEVICES];     /* its job of faults_serve went well */
	cl_context context;
	cl_event events[FAULTS_EVENTS];  /* of what was enqueued; owned */
	unsigned event_count;
	unsigned registered;             /* callbacks */
	atomic_uint told;
};

void faults_work(struct faults_run *run);
/* The part of it with images; the program has a kernel for them. */
void faults_images(struct faults_run *run, cl_command_queue queue, cl_program program);
/* The part of it with command buffers, the barrier of a grid, and half of a device, on device 0. */
void faults_commands(struct faults_run *run, cl_command_queue queue);
/* The part of it with memory by file descriptor: CUDA's own, and that of another API. */
void faults_external(struct faults_run *run, cl_command_queue queue);
/* The part of it with memory of each type of cl_khr_unified_svm, on device 0. */
void faults_types(struct faults_run *run, cl_command_queue queue);
/* The part of it with a program of SPIR-V. */
void faults_il(struct faults_run *run, cl_command_queue queue);
/* A small job on each device in a context of its own: served tells who did it. */
void faults_serve(struct faults_run *run);
/* Has the driver free the blocks of memory that it keeps for later allocations, whose number is a matter of time.
 * False: a call fails, and some may be left. */
bool faults_exhaust(void);

/* Notes that something must not be. */
void faults_wrong(struct faults_run *run, const char *what, int line);
/* Notes the code of a call; returns it. */
cl_int faults_note(struct faults_run *run, const char *call, cl_int code, int line);

#define NOTE(call, code) faults_note(run, #call, (code), __LINE__)
#define TRY(call) faults_note(run, #call, (call), __LINE__)
#define WRONG_UNLESS(condition)                                 \
	do {                                                    \
		if (!(condition))                               \
			faults_wrong(run, #condition, __LINE__); \
	} while (0)

#endif
