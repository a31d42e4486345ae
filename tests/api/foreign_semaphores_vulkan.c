/* The other API of a GPU: Vulkan, without a window, loaded when it is wanted: by its loader, or
 * where that is not installed NVIDIA's driver itself. */
#include "config.h"

#include "tests/api/partner.h"

#ifdef HAVE_VULKAN_VULKAN_CORE_H

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan_core.h>

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { STEPS = 256, FAMILIES_MAX = 16, DEVICES_MAX = 16 };
static const uint64_t patience_ns = 20000000000u;

#define GLOBAL_CALLS(CALL) CALL(vkCreateInstance)
#define INSTANCE_CALLS(CALL)                                                                  \
	CALL(vkDestroyInstance)                                                               \
	CALL(vkEnumeratePhysicalDevices)                                                      \
	CALL(vkGetPhysicalDeviceProperties2)                                                  \
	CALL(vkGetPhysicalDeviceMemoryProperties)                                             \
	CALL(vkGetPhysicalDeviceQueueFamilyProperties)                                        \
	CALL(vkCreateDevice)                                                                  \
	CALL(vkGetDeviceProcAddr)
#define DEVICE_CALLS(CALL)                                                                    \
	CALL(vkDestroyDevice)                                                                 \
	CALL(vkDeviceWaitIdle)                                                                \
	CALL(vkGetDeviceQueue)                                                                \
	CALL(vkCreateBuffer)                                                                  \
	CALL(vkDestroyBuffer)                                                                 \
	CALL(vkGetBufferMemoryRequirements)                                                   \
	CALL(vkAllocateMemory)                                                                \
	CALL(vkFreeMemory)                                                                    \
	CALL(vkBindBufferMemory)                                                              \
	CALL(vkMapMemory)                                                                     \
	CALL(vkGetMemoryFdKHR)                                                                \
	CALL(vkCreateSemaphore)                                                               \
	CALL(vkDestroySemaphore)                                                              \
	CALL(vkGetSemaphoreFdKHR)                                                             \
	CALL(vkCreateFence)                                                                   \
	CALL(vkDestroyFence)                                                                  \
	CALL(vkWaitForFences)                                                                 \
	CALL(vkCreateCommandPool)                                                             \
	CALL(vkDestroyCommandPool)                                                            \
	CALL(vkAllocateCommandBuffers)                                                        \
	CALL(vkBeginCommandBuffer)                                                            \
	CALL(vkEndCommandBuffer)                                                              \
	CALL(vkCmdPipelineBarrier)                                                            \
	CALL(vkCmdCopyBuffer)                                                                 \
	CALL(vkCmdFillBuffer)                                                                 \
	CALL(vkQueueSubmit)

static struct {
#define CALL(name) PFN_##name name;
	GLOBAL_CALLS(CALL)
	INSTANCE_CALLS(CALL)
	DEVICE_CALLS(CALL)
#undef CALL
} vk;

struct piece {
	VkBuffer buffer;
	VkDeviceMemory memory;
};

static struct {
	PFN_vkGetInstanceProcAddr find;
	VkInstance instance;
	VkPhysicalDevice physical;
	VkDevice device;
	VkQueue queue;
	uint32_t family;
	VkCommandPool pool;
	struct piece shared, rows;
	const cl_uint *mapped;
	VkSemaphore semaphores[PARTNER_SEMAPHORES];
	int semaphore_count;
} vulkan;

/* --- the way to a device ---------- */

static bool library_open(void)
{
	static const char *const names[] = {"libvulkan.so.1", "libGLX_nvidia.so.0",
					    "libEGL_nvidia.so.0"};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		void *library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
		if (!library)
			continue;
		/* A driver wants to be asked for its interface first. */
		VkResult(VKAPI_PTR * negotiate)(uint32_t *);
		uint32_t version = 5;
		*(void **)&negotiate = dlsym(library, "vk_icdNegotiateLoaderICDInterfaceVersion");
		if (negotiate && negotiate(&version))
			continue;
		*(void **)&vulkan.find = dlsym(library, negotiate ? "vk_icdGetInstanceProcAddr"
								   : "vkGetInstanceProcAddr");
		if (vulkan.find) {
			printf("Vulkan by %s\n", names[i]);
			return true;
		}
	}
	return false;
}

