#include "config.h"

#include "softcuda/driver/release.h"

#include "base/log.h"
#include "base/options.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

struct release {
	int version;
	unsigned ptx;
};

/* PTX ISA 9.0, "Release Notes": the PTX version of each CUDA release. */
static const struct release releases[] = {
	{11000, 70}, {11010, 71}, {11020, 72}, {11030, 73}, {11040, 74}, {11050, 75}, {11060, 76},
	{11070, 77}, {11080, 78}, {12000, 80}, {12010, 81}, {12020, 82}, {12030, 83}, {12040, 84},
	{12050, 85}, {12060, 85}, {12070, 86}, {12080, 87}, {12090, 88}, {13000, 90},
};

/* The first PTX version with a target, from the same table. */
static const struct {
	unsigned sm, ptx;
} targets[] = {
	{0, 0}, {80, 70}, {86, 71}, {87, 74}, {89, 78}, {100, 86}, {103, 88}, {110, 90}, {120, 87}, {121, 88},
};

/* Written once. */
static struct release chosen;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* "12.4" and "12040" are equal; 0: not a version. */
static unsigned long wanted_version(void)
{
	char *end;
	unsigned long version = strtoul(option_string(OPTION_SOFT_DRIVER), &end, 10);
	if (*end == '.')
		version = 1000 * version + 10 * strtoul(end + 1, &end, 10);
	return *end ? 0 : version;
}

static void choose(void)
{
	const unsigned long wanted = wanted_version();
	for (size_t i = 0; i < sizeof(releases) / sizeof(releases[0]); i++)
		if ((unsigned long)releases[i].version == wanted)
			chosen = releases[i];
	if (!chosen.version)
		log_err("softcuda: %s=%s is not a release of CUDA from 11.0 to 13.0, such as 12.4",
			option_name(OPTION_SOFT_DRIVER), option_string(OPTION_SOFT_DRIVER));
}

int soft_release(void)
{
	pthread_once(&once, choose);
	return chosen.version;
}

unsigned soft_release_ptx(void)
{
	pthread_once(&once, choose);
	return chosen.ptx;
}

bool soft_release_drives(unsigned sm)
{
	size_t i = sizeof(targets) / sizeof(targets[0]) - 1;
	while (targets[i].sm > sm)
		i--;
	return targets[i].ptx <= soft_release_ptx();
}
