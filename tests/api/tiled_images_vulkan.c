/* The other API of a GPU: Vulkan's images with VK_IMAGE_TILING_OPTIMAL. */
#include "config.h"

#include "tests/api/tiled_images.h"

#include <stddef.h>

#ifdef HAVE_VULKAN_VULKAN_CORE_H

#include "tests/api/vulkan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEVELS_MAX = 8 };

static struct vulkan_piece staging;
static unsigned char *mapped;
static VkSemaphore written, wanted;

struct own {
	VkImage image;
	VkDeviceMemory memory;
};

static const char *start(const unsigned char *uuid)
{
	void *at;
	const char *absent = vulkan_start(uuid);
	if (absent)
		return absent;
	if (!vulkan_piece_make_mapped(&staging, TILED_TEXELS_MAX_B, &at))
		return "no memory of Vulkan's for transfers";
	mapped = at;
	return NULL;
}

static bool semaphores(int *written_out, int *wanted_out)
{
	*written_out = vulkan_semaphore_make(&written);
	*wanted_out = vulkan_semaphore_make(&wanted);
	return *written_out >= 0 && *wanted_out >= 0;
}

static VkFormat format_of(const cl_image_format *format)
{
	static const struct { cl_image_format cl; VkFormat vk; } formats[] = {
		{{CL_R, CL_UNSIGNED_INT8}, VK_FORMAT_R8_UINT},
		{{CL_R, CL_FLOAT}, VK_FORMAT_R32_SFLOAT},
		{{CL_RG, CL_UNORM_INT16}, VK_FORMAT_R16G16_UNORM},
		{{CL_RGBA, CL_UNORM_INT8}, VK_FORMAT_R8G8B8A8_UNORM},
		{{CL_RGBA, CL_UNSIGNED_INT8}, VK_FORMAT_R8G8B8A8_UINT},
		{{CL_BGRA, CL_UNORM_INT8}, VK_FORMAT_B8G8R8A8_UNORM},
		{{CL_RGBA, CL_HALF_FLOAT}, VK_FORMAT_R16G16B16A16_SFLOAT},
		{{CL_RGBA, CL_SIGNED_INT32}, VK_FORMAT_R32G32B32A32_SINT},
	};
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (!memcmp(format, &formats[i].cl, sizeof(*format)))
			return formats[i].vk;
	return VK_FORMAT_UNDEFINED;
}

static VkImageCreateInfo info_of(const struct tiled_shape *shape)
{
	return (VkImageCreateInfo){
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.imageType = shape->depth ? VK_IMAGE_TYPE_3D : shape->height ? VK_IMAGE_TYPE_2D : VK_IMAGE_TYPE_1D,
		.format = format_of(&shape->format),
		.extent = {(uint32_t)shape->width, shape->height ? (uint32_t)shape->height : 1,
			   shape->depth ? (uint32_t)shape->depth : 1},
		.mipLevels = shape->levels, .arrayLayers = shape->layers ? (uint32_t)shape->layers : 1,
		.samples = VK_SAMPLE_COUNT_1_BIT, .tiling = VK_IMAGE_TILING_OPTIMAL,
		.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT |
			 VK_IMAGE_USAGE_SAMPLED_BIT |
			 (shape->color_attachment ? VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT : 0u),
	};
}

/* Whether there are such images that can be exported, and whether only with an allocation of their own. */
static enum tiled_made can_export(const VkImageCreateInfo *info, bool *dedicated_out)
{
	const VkPhysicalDeviceExternalImageFormatInfo external = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_IMAGE_FORMAT_INFO,
		.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
	const VkPhysicalDeviceImageFormatInfo2 asked = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2, .pNext = &external,
		.format = info->format, .type = info->imageType, .tiling = info->tiling, .usage = info->usage};
	VkExternalImageFormatProperties found = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_IMAGE_FORMAT_PROPERTIES};
	VkImageFormatProperties2 properties = {.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2,
					       .pNext = &found};
	const VkResult result = vk.vkGetPhysicalDeviceImageFormatProperties2(vulkan.physical, &asked, &properties);
	if (result)
		return result == VK_ERROR_FORMAT_NOT_SUPPORTED ? TILED_ABSENT : TILED_FAILED;
	const VkExternalMemoryFeatureFlags features = found.externalMemoryProperties.externalMemoryFeatures;
	const VkImageFormatProperties *most = &properties.imageFormatProperties;
	*dedicated_out = features & VK_EXTERNAL_MEMORY_FEATURE_DEDICATED_ONLY_BIT;
	return features & VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT && info->mipLevels <= most->maxMipLevels &&
			       info->arrayLayers <= most->maxArrayLayers
		       ? TILED_MADE : TILED_ABSENT;
}

