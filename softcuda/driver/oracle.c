#include "config.h"

#include "softcuda/driver/oracle.h"

#include "base/options.h"
#include "softcuda/check/report_file.h"
#include "softcuda/check/trace.h"
#include "softcuda/driver/memory.h"
#include "softcuda/driver/oracle_clock.h"
#include "softcuda/driver/sched.h"
#include "softcuda/driver/schedule.h"
#include "softcuda/driver/state.h"
#include "softcuda/driver/stream.h"
#include "softcuda/exec/exec.h"

#include <stdlib.h>
#include <string.h>

enum {
	REPORTS_MAX = 64,                    /* further reports are not written */
	RECORDS_MAX = 16384,                 /* records kept for each stream */
	LABEL_MAX_B = 96
};

struct span {
	const struct soft_allocation *allocation; /* while it is compared; otherwise NULL */
	uint64_t id;                         /* of the allocation */
	uint64_t start, end;
	unsigned kinds;
};

/* What is recorded of an operation. */
struct oracle_record {
	struct list pending;                 /* in oracle.pending until the operation is complete */
	struct oracle_stream *stream;
	uint64_t number;                     /* the value of its stream's clock for it */
	bool complete, begun, frees;
	uint64_t version;                    /* of the host's clock when it was submitted */
	struct clock submitted;              /* what the host knew when it was submitted */
	struct clock clock;                  /* what had happened before it, once it has begun */
	uint64_t previous;                   /* number of the stream's previous operation with spans */
	struct span *spans;                  /* sorted by start, once it is complete */
	size_t span_count, span_capacity;
	char label[LABEL_MAX_B];
};

/* The state of a stream; it outlives its soft_stream as long as its records are needed. */
struct oracle_stream {
	struct list link;                    /* of oracle.streams */
	struct soft_stream *stream;          /* NULL once that is destroyed */
	uint64_t id;
	uint32_t slot;
	uint64_t base;                       /* number = base + sequence */
	struct clock clock;                  /* of its latest complete operation */
	struct clock floor;                  /* of the latest operation whose record is not kept */
	struct oracle_record **records;      /* a ring buffer, of consecutive numbers */
	uint64_t first;                      /* number of the oldest record */
	uint64_t touching;                   /* number of the latest complete operation with spans */
	uint32_t count, capacity;
};

/* The driver's lock guards all fields except on. */
static struct {
	struct list streams;                 /* in order of their slots */
	struct list pending;                 /* in order of submission */
	struct clock host;
	uint64_t version;                    /* the number of changes of host */
	uint64_t forgotten;                  /* the version whose knowledge forget_known used last */
	struct clock done;                   /* of all complete operations */
	struct clock slots;                  /* the last number used in each slot */
	uint64_t host_writes;                /* number of host functions and waits for values so far */
	unsigned reports;
} oracle;

void soft_oracle_start(void)
{
	list_init(&oracle.streams);
	list_init(&oracle.pending);
	atomic_store(&soft_driver.oracle_on, option_flag(OPTION_SOFT_ORACLE));
}

unsigned soft_oracle_reports_locked(void)
{
	return oracle.reports;
}

void soft_oracle_restart_locked(void)
{
	oracle.reports = 0;
}

static void give_up(void)
{
	if (atomic_exchange(&soft_driver.oracle_on, false))
		soft_report("softcuda: out of memory: the ordering oracle stops\n");
}

/* --- records and their streams ---------- */

static struct oracle_record *record_at(const struct oracle_stream *stream, uint64_t number)
{
	uint64_t index = number - stream->first;
	return number >= stream->first && index < stream->count
		       ? stream->records[(stream->first + index) % stream->capacity]
		       : NULL;
}

static void record_destroy(struct oracle_record *record)
{
	list_remove(&record->pending);
	clock_finish(&record->submitted);
	clock_finish(&record->clock);
	free(record->spans);
	free(record);
}

static bool ring_append(struct oracle_stream *stream, struct oracle_record *record)
{
	if (stream->count == stream->capacity) {
		uint32_t capacity = stream->capacity ? 2 * stream->capacity : 16;
		struct oracle_record **records = malloc(capacity * sizeof(*records));
		if (!records)
			return false;
		for (uint64_t i = 0; i < stream->count; i++)
			records[(stream->first + i) % capacity] =
				record_at(stream, stream->first + i);
		free(stream->records);
		stream->records = records;
		stream->capacity = capacity;
	}
	if (!stream->count)
		stream->first = record->number;
	stream->records[record->number % stream->capacity] = record;
	stream->count++;
	return true;
}

