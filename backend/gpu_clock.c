#include "config.h"

#include "backend/gpu_internal.h"

#include <stdlib.h>

enum {
	SETTLE_NS = 50000,               /* a record on an idle stream needs far less */
	GOOD_BRACKET_NS = 20000,
	BRACKET_TRIES = 3
};
static const uint64_t RENEW_NS = 2000000000u;
static const uint64_t LONG_PAUSE_NS = 10000000000u;
/* Crystals differ by some ten ppm; more than this is a wrong measurement. */
static const double MAX_DRIFT = 2e-4;
static const double MAX_RATE_OFFSET = 1e-3;

struct gpu_epoch {
	atomic_uint refs;
	CUevent cu_event;
	uint64_t device_ns;              /* since the first epoch, by the device's clock */
	uint64_t host_ns;                /* when that is, by the host's */
	uint64_t start_ns;               /* host_ns of the first epoch */
	double rate;                     /* host ns per device ns from here on */
	_Atomic uint64_t renew_ns;       /* host time at which to make the next one */
	struct gpu_epoch *next;          /* in the device's free_epochs */
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
		cl_int err = gpu_check(device, cuda.cuEventCreate(&epoch->cu_event,
								  CU_EVENT_DEFAULT));
		if (err) {
			free(epoch);
			return err;
		}
	}
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
	cl_int err = gpu_stream_create(device, -1, &made);
	if (err)
		return err;
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
	bracket_ns[0] = gpu_host_now_ns();
	cl_int err = gpu_check(device, cuda.cuEventRecord(epoch->cu_event, stream->cu_stream));
	if (err)
		return err;
	do {
		cu_result = cuda.cuEventQuery(epoch->cu_event);
		bracket_ns[1] = gpu_host_now_ns();
	} while (cu_result == CUDA_ERROR_NOT_READY && bracket_ns[1] - bracket_ns[0] < SETTLE_NS);
	if (cu_result == CUDA_ERROR_NOT_READY && !must_settle) {
		*settled_out = false;
		return CL_SUCCESS;
	}
	if (cu_result == CUDA_ERROR_NOT_READY) {
		cu_result = cuda.cuEventSynchronize(epoch->cu_event);
		bracket_ns[1] = gpu_host_now_ns();
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
	epoch->start_ns = host_ns;
	epoch->rate = 1;
}

/* Goes on where previous has led to, so that no duration is cut or stretched by
 * a step, and runs a little faster or slower to meet the host's clock. */
static cl_int epoch_follow(struct gpu_device *device, struct gpu_epoch *epoch,
			   const struct gpu_epoch *previous, uint64_t host_ns)
{
	float ms = 0;
	cl_int err = gpu_check(device, cuda.cuEventElapsedTime(&ms, previous->cu_event,
							       epoch->cu_event));
	if (err)
		return err;
	double passed_ns = ms > 0 ? (double)ms * 1e6 : 0;
	epoch->start_ns = previous->start_ns;
	epoch->device_ns = previous->device_ns + (uint64_t)passed_ns;
	epoch->host_ns = previous->host_ns + (uint64_t)(passed_ns * previous->rate);
	/* After a long pause no duration of note is under way: forwards is allowed. */
	if (passed_ns > (double)LONG_PAUSE_NS && host_ns > epoch->host_ns)
		epoch->host_ns = host_ns;
	double error_ns = (double)host_ns - (double)epoch->host_ns;
	double drift = 0;
	if (epoch->device_ns)
		drift = ((double)(host_ns - epoch->start_ns) - (double)epoch->device_ns) /
			(double)epoch->device_ns;
	epoch->rate = 1 + clamp(clamp(drift, -MAX_DRIFT, MAX_DRIFT) + error_ns / (double)RENEW_NS,
				-MAX_RATE_OFFSET, MAX_RATE_OFFSET);
	return CL_SUCCESS;
}

/* *epoch_out stays NULL when the device is too busy to be asked now. */
static cl_int epoch_make(struct gpu_device *device, const struct gpu_epoch *previous,
			 struct gpu_epoch **epoch_out)
{
	struct gpu_stream *stream;
	struct gpu_epoch *epoch;
	uint64_t bracket_ns[2] = {0, 0};
	bool settled = true;
	cl_int err = clock_stream_get(device, &stream);
	if (!err)
		err = epoch_create(device, &epoch);
	if (err)
		return err;
	for (int i = 0; i < BRACKET_TRIES && !err && settled; i++) {
		err = epoch_stamp(device, stream, epoch, !previous, bracket_ns, &settled);
		if (bracket_ns[1] - bracket_ns[0] < GOOD_BRACKET_NS)
			break;
	}
	uint64_t host_ns = bracket_ns[0] + (bracket_ns[1] - bracket_ns[0]) / 2;
	atomic_store(&epoch->renew_ns, host_ns + RENEW_NS);
	if (!err && settled && previous)
		err = epoch_follow(device, epoch, previous, host_ns);
	else if (!err && settled)
		epoch_begin(epoch, host_ns);
	if (err || !settled)
		epoch_put_free(device, epoch);
	else
		*epoch_out = epoch;
	return err;
}

static struct gpu_epoch *current_ref(struct gpu_device *device)
{
	lock_take(&device->lock);
	struct gpu_epoch *epoch = device->epoch;
	if (epoch)
		atomic_fetch_add(&epoch->refs, 1);
	lock_drop(&device->lock);
	return epoch;
}

/* Makes epoch the current one, unless another thread has renewed it meanwhile. */
static void publish(struct gpu_device *device, const struct gpu_epoch *previous,
		    struct gpu_epoch *epoch)
{
	struct gpu_epoch *dropped = epoch;
	lock_take(&device->lock);
	if (device->epoch == previous) {
		dropped = device->epoch;
		device->epoch = epoch;
	}
	lock_drop(&device->lock);
	gpu_epoch_unref(device, dropped);
}

cl_int gpu_epoch_get(struct gpu_device *device, struct gpu_epoch **epoch_out)
{
	struct gpu_epoch *current = current_ref(device);
	uint64_t now_ns = gpu_host_now_ns();
	if (current && now_ns < atomic_load_explicit(&current->renew_ns, memory_order_relaxed)) {
		*epoch_out = current;
		return CL_SUCCESS;
	}
	struct gpu_epoch *made = NULL;
	cl_int err = epoch_make(device, current, &made);
	if (err) {
		gpu_epoch_unref(device, current);
		return err;
	}
	if (!made) {
		/* Once more after a while; the old one serves meanwhile. */
		atomic_store(&current->renew_ns, now_ns + RENEW_NS);
		*epoch_out = current;
		return CL_SUCCESS;
	}
	publish(device, current, made);
	gpu_epoch_unref(device, current);
	*epoch_out = current_ref(device);
	return CL_SUCCESS;
}

cl_int gpu_epoch_time_ns(struct gpu_device *device, const struct gpu_epoch *epoch,
			 CUevent cu_event, uint64_t *time_ns_out)
{
	float ms = 0;
	CUresult cu_result = cuda.cuEventElapsedTime(&ms, epoch->cu_event, cu_event);
	if (cu_result == CUDA_ERROR_NOT_READY)
		return CL_PROFILING_INFO_NOT_AVAILABLE;
	cl_int err = gpu_check_result(device, cu_result, "cuEventElapsedTime", __FILE__, __LINE__);
	if (!err)
		*time_ns_out = epoch->host_ns +
			       (uint64_t)(ms > 0 ? (double)ms * 1e6 * epoch->rate + 0.5 : 0);
	return err;
}
