/* The software driver's failures on purpose (softcuda/control.h), for tests that choose the calls that fail. */
#ifndef CULVERT_TESTS_API_SOFT_FAULT_H
#define CULVERT_TESTS_API_SOFT_FAULT_H

#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct soft_fault {
	int (*set)(const char *rules);   /* culvert_soft_fault */
	uint64_t (*fired)(void);         /* culvert_soft_faults */
};

/* false: OpenCL does not use the software driver, or has not looked for devices yet. */
static inline bool soft_fault_find(struct soft_fault *fault)
{
	void *library = dlopen("libculvert-softcuda.so", RTLD_NOW | RTLD_NOLOAD);
	void *set = library ? dlsym(library, "culvert_soft_fault") : NULL;
	void *fired = library ? dlsym(library, "culvert_soft_faults") : NULL;
	memcpy(&fault->set, &set, sizeof(set));
	memcpy(&fault->fired, &fired, sizeof(fired));
	return set && fired;
}

#endif
