#include "config.h"

#include "backend/gpu_internal.h"

#include "base/clock.h"

#include <stdlib.h>

enum {
	SETTLE_NS = 50000,               /* a record on an idle stream needs far less */
	FIRST_TRIES = 8, TRIES = 4,      /* the shortest bracket of so many counts */
	EPOCHS_KEPT = 2048               /* an hour and more of use */
};
/* The sooner the less is known of the device's clock. */
static const uint64_t RENEW_FIRST_NS = 100000000u;
static const uint64_t RENEW_NS = 2000000000u;
static const uint64_t LONG_PAUSE_NS = 10000000000u;
/* The drift is that of the last so many ns. */
static const uint64_t DRIFT_NS = 10000000000u;
/* Crystals differ by some ten ppm; more than this is a wrong measurement. */
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

/* A stream of its own, of high priority, on which nothing else is ever queued. */
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

/* Records the epoch's event between two readings of the host's clock.  settled:
 * false when it did not happen within the time it should need, because streams
 * share channels and one is full; must_settle waits for it even then. */
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

/* What the host's clock goes on by while the device's does by device_ns. */
static double host_part_ns(const struct gpu_epoch *epoch, double device_ns)
{
	const double slewed_ns = device_ns < (double)RENEW_NS ? device_ns : (double)RENEW_NS;
	return device_ns * (1 + epoch->drift) + epoch->slew * slewed_ns;
}

/* Goes on where previous has led to, so that no duration is cut or stretched by
 * a step, and runs a little faster or slower to meet the host's clock.  After a long
 * pause the float is no better than the host's clock, which then counts: what happened
 * between is told from the nearer end (interpolate). */
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
	/* Without what is still to be made good of an earlier error. */
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

/* An epoch whose event lies in the shortest of some brackets, whose middle is *host_ns_out: where
 * in it the event was is not known, and what is wrong by that is taken for drift until the next
 * epoch.  On an H200 brackets are 7 to 20 us long.  NULL when the device is too busy to be asked
 * now, unless must_settle. */
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

/* *epoch_out stays NULL when the device is too busy to be asked now. */
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

/* The same, whatever context is current. */
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

/* Makes epoch the current one, unless another thread has renewed it meanwhile. */
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
	/* One thread of those that see it renews. */
	if (now_ns < due_ns ||
	    !atomic_compare_exchange_strong(&device->epoch_due_ns, &due_ns, now_ns + RENEW_NS))
		return CL_SUCCESS;
	struct gpu_epoch *current = current_ref(device), *made = NULL;
	/* When the device was too busy, once more after a while; the old one serves meanwhile. */
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

/* The epochs around a time of the device, with references; *after_out is NULL behind the last
 * one, and *before_out before all that are kept. */
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

/* How far cu_event is behind epoch; negative: before it. */
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

/* own is the epoch that distance_ns was measured from: a float, and so the less exact the
 * farther; it is measured anew from the nearer of the two around, unless that is own. */
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
	/* After a long pause the two are not as far apart as the first one had foreseen. */
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
	/* An event is recorded behind its epoch. */
	if (distance_ns < 0)
		distance_ns = 0;
	epochs_around(device, own->device_ns + (uint64_t)distance_ns, &before, &after);
	/* Where none that old is kept any more, its own is the nearest that is left. */
	error = before ? interpolate(device, own, before, after, cu_event, distance_ns, time_ns_out)
		       : interpolate(device, own, own, NULL, cu_event, distance_ns, time_ns_out);
	gpu_epoch_unref(device, before);
	gpu_epoch_unref(device, after);
	return error;
}
