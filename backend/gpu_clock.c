#include "config.h"

#include "backend/gpu_internal.h"

#include "base/clock.h"

#include <stdlib.h>

enum {
	SETTLE_NS = 50000,               /* an event on an idle stream happens much sooner */
	FIRST_TRIES = 8, TRIES = 4,      /* number of measurements, of which the most exact counts */
	EPOCHS_KEPT = 2048               /* enough for more than an hour of use */
};
/* The first renewal comes early, because little is known of the device's clock. */
static const uint64_t RENEW_FIRST_NS = 100000000u;
static const uint64_t RENEW_NS = 2000000000u;
static const uint64_t LONG_PAUSE_NS = 10000000000u;
/* The drift is averaged over this time. */
static const uint64_t DRIFT_NS = 10000000000u;
/* Clocks differ by some ten ppm; a larger drift is an error of measurement. */
static const double MAX_DRIFT = 2e-4;
static const double MAX_SLEW = 1e-3;

struct gpu_epoch {
	struct list link;                /* gpu_device.epochs, by device_ns */
	atomic_uint refs;
	CUevent cu_event;
	uint64_t device_ns;              /* its time on the device's clock, counted from the first epoch */
	uint64_t host_ns;                /* its time on the host's clock */
	double drift;                    /* host ns per device ns from this epoch on, minus 1 */
	double slew;                     /* added to drift for RENEW_NS, so that times do not jump at this epoch */
	struct gpu_epoch *next;          /* in the device's free_epochs, while it is not used */
};

static struct gpu_epoch *epoch_take_free(struct gpu_device *device)
{
	lock_take(&device->lock);
	struct gpu_epoch *epoch = device->free_epochs;
	if (epoch)
		device->free_epochs = epoch->next;
	lock_drop(&device->lock);
	return epoch;
}

static void epoch_put_free(struct gpu_device *device, struct gpu_epoch *epoch)
{
	lock_take(&device->lock);
	epoch->next = device->free_epochs;
	device->free_epochs = epoch;
	lock_drop(&device->lock);
}

void gpu_epoch_unref(struct gpu_device *device, struct gpu_epoch *epoch)
{
	if (epoch && atomic_fetch_sub(&epoch->refs, 1) == 1)
		epoch_put_free(device, epoch);
}

static cl_int epoch_create(struct gpu_device *device, struct gpu_epoch **epoch_out)
{
	struct gpu_epoch *epoch = epoch_take_free(device);
	if (!epoch) {
		epoch = calloc(1, sizeof(*epoch));
		if (!epoch)
			return CL_OUT_OF_HOST_MEMORY;
		cl_int error = gpu_check(device, cuda.cuEventCreate(&epoch->cu_event,
								    CU_EVENT_DEFAULT));
		if (error) {
			free(epoch);
			return error;
		}
	}
	list_init(&epoch->link);
	atomic_store(&epoch->refs, 1);
	*epoch_out = epoch;
	return CL_SUCCESS;
}

/* A stream with high priority that is used for nothing else. */
static cl_int clock_stream_get(struct gpu_device *device, struct gpu_stream **stream_out)
{
	struct gpu_stream *made = NULL;
	lock_take(&device->lock);
	struct gpu_stream *stream = device->clock_stream;
	lock_drop(&device->lock);
	if (stream) {
		*stream_out = stream;
		return CL_SUCCESS;
	}
	cl_int error = gpu_stream_create(device, NULL, -1, &made);
	if (error)
		return error;
	lock_take(&device->lock);
	if (!device->clock_stream) {
		device->clock_stream = made;
		made = NULL;
	}
	*stream_out = device->clock_stream;
	lock_drop(&device->lock);
	if (made)
		gpu_stream_release(made);
	return CL_SUCCESS;
}

/* Records the epoch's event between two readings of the host's clock. *settled_out: false if the event did not
 * happen within SETTLE_NS, because streams share hardware queues and one is full; with must_settle it is waited for
 * nevertheless. */