static bool instance_make(void)
{
	const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
					       .apiVersion = VK_API_VERSION_1_1};
	const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
					   .pApplicationInfo = &application};
#define CALL(name)                                                                            \
	vk.name = (PFN_##name)vulkan.find(vulkan.instance, #name);                            \
	if (!vk.name)                                                                         \
		return false;
	GLOBAL_CALLS(CALL)
	if (vk.vkCreateInstance(&info, NULL, &vulkan.instance))
		return false;
	INSTANCE_CALLS(CALL)
#undef CALL
	return true;
}

static bool physical_find(const unsigned char *uuid)
{
	VkPhysicalDevice devices[DEVICES_MAX];
	uint32_t count = DEVICES_MAX;
	if (vk.vkEnumeratePhysicalDevices(vulkan.instance, &count, devices) < 0)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		VkPhysicalDeviceIDProperties id = {
			.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES};
		VkPhysicalDeviceProperties2 properties = {
			.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &id};
		vk.vkGetPhysicalDeviceProperties2(devices[i], &properties);
		if (memcmp(id.deviceUUID, uuid, VK_UUID_SIZE))
			continue;
		vulkan.physical = devices[i];
		printf("Vulkan's device: %s\n", properties.properties.deviceName);
		return true;
	}
	return false;
}

static bool device_make(void)
{
	static const char *const extensions[] = {VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME,
						 VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME};
	VkQueueFamilyProperties families[FAMILIES_MAX];
	uint32_t count = FAMILIES_MAX;
	const float priority = 1;
	vk.vkGetPhysicalDeviceQueueFamilyProperties(vulkan.physical, &count, families);
	while (vulkan.family < count && !(families[vulkan.family].queueFlags &
					  (VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT)))
		vulkan.family++;
	if (vulkan.family == count)
		return false;
	const VkDeviceQueueCreateInfo queue = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
		.queueFamilyIndex = vulkan.family, .queueCount = 1, .pQueuePriorities = &priority};
	const VkDeviceCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .queueCreateInfoCount = 1,
		.pQueueCreateInfos = &queue, .enabledExtensionCount = 2,
		.ppEnabledExtensionNames = extensions};
	if (vk.vkCreateDevice(vulkan.physical, &info, NULL, &vulkan.device))
		return false;
#define CALL(name)                                                                            \
	vk.name = (PFN_##name)vk.vkGetDeviceProcAddr(vulkan.device, #name);                   \
	if (!vk.name)                                                                         \
		return false;
	DEVICE_CALLS(CALL)
#undef CALL
	vk.vkGetDeviceQueue(vulkan.device, vulkan.family, 0, &vulkan.queue);
	const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
					      .queueFamilyIndex = vulkan.family};
	return !vk.vkCreateCommandPool(vulkan.device, &pool, NULL, &vulkan.pool);
}

/* --- memory ---------- */

/* next and export: of a buffer, and of its memory, that others get; or NULL. */
static bool piece_make(struct piece *piece, VkDeviceSize size_B, VkMemoryPropertyFlags flags,
		       const void *next, const void *export)
{
	VkPhysicalDeviceMemoryProperties types;
	VkMemoryRequirements needs;
	uint32_t type = 0;
	const VkBufferCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .pNext = next, .size = size_B,
		.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT};
	if (vk.vkCreateBuffer(vulkan.device, &info, NULL, &piece->buffer))
		return false;
	vk.vkGetPhysicalDeviceMemoryProperties(vulkan.physical, &types);
	vk.vkGetBufferMemoryRequirements(vulkan.device, piece->buffer, &needs);
	while (type < types.memoryTypeCount &&
	       (!(needs.memoryTypeBits >> type & 1) ||
		(types.memoryTypes[type].propertyFlags & flags) != flags))
		type++;
	const VkMemoryAllocateInfo memory = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
					     .pNext = export, .allocationSize = needs.size,
					     .memoryTypeIndex = type};
	return type < types.memoryTypeCount &&
	       !vk.vkAllocateMemory(vulkan.device, &memory, NULL, &piece->memory) &&
	       !vk.vkBindBufferMemory(vulkan.device, piece->buffer, piece->memory, 0);
}