/* Drops the oldest record.  Clocks of a stream only grow, so that of the last dropped record stands for all before
 * it. */
static void ring_drop_first(struct oracle_stream *stream)
{
	struct oracle_record *record = record_at(stream, stream->first);
	clock_finish(&stream->floor);
	stream->floor = record->clock;
	record->clock = (struct clock){0};
	record_destroy(record);
	stream->first++;
	stream->count--;
}

static void stream_destroy(struct oracle_stream *stream)
{
	while (stream->count)
		ring_drop_first(stream);
	if (!clock_raise(&oracle.slots, stream->slot, stream->first))
		give_up();
	list_remove(&stream->link);
	clock_finish(&stream->clock);
	clock_finish(&stream->floor);
	free(stream->records);
	free(stream);
}

/* The stream gets the first slot that no other has. */
static void stream_place(struct oracle_stream *stream)
{
	struct list *link, *next;
	list_for_each(link, next, &oracle.streams) {
		if (list_entry(link, struct oracle_stream, link)->slot != stream->slot)
			break;
		stream->slot++;
	}
	list_insert_before(link, &stream->link);
}

/* The next stream in a slot continues its numbers. */
static struct oracle_stream *stream_get(struct soft_stream *soft)
{
	if (soft->oracle)
		return soft->oracle;
	struct oracle_stream *stream = calloc(1, sizeof(*stream));
	if (!stream)
		return NULL;
	stream_place(stream);
	stream->stream = soft;
	stream->id = soft->id;
	stream->base = clock_get(&oracle.slots, stream->slot);
	stream->first = stream->base + 1;
	soft->oracle = stream;
	return stream;
}

/* Drops records of operations that every pending operation knows to be complete.  Knowledge grows with each
 * submission, so the oldest pending operation knows least.  As long as it knows the same, there is nothing new to drop,
 * but for a stream that changed: one that is gone, or has too many records. */
static void forget_known(const struct oracle_stream *changed)
{
	const struct oracle_record *oldest = list_empty(&oracle.pending) ? NULL :
		list_entry(oracle.pending.next, struct oracle_record, pending);
	const struct clock *known = oldest ? &oldest->submitted : &oracle.host;
	const uint64_t version = oldest ? oldest->version : oracle.version;
	if (version == oracle.forgotten && changed->stream && changed->count <= RECORDS_MAX)
		return;
	oracle.forgotten = version;
	struct list *link, *next;
	list_for_each(link, next, &oracle.streams) {
		struct oracle_stream *stream = list_entry(link, struct oracle_stream, link);
		uint64_t number = clock_get(known, stream->slot);
		while (stream->count && record_at(stream, stream->first)->complete &&
		       (stream->first <= number || stream->count > RECORDS_MAX))
			ring_drop_first(stream);
		if (!stream->stream && !stream->count)
			stream_destroy(stream);
	}
}

/* Joins what is known once stream has passed sequence. */
static bool join_point(struct clock *clock, const struct soft_stream *soft, uint64_t sequence)
{
	const struct oracle_stream *stream = soft->oracle;
	if (!stream || !sequence)
		return true;
	uint64_t number = stream->base + sequence;
	const struct oracle_record *record = record_at(stream, number);
	return clock_join(clock, record ? &record->clock : &stream->floor) &&
	       clock_raise(clock, stream->slot, number);
}

static bool host_learns(const struct clock *clock)
{
	oracle.version++;
	return clock_join(&oracle.host, clock);
}

/* --- declaring ---------- */

static struct oracle_record *record_get(struct soft_operation *operation)
{
	if (!operation->record && soft_oracle_on()) {
		operation->record = calloc(1, sizeof(*operation->record));
		if (!operation->record)
			give_up();
		else
			list_init(&operation->record->pending);
	}
	return operation->record;
}

static bool add_span(struct oracle_record *record, const struct span *span)
{
	struct span *last = record->span_count ? &record->spans[record->span_count - 1] : NULL;
	if (last && last->id == span->id && last->kinds == span->kinds &&
	    last->end == span->start) {
		last->end = span->end;
		return true;
	}
	if (record->span_count == record->span_capacity) {
		size_t capacity = record->span_capacity ? 2 * record->span_capacity : 2;
		struct span *spans = realloc(record->spans, capacity * sizeof(*spans));
		if (!spans)
			return false;
		record->spans = spans;
		record->span_capacity = capacity;
	}
	record->spans[record->span_count++] = *span;
	return true;
}

