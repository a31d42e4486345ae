/* CULVERT_SOFT_ORACLE: finds operations that touch the same bytes with nothing
 * that orders them, on whatever schedule they happened to run.
 *
 * Every stream counts its operations.  A clock says, per stream, up to which
 * operation things have happened before; an operation's clock is made of what the
 * host knew when it was submitted, of its stream's clock, and of the points that
 * it waits for.  The host has one clock, for what its threads tell each other is
 * not seen here: waits, questions answered with "done" and host functions raise
 * it.  Two operations of which neither is in the other's clock, of which one
 * writes, and that share a byte, are reported, once per pair.
 *
 * Copies, memsets, allocations and frees of streams declare their bytes; kernels
 * are traced.  All functions do nothing while the oracle is off; those named
 * _locked want the driver's lock. */
#ifndef CULVERT_SOFTCUDA_ORACLE_H
#define CULVERT_SOFTCUDA_ORACLE_H

#include "softcuda/driver/schedule.h"
#include "softcuda/driver/state.h"
#include "softcuda/exec/watch.h"
#include "softcuda/exec/cuda.h"
#include "softcuda/exec/exec.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct soft_allocation;
struct soft_operation;
struct soft_stream;
struct soft_trace;

/* Reads the option. */
void soft_oracle_start(void);
static inline bool soft_oracle_on(void)
{
	return atomic_load_explicit(&soft_driver.oracle_on, memory_order_relaxed);
}

/* Of an operation's own bytes, before it is submitted. */
void soft_oracle_declare_locked(struct soft_operation *operation,
				const struct soft_allocation *allocation, uint64_t start,
				uint64_t size_B, unsigned kinds);
/* Of what a kernel did, by the thread that runs it, which does not hold the lock. */
void soft_oracle_declare_trace(struct soft_operation *operation, const struct soft_trace *trace);

/* operation has its place in its stream; it starts; it is complete. */
void soft_oracle_submit_locked(struct soft_operation *operation);
void soft_oracle_begin_locked(struct soft_operation *operation);
void soft_oracle_complete_locked(struct soft_operation *operation);
/* operation goes, complete or never submitted. */
void soft_oracle_forget_locked(struct soft_operation *operation);
/* The last user of stream is gone. */
void soft_oracle_forget_stream_locked(struct soft_stream *stream);

/* A host thread has seen that stream is past sequence. */
void soft_oracle_learn_locked(const struct soft_stream *stream, uint64_t sequence);
/* A host thread frees allocation now. */
void soft_oracle_free_locked(const struct soft_allocation *allocation, const char *call);

/* A number that changes when anything but a host thread may have written to
 * allocation, and a report for the case that nothing else can have. */
uint64_t soft_oracle_writes_locked(const struct soft_allocation *allocation);
void soft_oracle_report_rewritten_locked(const struct soft_operation *operation,
					 const struct soft_allocation *allocation);
/* A wait for an event that has no record. */
void soft_oracle_report_unrecorded_locked(const struct soft_stream *stream);
/* How many reports there were since the start or the last restart, which lets as
 * many be written again. */
unsigned soft_oracle_reports_locked(void);
void soft_oracle_restart_locked(void);

#endif