static bool memory_make(void)
{
	const VkExternalMemoryBufferCreateInfo external = {
		.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
		.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
	const VkExportMemoryAllocateInfo export = {
		.sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO,
		.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
	void *mapped;
	if (!piece_make(&vulkan.shared, PARTNER_SIZE_B, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT,
			&external, &export) ||
	    !piece_make(&vulkan.rows, (VkDeviceSize)PARTNER_ROWS * PARTNER_SIZE_B,
			VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
			NULL, NULL) ||
	    vk.vkMapMemory(vulkan.device, vulkan.rows.memory, 0, VK_WHOLE_SIZE, 0, &mapped))
		return false;
	vulkan.mapped = mapped;
	return true;
}

static int memory(void)
{
	int fd = -1;
	const VkMemoryGetFdInfoKHR info = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR, .memory = vulkan.shared.memory,
		.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
	return vk.vkGetMemoryFdKHR(vulkan.device, &info, &fd) ? -1 : fd;
}

static const char *start(const unsigned char *uuid)
{
	if (!library_open())
		return "no Vulkan on this machine";
	if (!instance_make())
		return "no instance of Vulkan 1.1";
	if (!physical_find(uuid))
		return "Vulkan does not show this device";
	if (!device_make())
		return "no Vulkan device with external memory and semaphores";
	return memory_make() ? NULL : "no memory that Vulkan would export";
}

/* --- steps ---------- */

static int semaphore(int *number_out)
{
	int fd = -1;
	const VkExportSemaphoreCreateInfo export = {
		.sType = VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO,
		.handleTypes = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT};
	const VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
					    .pNext = &export};
	VkSemaphore *made = &vulkan.semaphores[vulkan.semaphore_count];
	if (vulkan.semaphore_count == PARTNER_SEMAPHORES ||
	    vk.vkCreateSemaphore(vulkan.device, &info, NULL, made))
		return -1;
	const VkSemaphoreGetFdInfoKHR get = {
		.sType = VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR, .semaphore = *made,
		.handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT};
	*number_out = vulkan.semaphore_count++;
	return vk.vkGetSemaphoreFdKHR(vulkan.device, &get, &fd) ? -1 : fd;
}

/* Between what came before and a transfer; from and to: families, for memory that changes hands. */
static void barrier(VkCommandBuffer commands, uint32_t from, uint32_t to)
{
	const VkBufferMemoryBarrier change = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER,
		.srcAccessMask = from == VK_QUEUE_FAMILY_EXTERNAL
					 ? 0 : VK_ACCESS_TRANSFER_READ_BIT |
						       VK_ACCESS_TRANSFER_WRITE_BIT,
		.dstAccessMask = to == VK_QUEUE_FAMILY_EXTERNAL
					 ? 0 : VK_ACCESS_TRANSFER_READ_BIT |
						       VK_ACCESS_TRANSFER_WRITE_BIT,
		.srcQueueFamilyIndex = from, .dstQueueFamilyIndex = to,
		.buffer = vulkan.shared.buffer, .size = VK_WHOLE_SIZE};
	vk.vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT,
				VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, NULL, 1, &change, 0, NULL);
}

static void copy_to_row(VkCommandBuffer commands, int row)
{
	const VkBufferCopy copy = {.dstOffset = (VkDeviceSize)row * PARTNER_SIZE_B,
				   .size = PARTNER_SIZE_B};
	const VkMemoryBarrier to_host = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
					 .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
					 .dstAccessMask = VK_ACCESS_HOST_READ_BIT};
	vk.vkCmdCopyBuffer(commands, vulkan.shared.buffer, vulkan.rows.buffer, 1, &copy);
	vk.vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT,
				VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &to_host, 0, NULL, 0, NULL);
}