static cl_int epoch_stamp(struct gpu_device *device, struct gpu_stream *stream,
			  struct gpu_epoch *epoch, bool must_settle, uint64_t bracket_ns[2],
			  bool *settled_out)
{
	CUresult cu_result;
	bracket_ns[0] = host_now_ns();
	cl_int error = gpu_check(device, cuda.cuEventRecord(epoch->cu_event, stream->cu_stream));
	if (error)
		return error;
	do {
		cu_result = cuda.cuEventQuery(epoch->cu_event);
		bracket_ns[1] = host_now_ns();
	} while (cu_result == CUDA_ERROR_NOT_READY && bracket_ns[1] - bracket_ns[0] < SETTLE_NS);
	if (cu_result == CUDA_ERROR_NOT_READY && !must_settle) {
		*settled_out = false;
		return CL_SUCCESS;
	}
	if (cu_result == CUDA_ERROR_NOT_READY) {
		cu_result = cuda.cuStreamSynchronize(stream->cu_stream);
		bracket_ns[1] = host_now_ns();
	}
	*settled_out = true;
	return gpu_check_result(device, cu_result, "cuEventQuery", __FILE__, __LINE__);
}

static double clamp(double value, double low, double high)
{
	return value < low ? low : value > high ? high : value;
}

static void epoch_begin(struct gpu_epoch *epoch, uint64_t host_ns)
{
	epoch->device_ns = 0;
	epoch->host_ns = host_ns;
	epoch->drift = epoch->slew = 0;
}

/* The time on the host's clock that passes while the device's clock advances by device_ns. */
static double host_part_ns(const struct gpu_epoch *epoch, double device_ns)
{
	const double slewed_ns = device_ns < (double)RENEW_NS ? device_ns : (double)RENEW_NS;
	return device_ns * (1 + epoch->drift) + epoch->slew * slewed_ns;
}

/* Continues the conversion of previous without a step, so that no duration is wrong by one, but slightly faster or
 * slower, so that it approaches the host's clock.  After a long pause the elapsed time, a float, is less exact than
 * the host's clock, which is then used; events in between are converted from the nearer epoch (interpolate). */
static cl_int epoch_follow(struct gpu_device *device, struct gpu_epoch *epoch,
			   const struct gpu_epoch *previous, uint64_t host_ns)
{
	float ms = 0;
	cl_int error = gpu_check(device, cuda.cuEventElapsedTime(&ms, previous->cu_event,
								 epoch->cu_event));
	if (error)
		return error;
	const double passed_ns = ms > 0 ? (double)ms * 1e6 : 0;
	epoch->device_ns = previous->device_ns + (uint64_t)passed_ns;
	epoch->host_ns = previous->host_ns + (uint64_t)host_part_ns(previous, passed_ns);
	const double error_ns = (double)(int64_t)(host_ns - epoch->host_ns);
	/* The part of an earlier error that has not been corrected yet is not counted as drift. */
	const double left_ns = previous->slew * clamp((double)RENEW_NS - passed_ns, 0,
						      (double)RENEW_NS);
	const double known_ns = clamp((double)epoch->device_ns, 1, (double)DRIFT_NS);
	epoch->drift = clamp(previous->drift + (error_ns - left_ns) /
			     (passed_ns > known_ns ? passed_ns : known_ns), -MAX_DRIFT, MAX_DRIFT);
	epoch->slew = clamp(error_ns / (double)RENEW_NS, -MAX_SLEW, MAX_SLEW);
	if (passed_ns > (double)LONG_PAUSE_NS && host_ns > previous->host_ns) {
		epoch->host_ns = host_ns;
		epoch->slew = 0;
	}
	return CL_SUCCESS;
}

/* Makes an epoch by several measurements: its event happened between two readings of the host's clock, and the
 * measurement with the shortest interval counts. *host_ns_out: the middle of that interval; the error is taken for
 * drift until the next epoch.  On an H200 the intervals are 7 to 20 us long. *best_out: NULL if the device is too
 * busy now, unless must_settle is set. */
static cl_int epoch_measure(struct gpu_device *device, struct gpu_stream *stream, int tries,
			    bool must_settle, struct gpu_epoch **best_out, uint64_t *host_ns_out)
{
	uint64_t shortest_ns = UINT64_MAX;
	struct gpu_epoch *best = NULL;
	bool settled = true;
	cl_int error = CL_SUCCESS;
	for (int i = 0; i < tries && !error && settled; i++) {
		uint64_t bracket_ns[2] = {0, 0};
		struct gpu_epoch *epoch, *worse;
		error = epoch_create(device, &epoch);
		if (error)
			break;
		error = epoch_stamp(device, stream, epoch, must_settle && !best, bracket_ns,
				    &settled);
		const uint64_t length_ns = bracket_ns[1] - bracket_ns[0];
		const bool better = !error && settled && length_ns < shortest_ns;
		worse = better ? best : epoch;
		if (better) {
			best = epoch;
			shortest_ns = length_ns;
			*host_ns_out = bracket_ns[0] + length_ns / 2;
		}
		if (worse)
			epoch_put_free(device, worse);
	}
	if (error && best) {
		epoch_put_free(device, best);
		best = NULL;
	}
	*best_out = best;
	return error;
}

