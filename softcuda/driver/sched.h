/* CULVERT_SOFT_SCHED: in which order operations run, and what else of the driver's
 * freedom is used against a program that relies on more than it was promised.
 *
 * Items, separated by commas:
 *   seed:N          operations one at a time, each chosen at random of all that may
 *   pct:N:D         the same, with random priorities of streams and D - 1 changes
 *   hold:NAME[:C]   operations of that name (C of them) only when no other can run
 *   keep:NAME       operations of that name do not run until they are let go
 *                   (control.h)
 *   late            a synchronous copy from pageable memory returns before it is done
 *   sync:all        allocations, frees and first launches wait for the context
 *   sync:none       frees wait for nothing
 *   peer:off        no device reaches another one's memory
 *   peer:corrupt    copies between devices with peer access spoil a byte
 *   clock:T         event times are virtual: each operation takes a microsecond, and T
 *                   (2: seconds; 30ms, 500us) more if it is work and not order alone
 *   stuck:MS        how long nothing may happen before waits give up
 *   idle:MS         how long nobody calls before operations run for nobody
 *
 * The first four make the schedule lazy: an operation runs when a host thread
 * waits or asks, or when nobody has called for a while.  With one seed and one
 * sequence of calls the operations run in one order.
 *
 * Functions named _locked want the driver's lock.  The options change only while
 * nothing is in a stream (control.h). */
#ifndef CULVERT_SOFTCUDA_SCHED_H
#define CULVERT_SOFTCUDA_SCHED_H

#include "base/lock.h"
#include "softcuda/driver/schedule.h"
#include "softcuda/exec/cuda.h"
#include "softcuda/exec/exec.h"

#include <stdbool.h>
#include <stdint.h>

enum soft_sync { SOFT_SYNC_FREE, SOFT_SYNC_ALL, SOFT_SYNC_NONE };
enum soft_peer { SOFT_PEER_ON, SOFT_PEER_OFF, SOFT_PEER_CORRUPT };

struct soft_sched_options {
	bool lazy;
	bool late;
	bool virtual_clock;
	enum soft_sync sync;
	enum soft_peer peer;
	uint64_t stuck_ns, idle_ns;
	uint64_t work_ns;                    /* by the virtual clock, per kernel, copy, ... */
};

extern struct soft_sched_options soft_sched;

/* Reads the option; false, with a report, when it cannot be understood. */
bool soft_sched_start(void);
/* The same with items, in the place of all that was read before. */
bool soft_sched_restart_locked(const char *items);
/* The items in force, for reports. */
const char *soft_sched_items(void);
/* Whether operation has to wait for soft_sched_let_go_locked. */
bool soft_sched_kept_locked(const struct soft_operation *operation);
void soft_sched_let_go_locked(void);
/* Which of count operations that may run runs next. */
unsigned soft_sched_choose_locked(struct soft_operation *const *operations, unsigned count);
/* Whether a question that was answered with "not yet" lets an operation run. */
bool soft_sched_coin_locked(void);
/* An operation has completed. */
void soft_sched_tick_locked(const struct soft_operation *operation);
/* What an event's time is now. */
uint64_t soft_sched_now_ns_locked(void);
/* The virtual clock after pass_ns more.  Needs no lock. */
uint64_t soft_sched_clock_ns(uint64_t pass_ns);

#endif
