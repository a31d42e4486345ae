#include "config.h"

#include "icd/program/module.h"

#include "base/cancel.h"
#include "base/list.h"
#include "base/lock.h"
#include "base/log.h"
#include "cache/cache.h"
#include "icd/memory/stream_set.h"
#include "icd/program/module_load.h"

#include <stdlib.h>
#include <string.h>

enum { IDLE_MAX = 32 };
#define IDLE_MAX_B ((size_t)16 << 20)

struct ocl_module {
	/* modules_lock guards the next three fields. */
	struct list link;            /* in modules */
	struct list idle_link;       /* in idle, while it has no references */
	unsigned refs;
	cl_device_id device;         /* immutable */
	struct ocl_code *code;       /* immutable: a reference */
	struct ocl_stream_set streams; /* the streams that use it */
	struct lock lock;            /* guards the fields below */
	struct lock_condition settled;       /* loading became false */
	bool loading;                /* a thread is loading a part, without the lock */
	struct gpu_module *gpu[OCL_MODULE_PARTS];
};

/* All modules that can be shared and, in the order in which they became idle, those without references: if a program
 * is built again, they need not be loaded again. */
static struct lock modules_lock = LOCK_INIT(LOCK_RANK_CACHE);
static struct list modules = {&modules, &modules};
static struct list idle = {&idle, &idle};        /* this and the fields below are guarded by modules_lock */
static unsigned idle_count;
static size_t idle_B;

static bool bytes_equal(const struct bytes *a, const struct bytes *b)
{
	return a->size_B == b->size_B && (!a->size_B || !memcmp(a->data, b->data, a->size_B));
}

/* Whether the contents are equal.  They are unpacked only if one is packed and the other is not, which is rare. */
static bool content_equal(struct packed_bytes *a, struct packed_bytes *b)
{
	if (a->packed == b->packed)
		return bytes_equal(&a->bytes, &b->bytes);
	const struct bytes *a_bytes = packed_bytes_open(a), *b_bytes = packed_bytes_open(b);
	return a_bytes && b_bytes && bytes_equal(a_bytes, b_bytes);
}

/* Whether modules of this code can be shared.  Not if loading may add register statistics to each program's log, nor
 * if the program has variables of its own. */
static bool code_is_shared(const struct ocl_code *code)
{
	return !code->choice.verbose && code->abi && !code->abi->global_variables_B;
}

/* Whether the driver's compiler gets the same options. */
static bool choice_equal(const struct codegen_choice *a, const struct codegen_choice *b)
{
	return a->optimization == b->optimization && a->max_registers == b->max_registers &&
	       a->line_info == b->line_info;
}

/* Whether the driver makes the same machine code. */
static bool code_equal(struct ocl_code *a, struct ocl_code *b)
{
	return a == b ||
	       (a->sm == b->sm && a->ptx_sm == b->ptx_sm &&
		choice_equal(&a->choice, &b->choice) &&
		bytes_equal(&a->cubin, &b->cubin) && content_equal(&a->ptx, &b->ptx) &&
		a->abi->narrow_ids == b->abi->narrow_ids &&
		/* The part for wide ids is compiled from the object. */
		(!a->abi->narrow_ids || content_equal(&a->object, &b->object)));
}

static struct ocl_module *module_create(cl_device_id device, struct ocl_code *code)
{
	struct ocl_module *module = calloc(1, sizeof(*module));
	if (!module)
		return NULL;
	if (lock_init(&module->lock, LOCK_RANK_PROGRAM))
		goto fail_lock;
	if (lock_condition_init(&module->settled))
		goto fail_condition;
	list_init(&module->link);
	list_init(&module->idle_link);
	module->refs = 1;
	ocl_stream_set_init(&module->streams);
	/* An idle module may outlive a sub-device. */
	module->device = ocl_device_root(device);
	module->code = ocl_code_ref(code);
	return module;
fail_condition:
	lock_finish(&module->lock);
fail_lock:
	free(module);
	return NULL;
}

static size_t module_B(const struct ocl_module *module)
{
	return module->code->cubin.size_B + module->code->ptx.bytes.size_B;
}

static void idle_remove_locked(struct ocl_module *module)
{
	list_remove(&module->idle_link);
	idle_count--;
	idle_B -= module_B(module);
}

/* Moves idle modules to gone until the others are within the limits. */
static void shrink_locked(unsigned count_max, size_t size_max_B, struct list *gone)
{
	while (!list_empty(&idle) && (idle_count > count_max || idle_B > size_max_B)) {
		struct ocl_module *module = list_entry(idle.next, struct ocl_module, idle_link);
		idle_remove_locked(module);
		list_remove(&module->link);
		list_append(gone, &module->idle_link);
	}
}

/* The last reference was released: the module stays as an idle one, or is moved to gone. */
static void retire_locked(struct ocl_module *module, bool keep, struct list *gone)
{
	if (!keep || list_empty(&module->link) || !module->gpu[OCL_MODULE_PLAIN]) {
		list_remove(&module->link);
		list_append(gone, &module->idle_link);
		return;
	}
	list_append(&idle, &module->idle_link);
	idle_count++;
	idle_B += module_B(module);
	shrink_locked(IDLE_MAX, IDLE_MAX_B, gone);
}

