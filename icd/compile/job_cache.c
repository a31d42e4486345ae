/* What is stored on disk under a job's key begins with a byte that says what follows.
 *
 * PLAIN: the code (icd/compile/program_binary.h, with its log), if the compiler asked nothing of the machine.
 *
 * LISTS: lists of what the compiler asked (icd/compile/asked.h), newest first.  The code, after PLAIN, is stored
 * under a key that is made from the job's key and such a list. */
#include "config.h"

#include "icd/compile/job_cache.h"

#include "base/list.h"
#include "base/lock.h"
#include "cache/cache.h"
#include "icd/compile/asked.h"
#include "icd/compile/program_binary.h"

#include <stdlib.h>
#include <string.h>

enum {
	PLAIN = 'P',
	LISTS = 'C',
	LISTS_MAX = 16,
	ENTRIES_MAX = 64             /* entries in memory */
};

#define ENTRIES_MAX_B ((size_t)64 << 20)

/* --- in memory -------------------------------------------------------------------------- */

/* The outcome of one job.  Constant, except for its place in the list. */
struct entry {
	struct list link;            /* in entries, or in no list; guarded by lock */
	struct entry *next_gone;     /* a chain of entries that one thread has taken out of the list */
	atomic_uint refs;
	struct ocl_job_key_copy key;
	struct bytes asked;          /* rows of an fe_inputs */
	struct ocl_code *code;       /* with a reference; NULL: the job failed */
	cl_int error;                /* of a job that failed */
	struct bytes log;            /* the compilers' messages, of a job that failed */
};

static struct lock lock = LOCK_INIT(LOCK_RANK_CACHE);
/* All guarded by lock.  The entries in memory, the last used first; their number, and the size of all. */
static struct list entries = {&entries, &entries};
static unsigned entries_count;
static size_t entries_B;

static size_t entry_B(const struct entry *item)
{
	const struct ocl_code *code = item->code;
	const size_t own_B = item->key.size_B + item->asked.size_B + item->log.size_B;
	if (!code)
		return own_B;
	return own_B + code->object.bytes.size_B + code->ptx.bytes.size_B + code->cubin.size_B +
	       code->log.size_B;
}

static void entry_unref(struct entry *item)
{
	if (!item || atomic_fetch_sub_explicit(&item->refs, 1, memory_order_acq_rel) != 1)
		return;
	ocl_code_unref(item->code);
	ocl_job_key_copy_finish(&item->key);
	bytes_finish(&item->asked);
	bytes_finish(&item->log);
	free(item);
}

/* Takes entries out of the list until it is within the limits, and returns them with the list's references.  They
 * are chained by next_gone, not by link: another thread that has found one of them uses link to see whether it is
 * still in the list. */
static struct entry *shrink_locked(unsigned count_max, size_t size_max_B)
{
	struct entry *gone = NULL;
	while (!list_empty(&entries) && (entries_count > count_max || entries_B > size_max_B)) {
		struct entry *item = list_entry(entries.previous, struct entry, link);
		list_remove(&item->link);
		item->next_gone = gone;
		gone = item;
		entries_count--;
		entries_B -= entry_B(item);
	}
	return gone;
}

static void unref_all(struct entry *gone)
{
	while (gone) {
		struct entry *next = gone->next_gone;
		entry_unref(gone);
		gone = next;
	}
}

static struct entry *entry_create(const struct ocl_job_key *key, const void *asked, size_t asked_B)
{
	struct entry *item = calloc(1, sizeof(*item));
	if (!item)
		return NULL;
	atomic_init(&item->refs, 1);
	ocl_job_key_copy(key, &item->key);
	bytes_append(&item->asked, asked, asked_B);
	return item;
}

/* Puts the entry into the list, which owns it from then on. */
static void entry_enter(struct entry *item)
{
	if (bytes_failed(&item->key.rest) || bytes_failed(&item->asked) || bytes_failed(&item->log)) {
		entry_unref(item);
		return;
	}
	lock_take(&lock);
	list_prepend(&entries, &item->link);
	entries_count++;
	entries_B += entry_B(item);
	struct entry *gone = shrink_locked(ENTRIES_MAX, ENTRIES_MAX_B);
	lock_drop(&lock);
	unref_all(gone);
}

static void entry_add(const struct ocl_job_key *key, const void *asked, size_t asked_B,
		 struct ocl_code *code)
{
	struct entry *item = entry_create(key, asked, asked_B);
	if (!item)
		return;
	item->code = ocl_code_ref(code);
	entry_enter(item);
}

void ocl_jobs_forget(void)
{
	lock_take(&lock);
	struct entry *gone = shrink_locked(0, 0);
	lock_drop(&lock);
	unref_all(gone);
}

/* Finds the outcomes of key, with references: what their compilers asked is compared without the lock. */
static unsigned entries_find(const struct ocl_job_key *key, struct entry *found[LISTS_MAX])
{
	unsigned count = 0;
	struct list *link, *next;
	lock_take(&lock);
	list_for_each(link, next, &entries) {
		struct entry *item = list_entry(link, struct entry, link);
		if (count == LISTS_MAX)
			break;
		if (!ocl_job_key_is(key, &item->key))
			continue;
		atomic_fetch_add_explicit(&item->refs, 1, memory_order_relaxed);
		found[count++] = item;
	}
	lock_drop(&lock);
	return count;
}

static void entry_used(struct entry *item)
{
	lock_take(&lock);
	if (!list_empty(&item->link)) {
		list_remove(&item->link);
		list_prepend(&entries, &item->link);
	}
	lock_drop(&lock);
}