/* *epoch_out is not set if the device is too busy now. */
static cl_int epoch_make(struct gpu_device *device, const struct gpu_epoch *previous,
			 struct gpu_epoch **epoch_out)
{
	struct gpu_stream *stream;
	struct gpu_epoch *epoch = NULL;
	uint64_t host_ns = 0;
	cl_int error = clock_stream_get(device, &stream);
	if (!error)
		error = epoch_measure(device, stream, previous ? TRIES : FIRST_TRIES, !previous,
				      &epoch, &host_ns);
	if (error || !epoch)
		return error;
	if (previous)
		error = epoch_follow(device, epoch, previous, host_ns);
	else
		epoch_begin(epoch, host_ns);
	if (error)
		epoch_put_free(device, epoch);
	else
		*epoch_out = epoch;
	return error;
}

/* As epoch_make, with the device's context made current. */
static cl_int epoch_make_in_context(struct gpu_device *device, const struct gpu_epoch *previous,
				    struct gpu_epoch **epoch_out)
{
	struct gpu_scope scope;
	cl_int error = gpu_enter(device, &scope);
	if (error)
		return error;
	error = epoch_make(device, previous, epoch_out);
	gpu_leave(&scope);
	return error;
}

static struct gpu_epoch *current_ref(struct gpu_device *device)
{
	struct gpu_epoch *epoch = NULL;
	lock_take(&device->lock);
	if (!list_empty(&device->epochs)) {
		epoch = list_entry(device->epochs.previous, struct gpu_epoch, link);
		atomic_fetch_add(&epoch->refs, 1);
	}
	lock_drop(&device->lock);
	return epoch;
}

/* Makes epoch the latest one, unless another thread has added one since previous. */
static void publish(struct gpu_device *device, const struct gpu_epoch *previous,
		    struct gpu_epoch *epoch)
{
	struct gpu_epoch *dropped = epoch;
	lock_take(&device->lock);
	const struct list *last = list_empty(&device->epochs) ? NULL : device->epochs.previous;
	if (last == (previous ? &previous->link : NULL)) {
		list_append(&device->epochs, &epoch->link);
		dropped = NULL;
		if (++device->epoch_count > EPOCHS_KEPT) {
			dropped = list_entry(device->epochs.next, struct gpu_epoch, link);
			list_remove(&dropped->link);
			device->epoch_count--;
		}
	}
	lock_drop(&device->lock);
	gpu_epoch_unref(device, dropped);
}

cl_int gpu_epoch_renew(struct gpu_device *device)
{
	uint64_t due_ns = atomic_load_explicit(&device->epoch_due_ns, memory_order_relaxed);
	if (!due_ns)
		return CL_SUCCESS;
	const uint64_t now_ns = host_now_ns();
	/* One of the threads that find the epoch outdated renews it. */
	if (now_ns < due_ns ||
	    !atomic_compare_exchange_strong(&device->epoch_due_ns, &due_ns, now_ns + RENEW_NS))
		return CL_SUCCESS;
	struct gpu_epoch *current = current_ref(device), *made = NULL;
	/* If the device is too busy, the old epoch is used until the next attempt. */
	cl_int error = epoch_make_in_context(device, current, &made);
	if (!error && made && made->device_ns < RENEW_NS)
		atomic_store(&device->epoch_due_ns, now_ns + (made->device_ns > RENEW_FIRST_NS ?
							      made->device_ns : RENEW_FIRST_NS));
	if (!error && made)
		publish(device, current, made);
	gpu_epoch_unref(device, current);
	return error;
}