void soft_oracle_declare_locked(struct soft_operation *operation,
				const struct soft_allocation *allocation, uint64_t start,
				uint64_t size_B, unsigned kinds)
{
	if (!soft_oracle_on() || !allocation)
		return;
	struct oracle_record *record = record_get(operation);
	const struct span span = {NULL, allocation->id, start, start + size_B, kinds};
	if (record && !add_span(record, &span))
		give_up();
}

void soft_oracle_declare_trace(struct soft_operation *operation, const struct soft_trace *trace)
{
	struct soft_interval *intervals;
	size_t count;
	struct oracle_record *record = operation->record;
	if (!trace || !record)
		return;
	if (!soft_trace_intervals(trace, &intervals, &count)) {
		give_up();
		return;
	}
	/* Threads that free memory also look at what runs. */
	lock_take(&soft_driver.lock);
	for (size_t i = 0; i < count; i++) {
		const struct span span = {NULL, 0, intervals[i].start, intervals[i].end,
					  intervals[i].kinds};
		if (!add_span(record, &span)) {
			give_up();
			break;
		}
	}
	lock_drop(&soft_driver.lock);
	free(intervals);
}

/* --- the life of an operation ---------- */

static void write_label(struct oracle_record *record, const struct soft_operation *operation)
{
	const char *type = operation->type->name, *label = operation->label;
	record->frees = operation->type->frees;
	size_t length = strlen(type) < LABEL_MAX_B / 2 ? strlen(type) : LABEL_MAX_B / 2;
	memcpy(record->label, type, length);
	if (!label)
		return;
	record->label[length++] = ' ';
	size_t rest = LABEL_MAX_B - 1 - length;
	memcpy(record->label + length, label, strlen(label) < rest ? strlen(label) : rest);
}

void soft_oracle_submit_locked(struct soft_operation *operation)
{
	struct oracle_record *record = record_get(operation);
	if (!soft_oracle_on() || !record)
		return;
	record->stream = stream_get(operation->stream);
	if (!record->stream) {
		give_up();
		return;
	}
	record->number = record->stream->base + operation->sequence;
	record->version = oracle.version;
	write_label(record, operation);
	if (!clock_join(&record->submitted, &oracle.host) || !ring_append(record->stream, record)) {
		record->stream = NULL;
		give_up();
		return;
	}
	list_append(&oracle.pending, &record->pending);
}

void soft_oracle_begin_locked(struct soft_operation *operation)
{
	struct oracle_record *record = operation->record;
	if (!soft_oracle_on() || !record || !record->stream || record->begun)
		return;
	record->begun = true;
	bool good = clock_join(&record->clock, &record->submitted) &&
		    clock_join(&record->clock, &record->stream->clock);
	for (uint32_t i = 0; good && i < operation->point_count; i++)
		good = join_point(&record->clock, operation->points[i].stream,
				  operation->points[i].sequence);
	/* A host function is code of the host: it knows what the host knows, and the host knows what it knew. */
	if (good && operation->type->calls_host)
		good = host_learns(&record->clock);
	if (!good)
		give_up();
}

static int by_start(const void *a, const void *b)
{
	uint64_t x = ((const struct span *)a)->start, y = ((const struct span *)b)->start;
	return (x > y) - (x < y);
}

static bool conflicting(unsigned a, unsigned b)
{
	const unsigned writes = SOFT_ACCESS_WRITE | SOFT_ACCESS_WRITE_STRONG;
	const unsigned weak = SOFT_ACCESS_READ | SOFT_ACCESS_WRITE;
	return ((a & writes) || (b & writes)) && ((a & weak) || (b & weak));
}

/* Whether two spans are of the same buffer.  If the allocation was freed before the operation ran, only the address
 * tells. */
static bool same_buffer(const struct oracle_record *a, const struct span *x,
			const struct oracle_record *b, const struct span *y)
{
	return x->id == y->id ? x->id != 0 : (a->frees && !y->id) || (b->frees && !x->id);
}

static const struct span *find_conflict(const struct oracle_record *a,
					const struct oracle_record *b,
					const struct span **other_out)
{
	for (size_t i = 0, j = 0; i < a->span_count && j < b->span_count;) {
		const struct span *x = &a->spans[i], *y = &b->spans[j];
		if (same_buffer(a, x, b, y) && x->start < y->end && y->start < x->end &&
		    conflicting(x->kinds, y->kinds)) {
			*other_out = y;
			return x;
		}
		if (x->end <= y->end)
			i++;
		else
			j++;
	}
	return NULL;
}

