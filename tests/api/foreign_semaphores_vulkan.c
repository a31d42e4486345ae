/* The other API of a GPU: Vulkan, without a window. */
#include "config.h"

#include "tests/api/partner.h"

#ifdef HAVE_VULKAN_VULKAN_CORE_H

#include "tests/api/vulkan.h"

static struct vulkan_piece shared, rows;
static const cl_uint *mapped;
static VkSemaphore semaphores[PARTNER_SEMAPHORES];
static int semaphore_count;

static bool memory_make(void)
{
	const VkExternalMemoryBufferCreateInfo external = {
		.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
		.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
	const VkExportMemoryAllocateInfo export = {
		.sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO,
		.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
	void *at;
	if (!vulkan_piece_make(&shared, PARTNER_SIZE_B, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, &external, &export) ||
	    !vulkan_piece_make_mapped(&rows, (VkDeviceSize)PARTNER_ROWS * PARTNER_SIZE_B, &at))
		return false;
	mapped = at;
	return true;
}

static int memory(void)
{
	return vulkan_memory_fd(shared.memory);
}

static const char *start(const unsigned char *uuid)
{
	const char *absent = vulkan_start(uuid);
	return absent ? absent : memory_make() ? NULL : "no memory that Vulkan would export";
}

/* --- steps ---------- */

static int semaphore(int *number_out)
{
	if (semaphore_count == PARTNER_SEMAPHORES)
		return -1;
	const int fd = vulkan_semaphore_make(&semaphores[semaphore_count]);
	if (fd >= 0)
		*number_out = semaphore_count++;
	return fd;
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
		.buffer = shared.buffer, .size = VK_WHOLE_SIZE};
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
	vk.vkCmdCopyBuffer(commands, shared.buffer, rows.buffer, 1, &copy);
	vk.vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT,
				VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &to_host, 0, NULL, 0, NULL);
}

static void record(VkCommandBuffer commands, const struct partner_step *step)
{
	if (step->row < 0 && !step->fills)
		return;
	if (step->wait >= 0)
		barrier(commands, VK_QUEUE_FAMILY_EXTERNAL, vulkan.family);
	if (step->row >= 0)
		copy_to_row(commands, step->row);
	barrier(commands, VK_QUEUE_FAMILY_IGNORED, VK_QUEUE_FAMILY_IGNORED);
	if (step->fills)
		vk.vkCmdFillBuffer(commands, shared.buffer, 0, VK_WHOLE_SIZE, step->value);
	if (step->signal >= 0)
		barrier(commands, vulkan.family, VK_QUEUE_FAMILY_EXTERNAL);
}

static bool step(const struct partner_step *wanted)
{
	VkCommandBuffer commands = vulkan_record();
	if (!commands)
		return false;
	record(commands, wanted);
	return vulkan_submit(commands, wanted->wait >= 0 ? semaphores[wanted->wait] : VK_NULL_HANDLE,
			     wanted->signal >= 0 ? semaphores[wanted->signal] : VK_NULL_HANDLE);
}

static const cl_uint *row(int number)
{
	return mapped + (size_t)number * PARTNER_WORDS;
}

static void end(void)
{
	(void)vk.vkDeviceWaitIdle(vulkan.device);
	for (int i = 0; i < semaphore_count; i++)
		vk.vkDestroySemaphore(vulkan.device, semaphores[i], NULL);
	vulkan_piece_free(&shared);
	vulkan_piece_free(&rows);
	vulkan_end();
}

const struct partner partner_vulkan = {
	.start = start, .memory = memory, .semaphore = semaphore, .step = step,
	.finish = vulkan_finish, .row = row, .end = end,
};

#else

static const char *start(const unsigned char *uuid)
{
	(void)uuid;
	return "built without the headers of Vulkan";
}

const struct partner partner_vulkan = {.start = start};

#endif