cl_int gpu_epoch_get(struct gpu_device *device, struct gpu_epoch **epoch_out)
{
	struct gpu_epoch *first = NULL;
	cl_int error = gpu_epoch_renew(device);
	if (error)
		return error;
	*epoch_out = current_ref(device);
	if (*epoch_out)
		return CL_SUCCESS;
	error = epoch_make_in_context(device, NULL, &first);
	if (error)
		return error;
	publish(device, NULL, first);
	atomic_store(&device->epoch_due_ns, host_now_ns() + RENEW_FIRST_NS);
	*epoch_out = current_ref(device);
	return CL_SUCCESS;
}

/* --- an event's time -------------------------------------------------------------------- */

/* Finds the epochs before and after a time on the device's clock, with references. *after_out: NULL after the last
 * epoch; *before_out: NULL before the oldest that is kept. */
static void epochs_around(struct gpu_device *device, uint64_t device_ns,
			  struct gpu_epoch **before_out, struct gpu_epoch **after_out)
{
	struct gpu_epoch *before = NULL, *after = NULL;
	lock_take(&device->lock);
	for (struct list *link = device->epochs.previous; link != &device->epochs && !before;
	     link = link->previous) {
		struct gpu_epoch *epoch = list_entry(link, struct gpu_epoch, link);
		*(epoch->device_ns <= device_ns ? &before : &after) = epoch;
	}
	if (before)
		atomic_fetch_add(&before->refs, 1);
	if (after)
		atomic_fetch_add(&after->refs, 1);
	lock_drop(&device->lock);
	*before_out = before;
	*after_out = after;
}

/* The time from epoch to cu_event; negative: the event was earlier. */
static cl_int epoch_distance_ns(struct gpu_device *device, const struct gpu_epoch *epoch,
				CUevent cu_event, double *distance_ns_out)
{
	float ms = 0;
	CUresult cu_result = cuda.cuEventElapsedTime(&ms, epoch->cu_event, cu_event);
	if (cu_result == CUDA_ERROR_NOT_READY)
		return CL_PROFILING_INFO_NOT_AVAILABLE;
	*distance_ns_out = (double)ms * 1e6;
	return gpu_check_result(device, cu_result, "cuEventElapsedTime", __FILE__, __LINE__);
}

/* Converts the time of an event to the host's clock. distance_ns was measured from the epoch own, as a float, which
 * is less exact the longer it is; therefore it is measured again from the nearer of the two epochs around the event,
 * unless that is own. */
static cl_int interpolate(struct gpu_device *device, const struct gpu_epoch *own,
			  const struct gpu_epoch *before, const struct gpu_epoch *after,
			  CUevent cu_event, double distance_ns, uint64_t *time_ns_out)
{
	const double device_ns = (double)own->device_ns + distance_ns;
	const double whole_ns = after ? (double)(after->device_ns - before->device_ns) : 0;
	const struct gpu_epoch *near = before;
	if (after && (double)after->device_ns - device_ns < device_ns - (double)before->device_ns)
		near = after;
	cl_int error = near == own ? CL_SUCCESS :
		     epoch_distance_ns(device, near, cu_event, &distance_ns);
	if (error)
		return error;
	double host_ns = host_part_ns(before, near == after ? whole_ns + distance_ns : distance_ns);
	/* After a long pause the distance between the epochs on the host's clock is not the one that the first epoch
	 * predicts. */
	if (whole_ns > (double)LONG_PAUSE_NS)
		host_ns *= (double)(after->host_ns - before->host_ns) /
			   host_part_ns(before, whole_ns);
	*time_ns_out = before->host_ns + (uint64_t)(int64_t)(host_ns + 0.5);
	return CL_SUCCESS;
}

cl_int gpu_epoch_time_ns(struct gpu_device *device, const struct gpu_epoch *own,
			 CUevent cu_event, uint64_t *time_ns_out)
{
	struct gpu_epoch *before, *after;
	double distance_ns = 0;
	cl_int error = epoch_distance_ns(device, own, cu_event, &distance_ns);
	if (error)
		return error;
	/* An event is recorded after its epoch, so a negative time is an error of measurement. */
	if (distance_ns < 0)
		distance_ns = 0;
	epochs_around(device, own->device_ns + (uint64_t)distance_ns, &before, &after);
	/* If no epoch that old is kept any more, the event's own is used. */
	error = before ? interpolate(device, own, before, after, cu_event, distance_ns, time_ns_out)
		       : interpolate(device, own, own, NULL, cu_event, distance_ns, time_ns_out);
	gpu_epoch_unref(device, before);
	gpu_epoch_unref(device, after);
	return error;
}