/* Images that shaders may store to, where Vulkan has such of the format. */
static enum tiled_made usage_choose(VkImageCreateInfo *info, bool *dedicated_out)
{
	const VkImageUsageFlags usage = info->usage;
	info->usage = usage | VK_IMAGE_USAGE_STORAGE_BIT;
	const enum tiled_made made = can_export(info, dedicated_out);
	if (made != TILED_ABSENT)
		return made;
	info->usage = usage;
	return can_export(info, dedicated_out);
}

/* An offset is what the image's alignment allows. */
static bool memory_make(struct tiled_image *image)
{
	struct own *own = image->own;
	VkMemoryRequirements needs;
	const VkMemoryDedicatedAllocateInfo dedicated = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO, .image = own->image};
	const VkExportMemoryAllocateInfo export = {
		.sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO,
		.pNext = image->dedicated ? &dedicated : NULL,
		.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
	vk.vkGetImageMemoryRequirements(vulkan.device, own->image, &needs);
	image->offset_B = image->shape->with_offset && !image->dedicated ? needs.alignment : 0;
	image->allocation_B = image->offset_B + needs.size;
	if (!vulkan_allocate(image->allocation_B, needs.memoryTypeBits, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, &export,
			     &own->memory)) {
		own->memory = VK_NULL_HANDLE;
		return false;
	}
	if (vk.vkBindImageMemory(vulkan.device, own->image, own->memory, image->offset_B))
		return false;
	image->fd = vulkan_memory_fd(own->memory);
	return image->fd >= 0;
}

static void drop(const struct tiled_image *image)
{
	struct own *own = image->own;
	vk.vkDestroyImage(vulkan.device, own->image, NULL);
	vk.vkFreeMemory(vulkan.device, own->memory, NULL);
	free(own);
}

static enum tiled_made make(const struct tiled_shape *shape, struct tiled_image *image)
{
	const VkExternalMemoryImageCreateInfo external = {
		.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO,
		.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
	VkImageCreateInfo info = info_of(shape);
	struct own *own = calloc(1, sizeof(*own));
	bool only_dedicated = false;
	*image = (struct tiled_image){.shape = shape, .fd = -1, .own = own};
	enum tiled_made made = !own || info.format == VK_FORMAT_UNDEFINED ? TILED_FAILED
									  : usage_choose(&info, &only_dedicated);
	image->dedicated = shape->dedicated || only_dedicated;
	info.pNext = &external;
	if (made == TILED_MADE && vk.vkCreateImage(vulkan.device, &info, NULL, &own->image))
		made = TILED_FAILED;
	if (made != TILED_MADE) {
		free(own);
		return made;
	}
	if (memory_make(image))
		return TILED_MADE;
	drop(image);
	return TILED_FAILED;
}

/* --- transfers ---------- */

static void barrier(VkCommandBuffer commands, const struct tiled_image *image, uint32_t from, uint32_t to,
		    VkImageLayout before)
{
	const struct own *own = image->own;
	const VkAccessFlags transfers = VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
	const VkImageMemoryBarrier change = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
		.srcAccessMask = from == VK_QUEUE_FAMILY_EXTERNAL ? 0 : transfers,
		.dstAccessMask = to == VK_QUEUE_FAMILY_EXTERNAL ? 0 : transfers,
		.oldLayout = before, .newLayout = VK_IMAGE_LAYOUT_GENERAL,
		.srcQueueFamilyIndex = from, .dstQueueFamilyIndex = to, .image = own->image,
		.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, VK_REMAINING_MIP_LEVELS, 0,
				     VK_REMAINING_ARRAY_LAYERS}};
	vk.vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, NULL,
				0, NULL, 1, &change);
}

