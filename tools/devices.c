/* culvert devices: what programs see. */
#include "config.h"

#include "tools/json.h"
#include "tools/opencl.h"
#include "tools/tool.h"

#include <CL/cl_ext.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What is told of a device. */
struct seen {
	char *name, *vendor, *version, *c_version, *driver;      /* owned */
	uint64_t type, units, clock_MHz, memory_B, local_B, group_max, major, minor;
	char pci[32];
};

static void look(const struct opencl *opencl, cl_device_id device, struct seen *seen)
{
	*seen = (struct seen){
		.name = opencl_device_string(opencl, device, CL_DEVICE_NAME),
		.vendor = opencl_device_string(opencl, device, CL_DEVICE_VENDOR),
		.version = opencl_device_string(opencl, device, CL_DEVICE_VERSION),
		.c_version = opencl_device_string(opencl, device, CL_DEVICE_OPENCL_C_VERSION),
		.driver = opencl_device_string(opencl, device, CL_DRIVER_VERSION),
		.type = opencl_device_number(opencl, device, CL_DEVICE_TYPE),
		.units = opencl_device_number(opencl, device, CL_DEVICE_MAX_COMPUTE_UNITS),
		.clock_MHz = opencl_device_number(opencl, device, CL_DEVICE_MAX_CLOCK_FREQUENCY),
		.memory_B = opencl_device_number(opencl, device, CL_DEVICE_GLOBAL_MEM_SIZE),
		.local_B = opencl_device_number(opencl, device, CL_DEVICE_LOCAL_MEM_SIZE),
		.group_max = opencl_device_number(opencl, device, CL_DEVICE_MAX_WORK_GROUP_SIZE),
		.major = opencl_device_number(opencl, device,
					      CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV),
		.minor = opencl_device_number(opencl, device,
					      CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV),
	};
	cl_device_pci_bus_info_khr pci;
	if (!opencl->call->clGetDeviceInfo(device, CL_DEVICE_PCI_BUS_INFO_KHR, sizeof(pci), &pci,
					   NULL))
		snprintf(seen->pci, sizeof(seen->pci), "%04x:%02x:%02x.%x", pci.pci_domain,
			 pci.pci_bus, pci.pci_device, pci.pci_function);
}

static void forget(struct seen *seen)
{
	free(seen->name);
	free(seen->vendor);
	free(seen->version);
	free(seen->c_version);
	free(seen->driver);
}

static void print(cl_uint index, const struct seen *seen)
{
	printf("%s%u: %s%s\n", tool_style(stdout, TOOL_BOLD), index, seen->name,
	       tool_style(stdout, TOOL_PLAIN));
	printf("   sm_%" PRIu64 "%" PRIu64 ", %" PRIu64 " compute units at %" PRIu64
	       " MHz, %s of memory, %s local\n", seen->major, seen->minor, seen->units,
	       seen->clock_MHz, tool_size(seen->memory_B), tool_size(seen->local_B));
	printf("   %s, %s, driver %s%s%s\n", seen->version, seen->c_version, seen->driver,
	       *seen->pci ? ", PCI " : "", seen->pci);
}

static void write_json(struct json *json, cl_uint index, const struct seen *seen)
{
	json_open(json, NULL, '{');
	json_natural(json, "index", index);
	json_string(json, "name", seen->name);
	json_string(json, "vendor", seen->vendor);
	json_string(json, "type", seen->type & CL_DEVICE_TYPE_GPU ? "gpu"
				  : seen->type & CL_DEVICE_TYPE_CPU ? "cpu" : "other");
	json_natural(json, "sm", 10 * seen->major + seen->minor);
	json_string(json, "opencl", seen->version);
	json_string(json, "opencl_c", seen->c_version);
	json_string(json, "driver", seen->driver);
	json_string(json, "pci", *seen->pci ? seen->pci : NULL);
	json_natural(json, "compute_units", seen->units);
	json_natural(json, "clock_MHz", seen->clock_MHz);
	json_natural(json, "memory_B", seen->memory_B);
	json_natural(json, "local_B", seen->local_B);
	json_natural(json, "max_work_group_size", seen->group_max);
	json_close(json, '}');
}

static bool take(void *state, int letter, const char *value)
{
	(void)value;
	*(bool *)state |= letter == 'j';
	return true;
}

int tool_devices(int argc, char **argv)
{
	bool as_json = false;
	struct opencl opencl;
	struct bytes why = BYTES_INIT;
	int at = tool_options(TOOL_devices, argc, argv, false, take, &as_json);
	if (at < 0)
		return -1 - at;
	if (at < argc)
		return tool_usage("unexpected argument: %s", argv[at]);
	bool open = opencl_open(&opencl, &why);
	if (!open)
		tool_error("%s", bytes_string(&why));
	bytes_finish(&why);
	if (!open) {
		opencl_close(&opencl);
		return TOOL_UNAVAILABLE;
	}
	struct json json = JSON_INIT;
	json_open(&json, NULL, '[');
	for (cl_uint i = 0; i < opencl.device_count; i++) {
		struct seen seen;
		look(&opencl, opencl.devices[i], &seen);
		if (as_json)
			write_json(&json, i, &seen);
		else
			print(i, &seen);
		forget(&seen);
	}
	json_close(&json, ']');
	const bool printed = !as_json || json_print(&json);
	bytes_finish(&json.text);
	const bool found = opencl_device(&opencl, 0);
	opencl_close(&opencl);
	if (!printed)
		return TOOL_FAILED;
	return found ? TOOL_OK : TOOL_UNAVAILABLE;
}
