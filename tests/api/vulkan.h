/* Vulkan beside OpenCL, for tests of what they share: a device without a window, one queue, and functions for what the
 * tests need of it.  Its loader is loaded when it is wanted; where that is not installed, NVIDIA's driver itself.
 *
 * One thread uses it. */
#ifndef CULVERT_TESTS_API_VULKAN_H
#define CULVERT_TESTS_API_VULKAN_H

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan_core.h>

#include <stdbool.h>
#include <stdint.h>

#define VULKAN_GLOBAL_CALLS(CALL) CALL(vkCreateInstance)
#define VULKAN_INSTANCE_CALLS(CALL)                                                           \
	CALL(vkDestroyInstance)                                                               \
	CALL(vkEnumeratePhysicalDevices)                                                      \
	CALL(vkGetPhysicalDeviceProperties2)                                                  \
	CALL(vkGetPhysicalDeviceImageFormatProperties2)                                       \
	CALL(vkGetPhysicalDeviceMemoryProperties)                                             \
	CALL(vkGetPhysicalDeviceQueueFamilyProperties)                                        \
	CALL(vkCreateDevice)                                                                  \
	CALL(vkGetDeviceProcAddr)
#define VULKAN_DEVICE_CALLS(CALL)                                                             \
	CALL(vkDestroyDevice)                                                                 \
	CALL(vkDeviceWaitIdle)                                                                \
	CALL(vkGetDeviceQueue)                                                                \
	CALL(vkCreateBuffer)                                                                  \
	CALL(vkDestroyBuffer)                                                                 \
	CALL(vkGetBufferMemoryRequirements)                                                   \
	CALL(vkCreateImage)                                                                   \
	CALL(vkDestroyImage)                                                                  \
	CALL(vkGetImageMemoryRequirements)                                                    \
	CALL(vkAllocateMemory)                                                                \
	CALL(vkFreeMemory)                                                                    \
	CALL(vkBindBufferMemory)                                                              \
	CALL(vkBindImageMemory)                                                               \
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
	CALL(vkCmdCopyBufferToImage)                                                          \
	CALL(vkCmdCopyImageToBuffer)                                                          \
	CALL(vkCmdFillBuffer)                                                                 \
	CALL(vkCmdClearColorImage)                                                            \
	CALL(vkQueueSubmit)

struct vulkan_calls {
#define CALL(name) PFN_##name name;
	VULKAN_GLOBAL_CALLS(CALL)
	VULKAN_INSTANCE_CALLS(CALL)
	VULKAN_DEVICE_CALLS(CALL)
#undef CALL
};
extern struct vulkan_calls vk;

struct vulkan {
	VkInstance instance;
	VkPhysicalDevice physical;
	VkDevice device;
	VkQueue queue;
	uint32_t family;
	VkCommandPool pool;
};
extern struct vulkan vulkan;

/* Opens the device with this UUID, with external memory and semaphores.  NULL, or why there is none. */
const char *vulkan_start(const unsigned char *uuid);
void vulkan_end(void);

/* A buffer for transfers, with its memory. */
struct vulkan_piece {
	VkBuffer buffer;
	VkDeviceMemory memory;
};
/* next and export: of a buffer, and of its memory, that others get; or NULL. */
bool vulkan_piece_make(struct vulkan_piece *piece, VkDeviceSize size_B, VkMemoryPropertyFlags flags,
		       const void *next, const void *export);
/* Memory of the host, which is mapped at *mapped_out. */
bool vulkan_piece_make_mapped(struct vulkan_piece *piece, VkDeviceSize size_B, void **mapped_out);
void vulkan_piece_free(const struct vulkan_piece *piece);
/* Allocates memory of a type in bits that has these properties; false: there is none. */
bool vulkan_allocate(VkDeviceSize size_B, uint32_t bits, VkMemoryPropertyFlags flags, const void *next,
		     VkDeviceMemory *memory_out);

/* Opaque file descriptors, the caller's; -1 after a failure. */
int vulkan_memory_fd(VkDeviceMemory memory);
int vulkan_semaphore_make(VkSemaphore *semaphore_out);

/* A new command buffer, whose recording has begun; NULL after a failure. */
VkCommandBuffer vulkan_record(void);
/* Ends the recording and submits it.  wait and signal: semaphores, or VK_NULL_HANDLE. */
bool vulkan_submit(VkCommandBuffer commands, VkSemaphore wait, VkSemaphore signal);
/* Waits for all that was submitted. */
bool vulkan_finish(void);

#endif