static const char *verb(unsigned kinds)
{
	const unsigned writes = SOFT_ACCESS_WRITE | SOFT_ACCESS_WRITE_STRONG;
	return !(kinds & writes) ? "reads" : kinds & ~writes ? "reads and writes" : "writes";
}

static const char *kind_name(const struct soft_allocation *allocation)
{
	static const char *const names[] = {"device memory", "managed memory", "pinned memory",
					    "registered host memory", "an array"};
	return names[allocation->kind];
}

static void describe_span(struct bytes *text, const struct soft_allocation *allocation,
			  uint64_t start, uint64_t end)
{
	if (!allocation)
		return;
	bytes_printf(text, "  bytes %llu to %llu of buffer %llu at 0x%llx (%s of device %u, "
		     "%llu bytes)\n",
		     (unsigned long long)(start - allocation->start),
		     (unsigned long long)(end - allocation->start - 1),
		     (unsigned long long)allocation->id, (unsigned long long)allocation->start,
		     kind_name(allocation), allocation->device->index,
		     (unsigned long long)allocation->size_B);
}

static void describe_record(struct bytes *text, const char *role,
			    const struct oracle_record *record, const char *does)
{
	bytes_printf(text, "  %s: %s (stream %llu, operation %llu) %s\n", role, record->label,
		     (unsigned long long)record->stream->id,
		     (unsigned long long)(record->number - record->stream->base), does);
}

/* Writes a report; further reports after REPORTS_MAX are not written. */
static void publish(struct bytes *text)
{
	if (oracle.reports == REPORTS_MAX)
		soft_report("softcuda: ordering: more was found; no more is reported\n");
	if (oracle.reports++ < REPORTS_MAX)
		soft_report("%s  schedule: CULVERT_SOFT_ORACLE=1 CULVERT_SOFT_SCHED=%s\n",
			    bytes_string(text), soft_sched_items());
	bytes_finish(text);
}

static void report_pair(const struct oracle_record *first, const struct span *first_span,
			const struct oracle_record *then, const struct span *then_span)
{
	struct bytes text = BYTES_INIT;
	uint64_t start = first_span->start > then_span->start ? first_span->start
							      : then_span->start;
	uint64_t end = first_span->end < then_span->end ? first_span->end : then_span->end;
	bytes_append_string(&text, "softcuda: ordering: two operations touch the same bytes and "
				   "nothing orders them\n");
	describe_record(&text, "ran first", first, verb(first_span->kinds));
	describe_record(&text, "ran then", then, verb(then_span->kinds));
	describe_span(&text, then_span->allocation, start, end);
	publish(&text);
}

/* Compares record with all complete operations in other streams that it does not know. */
static void judge(const struct oracle_record *record)
{
	struct list *link, *next;
	list_for_each(link, next, &oracle.streams) {
		const struct oracle_stream *stream = list_entry(link, struct oracle_stream, link);
		uint64_t known = clock_get(&record->clock, stream->slot);
		if (stream == record->stream)
			continue;
		for (uint64_t number = stream->touching;
		     number >= stream->first && number > known;) {
			const struct oracle_record *other = record_at(stream, number);
			const struct span *theirs;
			const struct span *mine = find_conflict(record, other, &theirs);
			if (mine)
				report_pair(other, theirs, record, mine);
			number = other->previous;
		}
	}
}

/* Finds the allocations of a kernel's spans, and again those of other spans, because they may have been freed.  An
 * allocation that was freed meanwhile is still known as long as a launch may access it. */
static void resolve_spans(struct oracle_record *record)
{
	const struct soft_allocation *last = NULL;
	for (size_t i = 0; i < record->span_count; i++) {
		struct span *span = &record->spans[i];
		if (!last || span->start - last->start >= last->size_B)
			last = soft_memory_lookup_all_locked(span->start);
		if (!span->id && last)
			span->id = last->id;
		span->allocation = last && last->id == span->id ? last : NULL;
	}
	if (record->span_count)
		qsort(record->spans, record->span_count, sizeof(struct span), by_start);
}

static void count_writes(struct oracle_record *record)
{
	for (size_t i = 0; i < record->span_count; i++) {
		struct soft_allocation *allocation;
		if (!(record->spans[i].kinds & (SOFT_ACCESS_WRITE | SOFT_ACCESS_WRITE_STRONG)))
			continue;
		allocation = soft_memory_lookup_locked(record->spans[i].start);
		if (allocation)
			allocation->oracle_writes++;
	}
}