static bool record(VkCommandBuffer commands, const struct partner_step *step)
{
	const VkCommandBufferBeginInfo begin = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
		.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
	if (vk.vkBeginCommandBuffer(commands, &begin))
		return false;
	if (step->row >= 0 || step->fills) {
		if (step->wait >= 0)
			barrier(commands, VK_QUEUE_FAMILY_EXTERNAL, vulkan.family);
		if (step->row >= 0)
			copy_to_row(commands, step->row);
		barrier(commands, VK_QUEUE_FAMILY_IGNORED, VK_QUEUE_FAMILY_IGNORED);
		if (step->fills)
			vk.vkCmdFillBuffer(commands, vulkan.shared.buffer, 0, VK_WHOLE_SIZE,
					   step->value);
		if (step->signal >= 0)
			barrier(commands, vulkan.family, VK_QUEUE_FAMILY_EXTERNAL);
	}
	return !vk.vkEndCommandBuffer(commands);
}

static bool step(const struct partner_step *wanted)
{
	const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_TRANSFER_BIT;
	const VkCommandBufferAllocateInfo allocate = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
		.commandPool = vulkan.pool, .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
		.commandBufferCount = 1};
	VkCommandBuffer commands;
	if (vk.vkAllocateCommandBuffers(vulkan.device, &allocate, &commands) ||
	    !record(commands, wanted))
		return false;
	const VkSubmitInfo submit = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.waitSemaphoreCount = wanted->wait >= 0,
		.pWaitSemaphores = wanted->wait >= 0 ? &vulkan.semaphores[wanted->wait] : NULL,
		.pWaitDstStageMask = &stage,
		.commandBufferCount = 1, .pCommandBuffers = &commands,
		.signalSemaphoreCount = wanted->signal >= 0,
		.pSignalSemaphores =
			wanted->signal >= 0 ? &vulkan.semaphores[wanted->signal] : NULL};
	return !vk.vkQueueSubmit(vulkan.queue, 1, &submit, VK_NULL_HANDLE);
}

/* What was submitted before the fence is over when it is. */
static bool finish(void)
{
	const VkFenceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
	VkFence fence;
	if (vk.vkCreateFence(vulkan.device, &info, NULL, &fence))
		return false;
	const bool good = !vk.vkQueueSubmit(vulkan.queue, 0, NULL, fence) &&
			  !vk.vkWaitForFences(vulkan.device, 1, &fence, VK_TRUE, patience_ns);
	if (good)
		vk.vkDestroyFence(vulkan.device, fence, NULL);
	return good;
}

static const cl_uint *row(int number)
{
	return vulkan.mapped + (size_t)number * PARTNER_WORDS;
}

static void piece_free(const struct piece *piece)
{
	vk.vkDestroyBuffer(vulkan.device, piece->buffer, NULL);
	vk.vkFreeMemory(vulkan.device, piece->memory, NULL);
}

static void end(void)
{
	(void)vk.vkDeviceWaitIdle(vulkan.device);
	for (int i = 0; i < vulkan.semaphore_count; i++)
		vk.vkDestroySemaphore(vulkan.device, vulkan.semaphores[i], NULL);
	piece_free(&vulkan.shared);
	piece_free(&vulkan.rows);
	vk.vkDestroyCommandPool(vulkan.device, vulkan.pool, NULL);
	vk.vkDestroyDevice(vulkan.device, NULL);
	vk.vkDestroyInstance(vulkan.instance, NULL);
}

const struct partner partner_vulkan = {
	.start = start, .memory = memory, .semaphore = semaphore, .step = step,
	.finish = finish, .row = row, .end = end,
};

#else

static const char *start(const unsigned char *uuid)
{
	(void)uuid;
	return "built without the headers of Vulkan";
}

const struct partner partner_vulkan = {.start = start};

#endif