/* The outcome, code or error, for which the machine's answers are still the same, with a reference; or NULL. */
static struct entry *entry_current(const struct ocl_job_key *key)
{
	struct entry *found[LISTS_MAX], *current = NULL;
	unsigned count = entries_find(key, found);
	for (unsigned i = 0; i < count; i++) {
		if (!current && fe_inputs_current(found[i]->asked.data, found[i]->asked.size_B)) {
			current = found[i];
			entry_used(current);
		} else {
			entry_unref(found[i]);
		}
	}
	return current;
}

static struct ocl_code *recall_from_memory(const struct ocl_job_key *key)
{
	struct entry *item = entry_current(key);
	struct ocl_code *code = item && item->code ? ocl_code_ref(item->code) : NULL;
	entry_unref(item);
	return code;
}

/* Failures are not stored on disk: another process that uses the cache may run on another system. */
cl_int ocl_job_recall_failure(const struct ocl_job_key *key, struct bytes *log)
{
	struct entry *item = entry_current(key);
	cl_int error = item && !item->code ? item->error : CL_SUCCESS;
	if (error)
		bytes_append(log, item->log.data, item->log.size_B);
	entry_unref(item);
	return error;
}

void ocl_job_remember_failure(const struct ocl_job_key *key, const struct fe_inputs *inputs,
			      cl_int error, const struct bytes *log)
{
	struct entry *item = NULL;
	if (!inputs->changing && !bytes_failed(&inputs->rows))
		item = entry_create(key, inputs->rows.data, inputs->rows.size_B);
	if (!item)
		return;
	item->error = error;
	bytes_append(&item->log, log->data, log->size_B);
	entry_enter(item);
}

/* --- on disk ---------------------------------------------------------------------------- */

static struct hash key_of_asked(const struct hash *key, const void *asked, size_t asked_B)
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

static struct ocl_code *read_code(const struct hash *key, const struct bytes *value, unsigned sm)
{
	struct ocl_code *code = NULL;
	/* The bytes are undamaged but not a program binary of ours: another program has stored them under this key. */
	if (ocl_code_read(value->data + 1, value->size_B - 1, OCL_CODE_KEPT, sm, &code) ==
	    CL_INVALID_BINARY)
		cache_drop(cache_default(), key);
	return code;
}

static struct ocl_code *recall_asked(struct ocl_job_key *key, const struct bytes *list,
				     unsigned sm)
{
	struct ocl_asked asked;
	struct ocl_code *code = NULL;
	const char *end = list->data + list->size_B;
	for (const char *at = list->data + 1; !code && ocl_asked_read(at, end, &asked);
	     at = asked.next) {
		if (!fe_inputs_current(asked.rows, asked.rows_B))
			continue;
		struct bytes value = BYTES_INIT;
		struct hash chosen = key_of_asked(ocl_job_key_hash(key), asked.rows,
						  asked.rows_B);
		if (cache_get(cache_default(), &chosen, &value) && value.size_B &&
		    value.data[0] == PLAIN)
			code = read_code(&chosen, &value, sm);
		if (code)
			entry_add(key, asked.rows, asked.rows_B, code);
		bytes_finish(&value);
	}
	return code;
}

/* Stores the present list of lists with one more at its front. */
static void store_asked(const struct hash *key, const struct bytes *asked)
{
	struct bytes old = BYTES_INIT, list = BYTES_INIT;
	struct ocl_asked other;
	bytes_append_char(&list, LISTS);
	ocl_asked_append(&list, asked->data, asked->size_B);
	if (cache_get(cache_default(), key, &old) && old.size_B && old.data[0] == LISTS) {
		const char *at = old.data + 1, *end = old.data + old.size_B;
		for (unsigned i = 1; i < LISTS_MAX && ocl_asked_read(at, end, &other);
		     i++, at = other.next)
			if (other.rows_B != asked->size_B ||
			    memcmp(other.rows, asked->data, asked->size_B))
				ocl_asked_append(&list, other.rows, other.rows_B);
	}
	if (!bytes_failed(&list))
		cache_put(cache_default(), key, &list);
	bytes_finish(&old);
	bytes_finish(&list);
}

static struct ocl_code *recall_from_disk(struct ocl_job_key *key, unsigned sm)
{
	const struct hash *hash = ocl_job_key_hash(key);
	struct bytes value = BYTES_INIT;
	struct ocl_code *code = NULL;
	if (cache_get(cache_default(), hash, &value) && value.size_B) {
		if (value.data[0] == PLAIN) {
			code = read_code(hash, &value, sm);
			if (code)
				entry_add(key, NULL, 0, code);
		} else if (value.data[0] == LISTS) {
			code = recall_asked(key, &value, sm);
		}
	}
	bytes_finish(&value);
	return code;
}

/* --- both --------------------------------------------------------------------------------- */

struct ocl_code *ocl_job_recall(struct ocl_job_key *key, unsigned sm)
{
	struct ocl_code *code = recall_from_memory(key);
	return code ? code : recall_from_disk(key, sm);
}

void ocl_job_remember(struct ocl_job_key *key, const struct fe_inputs *inputs,
		      struct ocl_code *code)
{
	const struct bytes *asked = &inputs->rows;
	if (inputs->changing || bytes_failed(asked))
		return;
	const struct hash *hash = ocl_job_key_hash(key);
	entry_add(key, asked->data, asked->size_B, code);
	if (!asked->size_B) {
		store_code(hash, code);
		return;
	}
	/* The code is stored first, so that a list never refers to code that is not there yet. */
	struct hash chosen = key_of_asked(hash, asked->data, asked->size_B);
	store_code(&chosen, code);
	store_asked(hash, asked);
}
