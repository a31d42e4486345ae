#include "config.h"

#ifdef HAVE_VULKAN_VULKAN_CORE_H

#include "tests/api/vulkan.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

enum { FAMILIES_MAX = 16, DEVICES_MAX = 16 };
static const uint64_t patience_ns = 20000000000u;

struct vulkan_calls vk;
struct vulkan vulkan;
static PFN_vkGetInstanceProcAddr find;

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
		*(void **)&find = dlsym(library, negotiate ? "vk_icdGetInstanceProcAddr"
								   : "vkGetInstanceProcAddr");
		if (find) {
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
	vk.name = (PFN_##name)find(vulkan.instance, #name);                            \
	if (!vk.name)                                                                         \
		return false;
	VULKAN_GLOBAL_CALLS(CALL)
	if (vk.vkCreateInstance(&info, NULL, &vulkan.instance))
		return false;
	VULKAN_INSTANCE_CALLS(CALL)
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
	VULKAN_DEVICE_CALLS(CALL)
#undef CALL
	vk.vkGetDeviceQueue(vulkan.device, vulkan.family, 0, &vulkan.queue);
	const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
					      .queueFamilyIndex = vulkan.family};
	return !vk.vkCreateCommandPool(vulkan.device, &pool, NULL, &vulkan.pool);
}

const char *vulkan_start(const unsigned char *uuid)
{
	if (!library_open())
		return "no Vulkan on this machine";
	if (!instance_make())
		return "no instance of Vulkan 1.1";
	if (!physical_find(uuid))
		return "Vulkan does not show this device";
	return device_make() ? NULL : "no Vulkan device with external memory and semaphores";
}

void vulkan_end(void)
{
	vk.vkDestroyCommandPool(vulkan.device, vulkan.pool, NULL);
	vk.vkDestroyDevice(vulkan.device, NULL);
	vk.vkDestroyInstance(vulkan.instance, NULL);
}

/* --- memory ---------- */

bool vulkan_allocate(VkDeviceSize size_B, uint32_t bits, VkMemoryPropertyFlags flags, const void *next,
		     VkDeviceMemory *memory_out)
{
	VkPhysicalDeviceMemoryProperties types;
	uint32_t type = 0;
	vk.vkGetPhysicalDeviceMemoryProperties(vulkan.physical, &types);
	while (type < types.memoryTypeCount &&
	       (!(bits >> type & 1) || (types.memoryTypes[type].propertyFlags & flags) != flags))
		type++;
	const VkMemoryAllocateInfo memory = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
					     .pNext = next, .allocationSize = size_B,
					     .memoryTypeIndex = type};
	return type < types.memoryTypeCount &&
	       !vk.vkAllocateMemory(vulkan.device, &memory, NULL, memory_out);
}

bool vulkan_piece_make(struct vulkan_piece *piece, VkDeviceSize size_B, VkMemoryPropertyFlags flags,
		       const void *next, const void *export)
{
	VkMemoryRequirements needs;
	const VkBufferCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .pNext = next, .size = size_B,
		.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT};
	if (vk.vkCreateBuffer(vulkan.device, &info, NULL, &piece->buffer))
		return false;
	vk.vkGetBufferMemoryRequirements(vulkan.device, piece->buffer, &needs);
	return vulkan_allocate(needs.size, needs.memoryTypeBits, flags, export, &piece->memory) &&
	       !vk.vkBindBufferMemory(vulkan.device, piece->buffer, piece->memory, 0);
}

bool vulkan_piece_make_mapped(struct vulkan_piece *piece, VkDeviceSize size_B, void **mapped_out)
{
	return vulkan_piece_make(piece, size_B, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
						       VK_MEMORY_PROPERTY_HOST_COHERENT_BIT, NULL, NULL) &&
	       !vk.vkMapMemory(vulkan.device, piece->memory, 0, VK_WHOLE_SIZE, 0, mapped_out);
}

void vulkan_piece_free(const struct vulkan_piece *piece)
{
	vk.vkDestroyBuffer(vulkan.device, piece->buffer, NULL);
	vk.vkFreeMemory(vulkan.device, piece->memory, NULL);
}

/* --- handles ---------- */

int vulkan_memory_fd(VkDeviceMemory memory)
{
	int fd = -1;
	const VkMemoryGetFdInfoKHR info = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR, .memory = memory,
		.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
	return vk.vkGetMemoryFdKHR(vulkan.device, &info, &fd) ? -1 : fd;
}

int vulkan_semaphore_make(VkSemaphore *semaphore_out)
{
	int fd = -1;
	const VkExportSemaphoreCreateInfo export = {
		.sType = VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO,
		.handleTypes = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT};
	const VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
					    .pNext = &export};
	if (vk.vkCreateSemaphore(vulkan.device, &info, NULL, semaphore_out))
		return -1;
	const VkSemaphoreGetFdInfoKHR get = {
		.sType = VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR, .semaphore = *semaphore_out,
		.handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT};
	return vk.vkGetSemaphoreFdKHR(vulkan.device, &get, &fd) ? -1 : fd;
}

/* --- commands ---------- */

VkCommandBuffer vulkan_record(void)
{
	const VkCommandBufferAllocateInfo allocate = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
		.commandPool = vulkan.pool, .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
		.commandBufferCount = 1};
	const VkCommandBufferBeginInfo begin = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
		.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
	VkCommandBuffer commands;
	return vk.vkAllocateCommandBuffers(vulkan.device, &allocate, &commands) ||
			       vk.vkBeginCommandBuffer(commands, &begin)
		       ? NULL : commands;
}

bool vulkan_submit(VkCommandBuffer commands, VkSemaphore wait, VkSemaphore signal)
{
	const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_TRANSFER_BIT;
	const VkSubmitInfo submit = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.waitSemaphoreCount = wait != VK_NULL_HANDLE, .pWaitSemaphores = &wait,
		.pWaitDstStageMask = &stage, .commandBufferCount = 1, .pCommandBuffers = &commands,
		.signalSemaphoreCount = signal != VK_NULL_HANDLE, .pSignalSemaphores = &signal};
	return !vk.vkEndCommandBuffer(commands) &&
	       !vk.vkQueueSubmit(vulkan.queue, 1, &submit, VK_NULL_HANDLE);
}

/* What was submitted before the fence is over when it is. */
bool vulkan_finish(void)
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

#endif
