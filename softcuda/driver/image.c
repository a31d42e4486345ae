/* Images: the container that stands for a cubin, and the options of the JIT calls.
 *
 * A container is a header and PTX.  Programs that store binaries and load them elsewhere get the checks that a
 * driver makes: magic number, version, length and checksum. */
#include "config.h"

#include "softcuda/driver/image.h"

#include "base/log.h"
#include "base/options.h"
#include "softcuda/check/option.h"
#include "softcuda/driver/release.h"
#include "softcuda/driver/schedule.h"
#include "softcuda/driver/state.h"
#include "softcuda/exec/exec.h"
#include "softcuda/ptx/ptx.h"

#include <string.h>

static const char magic[8] = {'S', 'O', 'F', 'T', 'C', 'U', 'B', 'N'};
enum { CONTAINER_VERSION = 1 };

struct header {
	char magic[8];
	uint32_t version;
	uint32_t header_B;
	uint64_t ptx_B;                      /* without the NUL that follows it */
	uint64_t checksum;                   /* of the PTX, FNV-1a */
};

static uint64_t checksum(const char *data, size_t size_B)
{
	uint64_t hash = 0xcbf29ce484222325u;
	for (size_t i = 0; i < size_B; i++)
		hash = (hash ^ (unsigned char)data[i]) * 0x100000001b3u;
	return hash;
}

void soft_image_wrap(struct bytes *image, const char *ptx, size_t size_B)
{
	struct header header = {
		.version = CONTAINER_VERSION,
		.header_B = sizeof(header),
		.ptx_B = size_B,
		.checksum = checksum(ptx, size_B),
	};
	memcpy(header.magic, magic, sizeof(magic));
	bytes_append(image, &header, sizeof(header));
	bytes_append(image, ptx, size_B);
	bytes_append_char(image, '\0');
}

static CUresult open_container(const char *image, size_t size_B, struct bytes *log,
			       const char **ptx_out, size_t *ptx_size_B_out)
{
	struct header header;
	if (size_B && size_B < sizeof(header)) {
		bytes_append_string(log, "softcuda: the binary is truncated");
		return CUDA_ERROR_INVALID_IMAGE;
	}
	memcpy(&header, image, sizeof(header));
	if (header.version != CONTAINER_VERSION || header.header_B != sizeof(header)) {
		bytes_printf(log, "softcuda: the binary has version %u, this driver reads %d",
			     header.version, CONTAINER_VERSION);
		return CUDA_ERROR_INVALID_IMAGE;
	}
	if (size_B && header.ptx_B > size_B - sizeof(header)) {
		bytes_append_string(log, "softcuda: the binary is truncated");
		return CUDA_ERROR_INVALID_IMAGE;
	}
	if (checksum(image + sizeof(header), header.ptx_B) != header.checksum) {
		bytes_append_string(log, "softcuda: the binary's checksum is wrong");
		return CUDA_ERROR_INVALID_IMAGE;
	}
	*ptx_out = image + sizeof(header);
	*ptx_size_B_out = header.ptx_B;
	return CUDA_SUCCESS;
}

/* These magic numbers mean machine code, which cannot be executed in software. */
static bool machine_code(const char *image)
{
	static const unsigned char elf[4] = {0x7f, 'E', 'L', 'F'};
	static const unsigned char fatbin[4] = {0x50, 0xed, 0x55, 0xba};
	static const unsigned char wrapper[4] = {0xb1, 0x43, 0x62, 0x46};
	return !memcmp(image, elf, sizeof(elf)) || !memcmp(image, fatbin, sizeof(fatbin)) ||
	       !memcmp(image, wrapper, sizeof(wrapper));
}

CUresult soft_image_open(const void *image, size_t size_B, struct bytes *log,
			 const char **ptx_out, size_t *ptx_size_B_out)
{
	const char *text = image;
	/* PTX may be shorter than a magic: strncmp stops at its NUL. */
	bool room = !size_B || size_B >= sizeof(magic);
	if (room && !strncmp(text, magic, sizeof(magic)))
		return open_container(text, size_B, log, ptx_out, ptx_size_B_out);
	if (room && text[0] && text[1] && text[2] && machine_code(text)) {
		bytes_append_string(log, "softcuda: the image is machine code of a GPU; "
				    "only PTX can be run in software");
		return CUDA_ERROR_NO_BINARY_FOR_GPU;
	}
	size_t length_B = size_B ? strnlen(text, size_B) : strlen(text);
	if (!length_B) {
		bytes_append_string(log, "softcuda: the image is empty");
		return CUDA_ERROR_INVALID_IMAGE;
	}
	*ptx_out = text;
	*ptx_size_B_out = length_B;
	return CUDA_SUCCESS;
}

