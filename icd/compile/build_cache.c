/* On disk, under a job's key, behind one byte that tells which:
 *   PLAIN     the code (icd/compile/program_binary.h, with its log): nothing was asked
 *   CHOICES   what was asked (icd/compile/choices.h), again and again, newest first
 * and under a key of what was asked and the job's, the code behind PLAIN. */
#include "config.h"

#include "icd/compile/build_cache.h"

#include "base/list.h"
#include "icd/compile/choices.h"
#include "icd/compile/program_binary.h"

#include <stdlib.h>
#include <string.h>

enum {
	PLAIN = 'P',
	CHOICES = 'C',
	CHOICES_MAX = 16,
	KEPT_MAX = 64                /* codes in memory */
};

#define KEPT_MAX_B ((size_t)64 << 20)

/* --- in memory -------------------------------------------------------------------------- */

/* One outcome.  Immutable but for its place in the list. */
struct kept {
	struct list link;            /* in kept, the last used first, or in none; guarded by lock */
	struct kept *next_gone;      /* of those that one thread has taken out of the list */
	atomic_uint refs;
	struct bytes key;            /* the whole of it */
	struct bytes asked;          /* rows of an fe_inputs */
	struct ocl_code *code;       /* reference; NULL: it failed, with */
	cl_int error;
	struct bytes log;
};

static struct lock lock = LOCK_INIT(LOCK_RANK_CACHE);
static struct list kept = {&kept, &kept};        /* guarded by lock, as are */
static unsigned kept_count;
static size_t kept_B;

static size_t kept_item_B(const struct kept *item)
{
	const struct ocl_code *code = item->code;
	const size_t own_B = item->key.size_B + item->asked.size_B + item->log.size_B;
	if (!code)
		return own_B;
	return own_B + code->object.bytes.size_B + code->ptx.bytes.size_B + code->cubin.size_B +
	       code->log.size_B;
}

static void kept_unref(struct kept *item)
{
	if (!item || atomic_fetch_sub_explicit(&item->refs, 1, memory_order_acq_rel) != 1)
		return;
	ocl_code_unref(item->code);
	bytes_finish(&item->key);
	bytes_finish(&item->asked);
	bytes_finish(&item->log);
	free(item);
}

/* Takes out of the list what is too much in it: a chain with the list's references.  No list, for
 * who has found one of them takes a link that is in a list for one of kept. */
static struct kept *shrink_locked(unsigned count_max, size_t size_max_B)
{
	struct kept *gone = NULL;
	while (!list_empty(&kept) && (kept_count > count_max || kept_B > size_max_B)) {
		struct kept *item = list_entry(kept.previous, struct kept, link);
		list_remove(&item->link);
		item->next_gone = gone;
		gone = item;
		kept_count--;
		kept_B -= kept_item_B(item);
	}
	return gone;
}

static void unref_all(struct kept *gone)
{
	while (gone) {
		struct kept *next = gone->next_gone;
		kept_unref(gone);
		gone = next;
	}
}

static struct kept *kept_create(const struct ocl_build_key *key, const void *asked, size_t asked_B)
{
	struct kept *item = calloc(1, sizeof(*item));
	if (!item)
		return NULL;
	atomic_init(&item->refs, 1);
	ocl_build_key_write(key, &item->key);
	bytes_append(&item->asked, asked, asked_B);
	return item;
}

/* Takes the item. */
static void kept_enter(struct kept *item)
{
	if (bytes_failed(&item->key) || bytes_failed(&item->asked) || bytes_failed(&item->log)) {
		kept_unref(item);
		return;
	}
	lock_take(&lock);
	list_prepend(&kept, &item->link);
	kept_count++;
	kept_B += kept_item_B(item);
	struct kept *gone = shrink_locked(KEPT_MAX, KEPT_MAX_B);
	lock_drop(&lock);
	unref_all(gone);
}

static void keep(const struct ocl_build_key *key, const void *asked, size_t asked_B,
		 struct ocl_code *code)
{
	struct kept *item = kept_create(key, asked, asked_B);
	if (!item)
		return;
	item->code = ocl_code_ref(code);
	kept_enter(item);
}

void ocl_build_forget(void)
{
	lock_take(&lock);
	struct kept *gone = shrink_locked(0, 0);
	lock_drop(&lock);
	unref_all(gone);
}

/* The outcomes of key: references, since the answers are compared without the lock. */
static unsigned kept_find(const struct ocl_build_key *key, struct kept *found[CHOICES_MAX])
{
	unsigned count = 0;
	struct list *link, *next;
	lock_take(&lock);
	list_for_each(link, next, &kept) {
		struct kept *item = list_entry(link, struct kept, link);
		if (count == CHOICES_MAX)
			break;
		if (!ocl_build_key_is(key, &item->key))
			continue;
		atomic_fetch_add_explicit(&item->refs, 1, memory_order_relaxed);
		found[count++] = item;
	}
	lock_drop(&lock);
	return count;
}

static void kept_used(struct kept *item)
{
	lock_take(&lock);
	if (!list_empty(&item->link)) {
		list_remove(&item->link);
		list_prepend(&kept, &item->link);
	}
	lock_drop(&lock);
}

/* The outcome whose answers are still the same, code or failure: a reference, or NULL. */
static struct kept *kept_current(const struct ocl_build_key *key)
{
	struct kept *found[CHOICES_MAX], *current = NULL;
	unsigned count = kept_find(key, found);
	for (unsigned i = 0; i < count; i++) {
		if (!current && fe_inputs_current(found[i]->asked.data, found[i]->asked.size_B)) {
			current = found[i];
			kept_used(current);
		} else {
			kept_unref(found[i]);
		}
	}
	return current;
}

