/* The messages between the application's process and culvert-compile: jobs in one direction, their outcomes in the
 * other.  Both processes have the same build of Culvert: the format may change with every build.
 * base/message.h sends and receives them.
 *
 * Not thread-safe: a socket has one user at a time. */
#ifndef CULVERT_ICD_COMPILE_WIRE_H
#define CULVERT_ICD_COMPILE_WIRE_H

#include "icd/compile/job.h"

/* The first message that culvert-compile sends.  Its users include build_name.h. */
#define OCL_WIRE_HELLO "culvert-compile " CULVERT_BUILD

/* The first byte of the other messages that it sends. */
enum ocl_wire {
	OCL_WIRE_ASKS = 'A',         /* it asks how many threads it may use, and waits for the answer */
	OCL_WIRE_BEGUN = 'B',        /* it has received the whole job */
	OCL_WIRE_CRASHED = 'C',      /* the message is a struct ocl_wire_crash */
	OCL_WIRE_MADE = 'M',         /* ocl_wire_put_outcome's bytes follow */
	OCL_WIRE_SPOILT = 'S'        /* so do they, and the process must not optimize any more (be_nvvm_is_spoilt) */
};

/* The message of a crash, which is made in a signal handler and therefore has a fixed size. */
struct ocl_wire_crash {
	unsigned char first;         /* OCL_WIRE_CRASHED */
	unsigned char signal;        /* its number */
	char stage[102];             /* ocl_compile_stage */
	unsigned char module[8];     /* be_nvvm_module_now */
	unsigned char used_B[8];     /* memory_used_B */
};

/* Appends the job, and the folder to which its relative paths refer. */
void ocl_wire_put_job(const struct ocl_job *job, const char *folder, struct bytes *bytes);

/* A job that was received.  Its pointers refer to the message, and to memory that this struct owns. */
struct ocl_wire_job {
	struct ocl_job job;
	struct fe_options options;
	const char *folder;
	struct fe_header *headers;
	struct ocl_code **inputs;
	size_t input_count;
};

/* Reads a job.  False if the message is not one, or out of memory. */
bool ocl_wire_get_job(const struct bytes *message, struct ocl_wire_job *job_out);
void ocl_wire_job_finish(struct ocl_wire_job *job);

void ocl_wire_put_outcome(const struct ocl_outcome *outcome, struct bytes *bytes);
/* Reads the outcome at offset_B of the message; outcome: OCL_OUTCOME_INIT.  False if it is none, or out of memory. */
bool ocl_wire_get_outcome(const struct bytes *message, size_t offset_B, unsigned sm,
			   struct ocl_outcome *outcome);

/* culvert-compile asks how many threads it may use: returns the answer, or 1 if none comes. */
unsigned ocl_wire_ask_threads(int socket);
/* Answers that question.  Returns the errors of message_send. */
int ocl_wire_tell_threads(int socket, uint64_t deadline_ns, unsigned threads);

#endif