void soft_oracle_complete_locked(struct soft_operation *operation)
{
	struct oracle_record *record = operation->record;
	if (!soft_oracle_on() || !record || !record->stream)
		return;
	soft_oracle_begin_locked(operation);
	bool good = true;
	if (operation->type->calls_host || operation->type->waits_for_host) {
		/* The host, or the writer of the value, was before this end. */
		good = clock_join(&record->clock, &oracle.host);
		if (good && operation->type->waits_for_host)
			good = clock_join(&record->clock, &oracle.done);
		oracle.host_writes++;
	}
	resolve_spans(record);
	count_writes(record);
	if (record->span_count) {
		judge(record);
		record->previous = record->stream->touching;
		record->stream->touching = record->number;
	}
	record->complete = true;
	list_remove(&record->pending);
	operation->record = NULL;
	if (!good || !clock_join(&record->stream->clock, &record->clock) ||
	    !clock_raise(&record->stream->clock, record->stream->slot, record->number) ||
	    !clock_join(&oracle.done, &record->stream->clock))
		give_up();
	for (size_t i = 0; i < record->span_count; i++)
		record->spans[i].allocation = NULL;
	forget_known(record->stream);
}

/* A record that is in its stream's ring stays there. */
void soft_oracle_forget_locked(struct soft_operation *operation)
{
	if (operation->record && !operation->record->stream)
		record_destroy(operation->record);
	operation->record = NULL;
}

void soft_oracle_forget_stream_locked(struct soft_stream *soft)
{
	struct oracle_stream *stream = soft->oracle;
	if (!stream)
		return;
	stream->stream = NULL;
	soft->oracle = NULL;
	forget_known(stream);
}

/* --- the host ---------- */

void soft_oracle_learn_locked(const struct soft_stream *stream, uint64_t sequence)
{
	if (!soft_oracle_on() || !stream)
		return;
	oracle.version++;
	if (!join_point(&oracle.host, stream, sequence))
		give_up();
	if (stream->oracle)
		forget_known(stream->oracle);
}

static void report_free(const struct oracle_record *record,
			const struct soft_allocation *allocation, const char *call)
{
	struct bytes text = BYTES_INIT;
	bytes_printf(&text, "softcuda: ordering: %s frees memory, and nothing orders it after an "
		     "operation that touches it\n", call);
	describe_record(&text, "operation", record, record->complete ? "has run" : "is pending");
	describe_span(&text, allocation, allocation->start,
		      allocation->start + allocation->size_B);
	publish(&text);
}

void soft_oracle_free_locked(const struct soft_allocation *allocation, const char *call)
{
	struct list *link, *next;
	if (!soft_oracle_on())
		return;
	list_for_each(link, next, &oracle.streams) {
		const struct oracle_stream *stream = list_entry(link, struct oracle_stream, link);
		for (uint32_t i = 0; i < stream->count; i++) {
			const struct oracle_record *record = record_at(stream, stream->first + i);
			bool touches = false;
			for (size_t s = 0; s < record->span_count; s++)
				touches |= record->spans[s].id == allocation->id;
			if (touches && record->number > clock_get(&oracle.host, stream->slot))
				report_free(record, allocation, call);
		}
	}
}

uint64_t soft_oracle_writes_locked(const struct soft_allocation *allocation)
{
	return allocation->oracle_writes + oracle.host_writes;
}

void soft_oracle_report_rewritten_locked(const struct soft_operation *operation,
					 const struct soft_allocation *allocation)
{
	struct bytes text = BYTES_INIT;
	if (!operation->record || !operation->record->stream)
		return;
	bytes_append_string(&text, "softcuda: ordering: a host thread wrote to the source of an "
				   "asynchronous copy before the copy ran\n");
	describe_record(&text, "operation", operation->record, "reads");
	describe_span(&text, allocation, allocation->start,
		      allocation->start + allocation->size_B);
	publish(&text);
}

void soft_oracle_report_unrecorded_locked(const struct soft_stream *stream)
{
	struct bytes text = BYTES_INIT;
	if (!soft_oracle_on())
		return;
	bytes_printf(&text, "softcuda: ordering: stream %llu waits for an event that was never "
		     "recorded: no effect\n", (unsigned long long)stream->id);
	publish(&text);
}
