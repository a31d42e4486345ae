/* What goes between the process that builds and the one that compiles, as bytes: jobs
 * one way, what was made of them the other.  Both are of one build of Culvert: the form
 * is not kept from build to build.
 *
 * Messages on a stream socket: u64 size and the content.  One owner at a time. */
#ifndef CULVERT_ICD_COMPILE_WIRE_H
#define CULVERT_ICD_COMPILE_WIRE_H

#include "icd/compile/job.h"

/* The first message of the compiler's process; for who includes build_name.h. */
#define OCL_WIRE_HELLO "culvert-compile " CULVERT_BUILD

/* The first byte of the others that it sends. */
enum ocl_wire {
	OCL_WIRE_ASKS = 'A',         /* how many threads it may be; the one thing that is answered */
	OCL_WIRE_BEGUN = 'B',        /* the job has arrived whole */
	OCL_WIRE_CRASHED = 'C',      /* it is a struct ocl_wire_crash */
	OCL_WIRE_MADE = 'M'          /* ocl_wire_put_outcome's bytes follow */
};

/* Made where little can be relied on: of a fixed size. */
struct ocl_wire_crash {
	unsigned char first, signal;
	char stage[102];             /* ocl_compile_stage's phrase */
	unsigned char module[8];     /* be_nvvm_module_now's bit */
	unsigned char used_B[8];     /* memory that it had */
};

/* Appends the job and the folder that its relative paths start from. */
void ocl_wire_put_job(const struct ocl_job *job, const char *folder, struct bytes *bytes);

/* A job that was read: it points into the message and to what is owned here. */
struct ocl_wire_job {
	struct ocl_job job;
	struct fe_options options;
	const char *folder;
	struct fe_header *headers;
	struct ocl_code **inputs;
	size_t input_count;
};

/* False when it is no job, or out of memory. */
bool ocl_wire_get_job(const struct bytes *message, struct ocl_wire_job *job_out);
void ocl_wire_job_finish(struct ocl_wire_job *job);

void ocl_wire_put_outcome(const struct ocl_outcome *outcome, struct bytes *bytes);
/* From offset_B of the message; outcome: OCL_OUTCOME_INIT.  False as above. */
bool ocl_wire_get_outcome(const struct bytes *message, size_t offset_B, unsigned sm,
			   struct ocl_outcome *outcome);

/* The question, with its answer, 1 where none comes; and what answers it, as ocl_wire_send. */
unsigned ocl_wire_ask_threads(int socket);
int ocl_wire_tell_threads(int socket, uint64_t deadline_ns, unsigned threads);

/* Both wait until deadline_ns of the monotonic clock at most, for bytes or for room for them; 0: as
 * long as it takes.  ETIMEDOUT, ENOMEM, EPIPE (the other end is gone; no SIGPIPE is raised) or 0. */
int ocl_wire_send(int socket, uint64_t deadline_ns, const struct bytes *message);
int ocl_wire_receive(int socket, uint64_t deadline_ns, struct bytes *message);
/* For the first byte, or for the other end to go: ETIMEDOUT or 0. */
int ocl_wire_wait(int socket, uint64_t deadline_ns);

#endif