/* --- options of the JIT calls ---------- */

/* Options without an effect: there is no machine code that they could change. */
static bool option_without_effect(CUjit_option option)
{
	switch ((int)option) {
	case CU_JIT_MAX_REGISTERS:
	case CU_JIT_THREADS_PER_BLOCK:
	case CU_JIT_OPTIMIZATION_LEVEL:
	case CU_JIT_TARGET_FROM_CUCONTEXT:
	case CU_JIT_TARGET:
	case CU_JIT_FALLBACK_STRATEGY:
	case CU_JIT_GENERATE_DEBUG_INFO:
	case CU_JIT_GENERATE_LINE_INFO:
	case CU_JIT_CACHE_MODE:
	case CU_JIT_FAST_COMPILE:
	case CU_JIT_POSITION_INDEPENDENT_CODE:
	case 31: /* CU_JIT_MIN_CTA_PER_SM */
	case 32: /* CU_JIT_MAX_THREADS_PER_BLOCK */
	case 33: /* CU_JIT_OVERRIDE_DIRECTIVE_VALUES */
		return true;
	default:
		return false;
	}
}

static CUresult option_read(struct soft_jit *jit, CUjit_option option, void **value)
{
	switch (option) {
	case CU_JIT_WALL_TIME:
		jit->wall_time_out = value;
		break;
	case CU_JIT_INFO_LOG_BUFFER:
		jit->info_log = *value;
		break;
	case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES:
		jit->info_size_B = (size_t)(uintptr_t)*value & UINT32_MAX;
		jit->info_size_out = value;
		break;
	case CU_JIT_ERROR_LOG_BUFFER:
		jit->error_log = *value;
		break;
	case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES:
		jit->error_size_B = (size_t)(uintptr_t)*value & UINT32_MAX;
		jit->error_size_out = value;
		break;
	case CU_JIT_LOG_VERBOSE:
		jit->verbose = *value != NULL;
		break;
	default:
		if (!option_without_effect(option))
			return CUDA_ERROR_INVALID_VALUE;
	}
	return CUDA_SUCCESS;
}

CUresult soft_jit_read(struct soft_jit *jit, unsigned count, const CUjit_option *options,
		       void **values)
{
	jit->start_ns = soft_now_ns();
	if (count && (!options || !values))
		return CUDA_ERROR_INVALID_VALUE;
	for (unsigned i = 0; i < count; i++) {
		CUresult result = option_read(jit, options[i], &values[i]);
		if (result != CUDA_SUCCESS)
			return result;
	}
	return CUDA_SUCCESS;
}

static void log_write_out(char *buffer, size_t buffer_B, void **size_out, const char *text)
{
	size_t length_B = strlen(text);
	if (!buffer || !buffer_B)
		length_B = 0;
	else if (length_B > buffer_B - 1)
		length_B = buffer_B - 1;
	if (buffer && buffer_B) {
		memcpy(buffer, text, length_B);
		buffer[length_B] = '\0';
	}
	if (size_out)
		*size_out = (void *)(uintptr_t)length_B;
}

void soft_jit_report(struct soft_jit *jit, const char *info, const char *error)
{
	log_write_out(jit->info_log, jit->info_size_B, jit->info_size_out, info);
	log_write_out(jit->error_log, jit->error_size_B, jit->error_size_out, error);
	if (jit->wall_time_out) {
		/* The value's bytes are a float, in milliseconds. */
		float milliseconds = (float)((double)(soft_now_ns() - jit->start_ns) / 1e6);
		memcpy(jit->wall_time_out, &milliseconds, sizeof(milliseconds));
	}
}

CUresult soft_image_parse(const char *ptx, size_t size_B, struct bytes *log,
			  struct soft_program **program_out)
{
	const unsigned checks = check_options();
	return ptx_parse(ptx, size_B, checks & CHECK_MEMORY, checks ? PTX_FLAT_INTERNAL : PTX_FLAT_ALL,
			 soft_release_ptx(), log, program_out);
}
