/* Protects: the thread that sends slots to the device sends the bytes that helpers copied there.
 * GenMC: --unroll=4
 */
#include "config.h"

#include "tests/litmus/relay.h"

cl_int gpu_copy_to_device(struct gpu_stream *stream, gpu_address to, const void *from, uint64_t size_B)
{
	(void)stream;
	for (uint64_t i = 0; i < size_B; i++)
		on_device[to + i] = ((const unsigned char *)from)[i];
	return CL_SUCCESS;
}

static void setup(void)
{
	relay_set_up();
	host[0] = 1;
	host[1] = 2;
	on_device[0] = on_device[1] = 0;
}

LITMUS_THREAD(lead)
{
	to_device_lead(&relay.job);
	assert(on_device[0] == 1 && on_device[1] == 2);
}

LITMUS_THREAD(help)
{
	pieces_fill(&relay.job);
}

static void finish(void)
{
}

LITMUS_2(setup, lead, help, finish)
