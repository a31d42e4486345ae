/* Protects: how much memory of a device is free (backend/gpu_left.h).  Where it is the host's as well, what Linux keeps
 * files in is free, although the driver does not say so: allocations are not refused for want of it.
 *
 * Seen to fail with each of these mistakes: the driver's number is taken; a card's number is that of the host. */
#include "config.h"

#include "backend/gpu_left.h"
#include "backend/gpu_tables.h"
#include "tests/unit/test.h"

#include <sys/wait.h>
#include <unistd.h>

#define DEVICE_MiB 256
#define DEVICE_B ((uint64_t)DEVICE_MiB << 20)

/* proc(5); 0: not known. */
static uint64_t host_available_B(void)
{
	char line[128];
	unsigned long long kibi = 0;
	FILE *file = fopen("/proc/meminfo", "r");
	while (file && fgets(line, sizeof(line), file) && sscanf(line, "MemAvailable: %llu", &kibi) != 1)
		;
	if (file)
		fclose(file);
	return (uint64_t)kibi << 10;
}

/* Managed memory whose page tables need more than the driver says is free. */
static bool allocates_beside_managed(struct gpu_device *device)
{
	const uint64_t managed_B = (uint64_t)2 << 30;
	gpu_address address = 0;
	gpu_tables_add(managed_B);
	const cl_int error = gpu_memory_alloc(device, 1 << 20, &address);
	CHECK(!error || error == CL_MEM_OBJECT_ALLOCATION_FAILURE);
	gpu_tables_remove(managed_B);
	gpu_memory_free(device, address, NULL, 0);
	return !error;
}

/* Options are read once: each machine is a process of its own. */
static int look_as(const char *machine, bool shares)
{
	const pid_t child = fork();
	int status = -1;
	if (!child) {
		struct gpu_device *const *devices;
		uint32_t count = 0;
		uint64_t left_B = 0;
		setenv("CULVERT_SOFT_MACHINE", machine, 1);
		if (gpu_devices(&devices, &count) || !count || !gpu_device_caps(devices[0])->software)
			_exit(99);
		CHECK_EQ(gpu_memory_left(devices[0], &left_B), CL_SUCCESS);
		/* All of it, as the host has more; or a 64th. */
		CHECK(shares ? left_B == DEVICE_B : left_B <= DEVICE_B / 64);
		CHECK_EQ(allocates_beside_managed(devices[0]), shares);
		exit(test_failures ? 1 : 0);
	}
	CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void left(void)
{
	/* This program lies elsewhere than the libraries of the build. */
	static const char built[] = "./libculvert-softcuda.so";
	if (access(built, R_OK))
		SKIP("no software device");
	setenv("CULVERT_CUDA", built, 1);
	if (host_available_B() < 2 * DEVICE_B)
		SKIP("the host has too little memory");
	setenv("CULVERT_SOFT_MEMORY", "256M", 1);
	setenv("CULVERT_SOFT_SHARING", "cached", 1);
	CHECK_EQ(look_as("desktop", false), 0);
	CHECK_EQ(look_as("integrated", true), 0);
}

TEST_MAIN(TEST(left))
