#include "config.h"

#include "softcuda/exec/code_cache.h"

#include "base/build_id.h"
#include "base/hash.h"
#include "base/processors.h"
#include "cache/cache.h"

#include <pthread.h>
#include <string.h>

/* The shared libraries of LLVM that the compiler loads, up to a NULL: none where LLVM is inside. */
static const char *const llvm_files[] = {CULVERT_LLVM_FILES NULL};

/* The first byte of a value, by which entries of the cache are told apart (docs/binary-format.md).  The kernel's name
 * follows, with its NUL, and then the answer. */
enum { MACHINE_CODE = 'S' };

/* What processors_describe says; it is filled once. */
static struct bytes processor;

static void describe_processor(void)
{
	processors_describe(&processor);
}

bool code_cache_is_on(void)
{
	return cache_default() != NULL;
}

void code_cache_builders(struct bytes *builders)
{
	const size_t count = sizeof(llvm_files) / sizeof(llvm_files[0]) - 1;
	if (code_cache_is_on() && !build_id_append_own(builders, CODE_CACHE_COMPILER, llvm_files, count))
		bytes_finish(builders);
}

/* False if nothing may be found or stored. */
static bool make_key(const struct bytes *builders, const struct bytes *order, struct hash *key_out)
{
	static const char title[] = "machine code of softcuda";
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, describe_processor);
	if (!code_cache_is_on() || !builders->size_B || bytes_failed(builders) || bytes_failed(order) ||
	    bytes_failed(&processor))
		return false;
	/* The sizes tell where each part ends. */
	const uint64_t sizes_B[] = {builders->size_B, processor.size_B};
	const struct hash_part parts[] = {
		{title, sizeof(title)}, {sizes_B, sizeof(sizes_B)}, {builders->data, builders->size_B},
		{processor.data, processor.size_B}, {order->data, order->size_B}
	};
	*key_out = hash_of_parts(parts, sizeof(parts) / sizeof(parts[0]));
	return true;
}

bool code_cache_get(const struct bytes *builders, const struct bytes *order, struct bytes *answer_out)
{
	struct hash key;
	struct bytes value = BYTES_INIT;
	const bool found = make_key(builders, order, &key) && cache_get(cache_default(), &key, &value);
	const char *name_end = found && value.size_B && value.data[0] == MACHINE_CODE ?
			       memchr(value.data, '\0', value.size_B) : NULL;
	if (name_end)
		bytes_append(answer_out, name_end + 1, value.size_B - (size_t)(name_end + 1 - value.data));
	bytes_finish(&value);
	return name_end && !bytes_failed(answer_out);
}

void code_cache_put(const struct bytes *builders, const struct bytes *order, const char *name,
		    const struct bytes *answer)
{
	struct hash key;
	struct bytes value = BYTES_INIT;
	if (!make_key(builders, order, &key))
		return;
	bytes_append_char(&value, MACHINE_CODE);
	bytes_append(&value, name, strlen(name) + 1);
	bytes_append(&value, answer->data, answer->size_B);
	if (!bytes_failed(&value))
		cache_put(cache_default(), &key, &value);
	bytes_finish(&value);
}

void code_cache_drop(const struct bytes *builders, const struct bytes *order)
{
	struct hash key;
	if (make_key(builders, order, &key))
		cache_drop(cache_default(), &key);
}
