/* The linker: PTX is joined to a container; errors are written to the caller's log. */
#include "config.h"

#include "base/log.h"
#include "softcuda/calls/door.h"
#include "softcuda/driver/context.h"
#include "softcuda/driver/handle.h"
#include "softcuda/driver/image.h"
#include "softcuda/driver/schedule.h"
#include "softcuda/exec/exec.h"

#include <stdlib.h>
#include <string.h>

/* As in CUDA, only one thread at a time may use a linker. */
struct linker {
	CUlinkState handle;
	struct soft_jit jit;
	struct bytes ptx;                    /* of all inputs */
	struct bytes errors;
	struct bytes image;                  /* the result of cuLinkComplete */
	unsigned inputs;
	bool checked;                        /* all of ptx has been parsed */
};

static CUresult create_locked(const struct soft_jit *jit, CUlinkState *state_out)
{
	struct linker *linker = calloc(1, sizeof(*linker));
	if (!linker)
		return CUDA_ERROR_OUT_OF_MEMORY;
	linker->handle = soft_handle_create_locked(SOFT_KIND_LINK, linker);
	if (!linker->handle) {
		free(linker);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	linker->jit = *jit;
	*state_out = linker->handle;
	return CUDA_SUCCESS;
}

CUresult cuLinkCreate_v2(unsigned int count, CUjit_option *options, void **values,
			 CUlinkState *state_out)
{
	struct soft_jit jit = {0};
	if (!state_out)
		return CUDA_ERROR_INVALID_VALUE;
	CUresult result = soft_jit_read(&jit, count, options, values);
	if (result != CUDA_SUCCESS)
		return result;
	SOFT_CALL(SOFT_NEED_CONTEXT, create_locked(&jit, state_out));
}

CUresult cuLinkCreate(unsigned int count, CUjit_option *options, void **values,
		      CUlinkState *state_out)
{
	return cuLinkCreate_v2(count, options, values, state_out);
}

static struct linker *linker_find(const char *call, CUlinkState state, CUresult *result_out)
{
	struct soft_context *context = NULL;
	*result_out = soft_enter(call, SOFT_NEED_CONTEXT, &context);
	if (*result_out != CUDA_SUCCESS)
		return NULL;
	struct linker *linker = soft_handle_find_locked(SOFT_KIND_LINK, state);
	*result_out = soft_leave(call, linker ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE);
	return linker;
}

/* --- inputs ---------- */

/* Skips .version, .target and .address_size, which a module must have only once. */
static const char *skip_header(const char *ptx, const char *end)
{
	static const char last[] = ".address_size";
	for (const char *line = ptx; line < end;) {
		const char *line_end = memchr(line, '\n', (size_t)(end - line));
		const char *next = line_end ? line_end + 1 : end;
		while (line < next && (*line == ' ' || *line == '\t'))
			line++;
		if ((size_t)(next - line) > sizeof(last) && !memcmp(line, last, sizeof(last) - 1))
			return next;
		line = next;
	}
	return ptx;
}

static CUresult ptx_check(struct linker *linker, const char *ptx, size_t size_B)
{
	struct soft_program *program;
	CUresult result = soft_image_parse(ptx, size_B, &linker->errors, &program);
	if (result == CUDA_SUCCESS)
		soft_program_destroy(program);
	return result;
}

static CUresult input_add(struct linker *linker, const void *data, size_t size_B,
			  const char *name)
{
	const char *ptx;
	size_t ptx_size_B;
	CUresult result = soft_image_open(data, size_B, &linker->errors, &ptx, &ptx_size_B);
	if (result == CUDA_SUCCESS && !linker->inputs) {
		/* A module that calls functions of others can be parsed only together with them. */
		struct bytes text = BYTES_INIT;
		bytes_append(&text, ptx, ptx_size_B);
		bool open = strstr(bytes_string(&text), ".extern .func") != NULL;
		bytes_finish(&text);
		linker->checked = !open;
		if (!open)
			result = ptx_check(linker, ptx, ptx_size_B);
	}
	if (result != CUDA_SUCCESS) {
		if (name && *name)
			bytes_printf(&linker->errors, "\nin %s", name);
		return result;
	}
	const char *start = linker->inputs ? skip_header(ptx, ptx + ptx_size_B) : ptx;
	if (linker->inputs++)
		linker->checked = false;
	bytes_append(&linker->ptx, start, ptx_size_B - (size_t)(start - ptx));
	bytes_append_char(&linker->ptx, '\n');
	return bytes_failed(&linker->ptx) ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
}

static CUresult add(const char *call, struct linker *linker, CUjitInputType type,
		    const void *data, size_t size_B, const char *name)
{
	CUresult result;
	if (!data || !size_B) {
		result = CUDA_ERROR_INVALID_VALUE;
	} else if (type != CU_JIT_INPUT_PTX && type != CU_JIT_INPUT_CUBIN) {
		bytes_printf(&linker->errors, "softcuda: only PTX can be linked, not inputs of "
			     "type %d", (int)type);
		result = CUDA_ERROR_NOT_SUPPORTED;
	} else {
		result = input_add(linker, data, size_B, name);
	}
	if (result != CUDA_SUCCESS)
		log_err("softcuda: %s: %d: %.*s", call, (int)result,
			soft_line_length(&linker->errors), bytes_string(&linker->errors));
	soft_jit_report(&linker->jit, "", bytes_string(&linker->errors));
	return result;
}

/* Options for a single input are accepted without effect. */
CUresult cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void *data, size_t size_B,
			  const char *name, unsigned int count, CUjit_option *options,
			  void **values)
{
	struct soft_jit unused = {0};
	CUresult result = soft_jit_read(&unused, count, options, values);
	if (result != CUDA_SUCCESS)
		return result;
	struct linker *linker = linker_find(__func__, state, &result);
	return linker ? add(__func__, linker, type, data, size_B, name) : result;
}