static void copies_of(const struct tiled_shape *shape, VkBufferImageCopy copies[LEVELS_MAX])
{
	for (unsigned level = 0; level < shape->levels; level++) {
		size_t region[3];
		tiled_region(shape, level, region);
		copies[level] = (VkBufferImageCopy){
			.bufferOffset = tiled_level_at(shape, level),
			.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, level, 0,
					     shape->layers ? (uint32_t)shape->layers : 1},
			.imageExtent = {(uint32_t)region[0], shape->height ? (uint32_t)region[1] : 1,
					shape->depth ? (uint32_t)region[2] : 1}};
	}
}

static bool write_texels(const struct tiled_image *image, const void *texels)
{
	const struct own *own = image->own;
	VkBufferImageCopy copies[LEVELS_MAX];
	VkCommandBuffer commands = vulkan_record();
	if (!commands)
		return false;
	memcpy(mapped, texels, tiled_level_at(image->shape, image->shape->levels));
	copies_of(image->shape, copies);
	barrier(commands, image, VK_QUEUE_FAMILY_IGNORED, VK_QUEUE_FAMILY_IGNORED, VK_IMAGE_LAYOUT_UNDEFINED);
	vk.vkCmdCopyBufferToImage(commands, staging.buffer, own->image, VK_IMAGE_LAYOUT_GENERAL, image->shape->levels,
				  copies);
	barrier(commands, image, vulkan.family, VK_QUEUE_FAMILY_EXTERNAL, VK_IMAGE_LAYOUT_GENERAL);
	return vulkan_submit(commands, VK_NULL_HANDLE, written);
}

static bool clear(const struct tiled_image *image, const unsigned char color[4])
{
	const struct own *own = image->own;
	const VkClearColorValue value = {.uint32 = {color[0], color[1], color[2], color[3]}};
	const VkImageSubresourceRange all = {VK_IMAGE_ASPECT_COLOR_BIT, 0, VK_REMAINING_MIP_LEVELS, 0,
					     VK_REMAINING_ARRAY_LAYERS};
	VkCommandBuffer commands = vulkan_record();
	if (!commands)
		return false;
	barrier(commands, image, VK_QUEUE_FAMILY_IGNORED, VK_QUEUE_FAMILY_IGNORED, VK_IMAGE_LAYOUT_UNDEFINED);
	vk.vkCmdClearColorImage(commands, own->image, VK_IMAGE_LAYOUT_GENERAL, &value, 1, &all);
	barrier(commands, image, vulkan.family, VK_QUEUE_FAMILY_EXTERNAL, VK_IMAGE_LAYOUT_GENERAL);
	return vulkan_submit(commands, VK_NULL_HANDLE, written);
}

static bool read_texels(const struct tiled_image *image, void *texels)
{
	const struct own *own = image->own;
	const VkMemoryBarrier to_host = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
					 .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
					 .dstAccessMask = VK_ACCESS_HOST_READ_BIT};
	const size_t size_B = tiled_level_at(image->shape, image->shape->levels);
	VkBufferImageCopy copies[LEVELS_MAX];
	VkCommandBuffer commands = vulkan_record();
	if (!commands)
		return false;
	memset(mapped, 0x5A, size_B);
	copies_of(image->shape, copies);
	barrier(commands, image, VK_QUEUE_FAMILY_EXTERNAL, vulkan.family, VK_IMAGE_LAYOUT_GENERAL);
	vk.vkCmdCopyImageToBuffer(commands, own->image, VK_IMAGE_LAYOUT_GENERAL, staging.buffer, image->shape->levels,
				  copies);
	vk.vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &to_host, 0,
				NULL, 0, NULL);
	if (!vulkan_submit(commands, wanted, VK_NULL_HANDLE) || !vulkan_finish())
		return false;
	memcpy(texels, mapped, size_B);
	return true;
}

static void end(void)
{
	(void)vk.vkDeviceWaitIdle(vulkan.device);
	vk.vkDestroySemaphore(vulkan.device, written, NULL);
	vk.vkDestroySemaphore(vulkan.device, wanted, NULL);
	vulkan_piece_free(&staging);
	vulkan_end();
}

const struct tiled_maker tiled_vulkan = {
	.start = start, .semaphores = semaphores, .make = make, .write = write_texels, .clear = clear,
	.read = read_texels, .drop = drop, .end = end,
};

#else

static const char *start(const unsigned char *uuid)
{
	(void)uuid;
	return "built without the headers of Vulkan";
}

const struct tiled_maker tiled_vulkan = {.start = start};

#endif
