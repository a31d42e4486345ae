#include "config.h"

#include "softcuda/driver/machine.h"

#include "base/log.h"
#include "base/options.h"

#include <pthread.h>
#include <stddef.h>
#include <string.h>

static const struct {
	const char *name;
	enum soft_machine machine;
} machines[] = {
	{"desktop", SOFT_MACHINE_DESKTOP},
	{"integrated", SOFT_MACHINE_INTEGRATED},
	{"coherent", SOFT_MACHINE_COHERENT},
	{"wsl", SOFT_MACHINE_WSL},
};

/* Written once. */
static enum soft_machine chosen;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void choose(void)
{
	const char *name = option_string(OPTION_SOFT_MACHINE);
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++)
		if (!strcmp(machines[i].name, name))
			chosen = machines[i].machine;
	if (!chosen)
		log_err("softcuda: %s=%s is not one of desktop, integrated, coherent, wsl",
			option_name(OPTION_SOFT_MACHINE), name);
}

enum soft_machine soft_machine(void)
{
	pthread_once(&once, choose);
	return chosen;
}