CUresult cuLinkAddData(CUlinkState state, CUjitInputType type, void *data, size_t size_B,
		       const char *name, unsigned int count, CUjit_option *options, void **values)
{
	return cuLinkAddData_v2(state, type, data, size_B, name, count, options, values);
}

CUresult cuLinkAddFile_v2(CUlinkState state, CUjitInputType type, const char *path,
			  unsigned int count, CUjit_option *options, void **values)
{
	struct soft_jit unused = {0};
	struct bytes data = BYTES_INIT;
	if (!path)
		return CUDA_ERROR_INVALID_VALUE;
	CUresult result = soft_jit_read(&unused, count, options, values);
	if (result != CUDA_SUCCESS)
		return result;
	struct linker *linker = linker_find(__func__, state, &result);
	if (!linker)
		return result;
	if (bytes_read_file(&data, path))
		return CUDA_ERROR_FILE_NOT_FOUND;
	result = add(__func__, linker, type, data.data, data.size_B, path);
	bytes_finish(&data);
	return result;
}

CUresult cuLinkAddFile(CUlinkState state, CUjitInputType type, const char *path,
		       unsigned int count, CUjit_option *options, void **values)
{
	return cuLinkAddFile_v2(state, type, path, count, options, values);
}

/* --- the result ---------- */

static CUresult complete(struct linker *linker)
{
	if (!linker->inputs) {
		bytes_append_string(&linker->errors, "softcuda: there is no input to link");
		return CUDA_ERROR_INVALID_VALUE;
	}
	CUresult result = linker->checked ? CUDA_SUCCESS
					  : ptx_check(linker, bytes_string(&linker->ptx),
						      linker->ptx.size_B);
	if (result != CUDA_SUCCESS)
		return result;
	linker->checked = true;
	bytes_finish(&linker->image);
	soft_image_wrap(&linker->image, bytes_string(&linker->ptx), linker->ptx.size_B);
	return bytes_failed(&linker->image) ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
}

CUresult cuLinkComplete(CUlinkState state, void **image_out, size_t *size_B_out)
{
	CUresult result;
	struct bytes info = BYTES_INIT;
	struct linker *linker = linker_find(__func__, state, &result);
	if (!linker)
		return result;
	result = image_out ? complete(linker) : CUDA_ERROR_INVALID_VALUE;
	if (result == CUDA_SUCCESS) {
		*image_out = linker->image.data;
		if (size_B_out)
			*size_B_out = linker->image.size_B;
		if (linker->jit.verbose)
			bytes_printf(&info, "softcuda: linked %u input(s), %zu bytes",
				     linker->inputs, linker->image.size_B);
	} else {
		log_err("softcuda: %s: %d: %.*s", __func__, (int)result,
			soft_line_length(&linker->errors), bytes_string(&linker->errors));
	}
	soft_jit_report(&linker->jit, bytes_string(&info), bytes_string(&linker->errors));
	bytes_finish(&info);
	return result;
}

static CUresult destroy_locked(CUlinkState state)
{
	struct linker *linker = soft_handle_find_locked(SOFT_KIND_LINK, state);
	if (!linker)
		return CUDA_ERROR_INVALID_HANDLE;
	soft_handle_destroy_locked(linker->handle);
	bytes_finish(&linker->ptx);
	bytes_finish(&linker->errors);
	bytes_finish(&linker->image);
	free(linker);
	return CUDA_SUCCESS;
}

CUresult cuLinkDestroy(CUlinkState state)
{
	SOFT_CALL(SOFT_NEED_INIT, destroy_locked(state));
}
