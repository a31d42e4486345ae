/* Protects: threads that copy arrived bytes out of the slots get the bytes that arrived, whichever thread has seen the
 * arrival.
 * GenMC: --unroll=4
 */
#include "config.h"

#include "tests/litmus/relay.h"

static struct gpu_event arrivals[2];
static unsigned recorded;

/* The bytes arrive when the copy is put into the stream. */
cl_int gpu_copy_to_host(struct gpu_stream *stream, void *to, gpu_address from, uint64_t size_B)
{
	(void)stream;
	for (uint64_t i = 0; i < size_B; i++)
		((unsigned char *)to)[i] = on_device[from + i];
	return CL_SUCCESS;
}

cl_int gpu_event_record(struct gpu_stream *stream, bool timing, struct gpu_event **event_out)
{
	(void)stream;
	(void)timing;
	*event_out = &arrivals[recorded];
	arrivals[recorded].sequence = recorded + 1;
	recorded++;
	return CL_SUCCESS;
}

cl_int gpu_event_query(struct gpu_event *event, bool *done_out)
{
	assert(event->sequence);
	*done_out = true;
	return CL_SUCCESS;
}

static void setup(void)
{
	relay_set_up();
	recorded = 0;
	arrivals[0].sequence = arrivals[1].sequence = 0;
	on_device[0] = 1;
	on_device[1] = 2;
	host[0] = host[1] = 0;
}

LITMUS_THREAD(lead)
{
	to_host_lead(&relay.job);
}

LITMUS_THREAD(help)
{
	pieces_fetch(&relay.job);
}

static void finish(void)
{
	assert(host[0] == 1 && host[1] == 2);
}

LITMUS_2(setup, lead, help, finish)