static struct ocl_module *find_locked(cl_device_id device, struct ocl_code *code)
{
	struct list *link, *next;
	list_for_each(link, next, &modules) {
		struct ocl_module *module = list_entry(link, struct ocl_module, link);
		if (module->device->gpu == device->gpu && code_equal(module->code, code)) {
			if (!module->refs++)
				idle_remove_locked(module);
			return module;
		}
	}
	return NULL;
}

static struct ocl_module *find(cl_device_id device, struct ocl_code *code)
{
	lock_take(&modules_lock);
	struct ocl_module *found = find_locked(device, code);
	lock_drop(&modules_lock);
	return found;
}

struct ocl_module *ocl_module_get(cl_device_id device, struct ocl_code *code)
{
	if (!code_is_shared(code))
		return module_create(device, code);
	struct ocl_module *found = find(device, code);
	struct ocl_module *made = found ? NULL : module_create(device, code);
	if (!made)
		return found;
	/* Another thread may have made an equal module meanwhile. */
	lock_take(&modules_lock);
	found = find_locked(device, code);
	if (!found)
		list_append(&modules, &made->link);
	lock_drop(&modules_lock);
	if (!found)
		return made;
	ocl_module_unref(made);
	return found;
}

struct ocl_module *ocl_module_ref(struct ocl_module *module)
{
	lock_take(&modules_lock);
	module->refs++;
	lock_drop(&modules_lock);
	return module;
}

static void module_destroy(struct ocl_module *module)
{
	struct ocl_witnesses running = OCL_WITNESSES_INIT;
	ocl_stream_set_collect(&module->streams, &running);
	for (unsigned part = 0; part < OCL_MODULE_PARTS; part++)
		gpu_module_unload(module->gpu[part], running.events, running.count);
	ocl_witnesses_finish(&running);
	ocl_stream_set_finish(&module->streams);
	lock_condition_finish(&module->settled);
	lock_finish(&module->lock);
	ocl_code_unref(module->code);
	free(module);
}

static void destroy_all(struct list *gone)
{
	struct list *link, *next;
	list_for_each(link, next, gone)
		module_destroy(list_entry(link, struct ocl_module, idle_link));
}

void ocl_module_unref(struct ocl_module *module)
{
	struct list gone;
	if (!module)
		return;
	list_init(&gone);
	const bool keep = cache_default() != NULL;
	lock_take(&modules_lock);
	if (!--module->refs)
		retire_locked(module, keep, &gone);
	lock_drop(&modules_lock);
	destroy_all(&gone);
}

void ocl_modules_forget(void)
{
	struct list gone;
	list_init(&gone);
	lock_take(&modules_lock);
	shrink_locked(0, 0, &gone);
	lock_drop(&modules_lock);
	destroy_all(&gone);
}

static bool has_part(const struct ocl_module *module, enum ocl_module_part part)
{
	const struct ocl_code *code = module->code;
	return part == OCL_MODULE_WIDE ? code->abi->narrow_ids : ocl_code_is_split(code);
}

/* Loads a part without the lock, because that is slow; other threads that need the part wait.  If loading failed
 * each of them tries again, because the error may have been a lack of memory. */
static cl_int load_once(struct ocl_module *module, enum ocl_module_part part,
			struct bytes *log, struct gpu_module **module_out)
{
	struct gpu_module *loaded = NULL;
	cl_int error = CL_SUCCESS;
	lock_assert_none();
	lock_take(&module->lock);
	while (module->loading)
		lock_condition_wait(&module->settled, &module->lock);
	if (!module->gpu[part]) {
		module->loading = true;
		lock_drop(&module->lock);
		const int before = cancel_hold();
		/* The plain part has been loaded before any other part. */
		error = ocl_module_load_part(module->code, module->device, part,
					     module->gpu[OCL_MODULE_PLAIN], &loaded, log);
		cancel_restore(before);
		lock_take(&module->lock);
		module->gpu[part] = error ? NULL : loaded;
		module->loading = false;
		lock_condition_signal_all(&module->settled);
	}
	if (!error)
		*module_out = module->gpu[part];
	lock_drop(&module->lock);
	return error;
}

cl_int ocl_module_load(struct ocl_module *module, enum ocl_module_part part,
		       struct bytes *log, struct gpu_module **module_out)
{
	cl_int error = load_once(module, OCL_MODULE_PLAIN, log, module_out);
	if (error || part == OCL_MODULE_PLAIN || !has_part(module, part))
		return error;
	return load_once(module, part, log, module_out);
}

cl_int ocl_module_open(struct ocl_module *module, enum ocl_module_part part,
		       struct gpu_module **module_out)
{
	struct bytes log = BYTES_INIT;
	cl_int error = ocl_module_load(module, part, &log, module_out);
	if (error)
		log_err("module: error %d: %s", error, bytes_string(&log));
	bytes_finish(&log);
	/* OpenCL 3.0 API, 5.9.1 and 5.10: code that cannot be loaded counts as no executable. */
	return error == CL_BUILD_PROGRAM_FAILURE || error == CL_INVALID_BINARY ||
	       error == CL_COMPILER_NOT_AVAILABLE ? CL_INVALID_PROGRAM_EXECUTABLE : error;
}

struct ocl_stream_set *ocl_module_streams(struct ocl_module *module)
{
	return &module->streams;
}