static struct ocl_code *recall_kept(const struct ocl_build_key *key)
{
	struct kept *item = kept_current(key);
	struct ocl_code *code = item && item->code ? ocl_code_ref(item->code) : NULL;
	kept_unref(item);
	return code;
}

/* On disk there are no failures: who shares it may have another system around it. */
cl_int ocl_build_recall_failure(const struct ocl_build_key *key, struct bytes *log)
{
	struct kept *item = kept_current(key);
	cl_int error = item && !item->code ? item->error : CL_SUCCESS;
	if (error)
		bytes_append(log, item->log.data, item->log.size_B);
	kept_unref(item);
	return error;
}

void ocl_build_remember_failure(const struct ocl_build_key *key, const struct fe_inputs *inputs,
				cl_int error, const struct bytes *log)
{
	struct kept *item = NULL;
	if (!inputs->changing && !bytes_failed(&inputs->rows))
		item = kept_create(key, inputs->rows.data, inputs->rows.size_B);
	if (!item)
		return;
	item->error = error;
	bytes_append(&item->log, log->data, log->size_B);
	kept_enter(item);
}

/* --- on disk ---------------------------------------------------------------------------- */

static struct hash key_of_choice(const struct hash *key, const void *asked, size_t asked_B)
{
	const struct hash_part parts[2] = {{key, sizeof(*key)}, {asked, asked_B}};
	return hash_of_parts(parts, 2);
}

static void store_code(const struct hash *key, struct ocl_code *code)
{
	struct bytes value = BYTES_INIT;
	bytes_append_char(&value, PLAIN);
	ocl_code_write(code, OCL_CODE_KEPT, &value);
	if (!bytes_failed(&value))
		cache_put(cache_default(), key, &value);
	bytes_finish(&value);
}

static struct ocl_code *read_code(const struct hash *key, const struct bytes *value,
				  cl_device_id device)
{
	struct ocl_code *code = NULL;
	/* Whole, and still not ours: written by something else under our key. */
	if (ocl_code_read(value->data + 1, value->size_B - 1, OCL_CODE_KEPT, device, &code) ==
	    CL_INVALID_BINARY)
		cache_drop(cache_default(), key);
	return code;
}

static struct ocl_code *recall_choice(struct ocl_build_key *key, const struct bytes *list,
				      cl_device_id device)
{
	struct ocl_choice choice;
	struct ocl_code *code = NULL;
	const char *end = list->data + list->size_B;
	for (const char *at = list->data + 1; !code && ocl_choice_read(at, end, &choice);
	     at = choice.next) {
		if (!fe_inputs_current(choice.asked, choice.asked_B))
			continue;
		struct bytes value = BYTES_INIT;
		struct hash chosen = key_of_choice(ocl_build_key_hash(key), choice.asked,
						   choice.asked_B);
		if (cache_get(cache_default(), &chosen, &value) && value.size_B &&
		    value.data[0] == PLAIN)
			code = read_code(&chosen, &value, device);
		if (code)
			keep(key, choice.asked, choice.asked_B, code);
		bytes_finish(&value);
	}
	return code;
}

/* The list there is, with one more in front. */
static void store_choice(const struct hash *key, const struct bytes *asked)
{
	struct bytes old = BYTES_INIT, list = BYTES_INIT;
	struct ocl_choice choice;
	bytes_append_char(&list, CHOICES);
	ocl_choice_append(&list, asked->data, asked->size_B);
	if (cache_get(cache_default(), key, &old) && old.size_B && old.data[0] == CHOICES) {
		const char *at = old.data + 1, *end = old.data + old.size_B;
		for (unsigned i = 1; i < CHOICES_MAX && ocl_choice_read(at, end, &choice);
		     i++, at = choice.next)
			if (choice.asked_B != asked->size_B ||
			    memcmp(choice.asked, asked->data, asked->size_B))
				ocl_choice_append(&list, choice.asked, choice.asked_B);
	}
	if (!bytes_failed(&list))
		cache_put(cache_default(), key, &list);
	bytes_finish(&old);
	bytes_finish(&list);
}

static struct ocl_code *recall_stored(struct ocl_build_key *key, cl_device_id device)
{
	const struct hash *hash = ocl_build_key_hash(key);
	struct bytes value = BYTES_INIT;
	struct ocl_code *code = NULL;
	if (cache_get(cache_default(), hash, &value) && value.size_B) {
		if (value.data[0] == PLAIN) {
			code = read_code(hash, &value, device);
			if (code)
				keep(key, NULL, 0, code);
		} else if (value.data[0] == CHOICES) {
			code = recall_choice(key, &value, device);
		}
	}
	bytes_finish(&value);
	return code;
}

/* --- both --------------------------------------------------------------------------------- */

struct ocl_code *ocl_build_recall(struct ocl_build_key *key, cl_device_id device)
{
	struct ocl_code *code = recall_kept(key);
	return code ? code : recall_stored(key, device);
}

void ocl_build_remember(struct ocl_build_key *key, const struct fe_inputs *inputs,
			struct ocl_code *code)
{
	const struct bytes *asked = &inputs->rows;
	if (inputs->changing || bytes_failed(asked))
		return;
	const struct hash *hash = ocl_build_key_hash(key);
	keep(key, asked->data, asked->size_B, code);
	if (!asked->size_B) {
		store_code(hash, code);
		return;
	}
	/* First the code: a list never leads to what is not there yet. */
	struct hash chosen = key_of_choice(hash, asked->data, asked->size_B);
	store_code(&chosen, code);
	store_choice(hash, asked);
}
