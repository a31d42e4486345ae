#include "config.h"

#include "softcuda/driver/machine.h"

#include "base/bytes.h"
#include "base/log.h"
#include "base/options.h"

#include <cuda.h>
#include <pthread.h>
#include <string.h>

/* A value of an option, and what it stands for; the first row is the default. */
struct choice {
	const char *name;
	int value;
};

static const struct choice machines[] = {
	{"desktop", SOFT_MACHINE_DESKTOP},
	{"integrated", SOFT_MACHINE_INTEGRATED},
	{"coherent", SOFT_MACHINE_COHERENT},
	{"wsl", SOFT_MACHINE_WSL},
	{0},
};

static const struct choice sharings[] = {
	{"alone", SOFT_SHARING_ALONE},
	{"busy", SOFT_SHARING_BUSY},
	{"exclusive", SOFT_SHARING_EXCLUSIVE},
	{"prohibited", SOFT_SHARING_PROHIBITED},
	{"instance", SOFT_SHARING_INSTANCE},
	{"cached", SOFT_SHARING_CACHED},
	{0},
};

static const struct choice bounds_names[] = {
	{"loose", SOFT_BOUNDS_LOOSE},
	{"exact", SOFT_BOUNDS_EXACT},
	{0},
};

/* Written once. */
static enum soft_machine machine;
static enum soft_sharing sharing;
static enum soft_bounds bounds;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* 0: the option has none of these values. */
static int choose_one(enum option option, const struct choice *rows)
{
	const char *name = option_string(option);
	for (const struct choice *row = rows; row->name; row++)
		if (!strcmp(row->name, name))
			return row->value;
	struct bytes names = BYTES_INIT;
	for (const struct choice *row = rows; row->name; row++)
		bytes_printf(&names, "%s%s", row == rows ? "" : ", ", row->name);
	log_err("softcuda: %s=%s is not one of %s", option_name(option), name,
		bytes_failed(&names) ? "its values" : bytes_string(&names));
	bytes_finish(&names);
	return 0;
}

static void choose(void)
{
	machine = choose_one(OPTION_SOFT_MACHINE, machines);
	sharing = choose_one(OPTION_SOFT_SHARING, sharings);
	bounds = choose_one(OPTION_SOFT_BOUNDS, bounds_names);
}

enum soft_machine soft_machine(void)
{
	pthread_once(&once, choose);
	return machine;
}

enum soft_sharing soft_sharing(void)
{
	pthread_once(&once, choose);
	return sharing;
}

enum soft_bounds soft_bounds(void)
{
	pthread_once(&once, choose);
	return bounds;
}

int soft_compute_mode(void)
{
	switch (soft_sharing()) {
	case SOFT_SHARING_EXCLUSIVE:
		return CU_COMPUTEMODE_EXCLUSIVE_PROCESS;
	case SOFT_SHARING_PROHIBITED:
		return CU_COMPUTEMODE_PROHIBITED;
	default:
		return CU_COMPUTEMODE_DEFAULT;
	}
}

uint64_t soft_memory_of_others_B(uint64_t memory_B)
{
	return soft_sharing() == SOFT_SHARING_BUSY ? memory_B / 4 * 3 : 0;
}

uint64_t soft_memory_told_B(uint64_t free_B)
{
	return soft_sharing() == SOFT_SHARING_CACHED ? free_B / 64 : free_B;
}
