/* What the models of copies that threads share have in common: two pieces of one byte, in one slot. */
#ifndef CULVERT_TESTS_LITMUS_RELAY_H
#define CULVERT_TESTS_LITMUS_RELAY_H

#include "tests/litmus/litmus.h"

#include "backend/gpu_crew.h"
#define gpu_crew_let_others() ((void)0)
#include "backend/gpu_relay.c"

static struct gpu_slot slot;
static unsigned char slot_memory[2], host[2], on_device[2];
static struct relay relay;

void gpu_copy_past_caches(unsigned char *to, const unsigned char *from, uint64_t size_B)
{
	for (uint64_t i = 0; i < size_B; i++)
		to[i] = from[i];
}

static void relay_set_up(void)
{
	slot.memory = slot_memory;
	relay.slots[0] = &slot;
	relay.host = host;
	relay.address = 0;
	relay.size_B = relay.piece_count = 2;
	relay.piece_B = relay.leg_B = 1;
	relay.slot_count = 1;
	atomic_init(&relay.begun, 0);
	atomic_init(&relay.error, CL_SUCCESS);
	atomic_init(&relay.sent, 0);
	atomic_init(&relay.arrived, 0);
	for (unsigned i = 0; i < 2; i++) {
		atomic_init(&relay.copied[i], false);
		slot_memory[i] = 0;
	}
	atomic_flag_clear(&relay.watched);
}

#endif
