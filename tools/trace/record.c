#include "config.h"

#include "tools/trace/trace.h"

#include "base/bytes.h"
#include "base/clock.h"
#include "base/lock.h"
#include "tools/quoted.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { FLUSH_B = 65536, LANES = 64 };
#define QUEUE_TRACKS INT64_C(100000000)          /* above every number of a thread */

static struct lock lock = LOCK_INIT(LOCK_RANK_LOG);
static struct bytes waiting;                     /* guarded by lock, as is */
static pid_t owner;                              /* a child has its parent's text, not its calls */
static atomic_int file = -1;                     /* -1: there is none, or it takes no more */

void trace_open(void)
{
	const char *path = secure_getenv("CULVERT_TRACE_FILE");
	owner = getpid();
	if (path && *path)
		file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
}

/* One write for whole lines: others append to the file too. */
static void write_locked(void)
{
	if (file >= 0 && !bytes_failed(&waiting) && waiting.size_B &&
	    bytes_write_all(file, waiting.data, waiting.size_B))
		file = -1;
	bytes_finish(&waiting);
}

static void add(const struct bytes *line)
{
	if (file < 0 || bytes_failed(line))
		return;
	lock_take(&lock);
	if (owner != getpid()) {
		bytes_finish(&waiting);
		owner = getpid();
	}
	bytes_append(&waiting, line->data, line->size_B);
	if (waiting.size_B >= FLUSH_B)
		write_locked();
	lock_drop(&lock);
}

void trace_flush(void)
{
	lock_take(&lock);
	if (owner == getpid())
		write_locked();
	lock_drop(&lock);
}

/* "12.345" of ns: us. */
static void append_us(struct bytes *line, const char *key, uint64_t ns)
{
	bytes_printf(line, ",\"%s\":%" PRIu64 ".%03u", key, ns / 1000, (unsigned)(ns % 1000));
}

void trace_call(const char *name, uint64_t start_ns, cl_int result)
{
	struct bytes line = BYTES_INIT;
	uint64_t end_ns = host_now_ns();
	bytes_printf(&line, "{\"name\":\"%s\",\"cat\":\"call\",\"ph\":\"X\",\"pid\":%ld,\"tid\":%ld", name,
		     (long)getpid(), (long)syscall(SYS_gettid));
	append_us(&line, "ts", start_ns);
	append_us(&line, "dur", end_ns - start_ns);
	bytes_printf(&line, ",\"args\":{\"result\":%d}},\n", (int)result);
	add(&line);
	bytes_finish(&line);
}

void trace_command(const char *name, unsigned queue, unsigned lane, const cl_ulong times_ns[4])
{
	struct bytes line = BYTES_INIT;
	bytes_append_string(&line, "{\"name\":");
	quoted_append(&line, name, strlen(name));
	bytes_printf(&line, ",\"cat\":\"command\",\"ph\":\"X\",\"pid\":%ld,\"tid\":%" PRId64,
		     (long)getpid(), QUEUE_TRACKS + (int64_t)queue * LANES + lane);
	append_us(&line, "ts", times_ns[2]);
	append_us(&line, "dur", times_ns[3] - times_ns[2]);
	bytes_append_string(&line, ",\"args\":{\"queue\":");
	bytes_printf(&line, "%u", queue);
	append_us(&line, "queued", times_ns[0]);
	append_us(&line, "submitted", times_ns[1]);
	bytes_append_string(&line, "}},\n");
	add(&line);
	bytes_finish(&line);
}

void trace_track(unsigned queue, unsigned lane, const char *name)
{
	struct bytes line = BYTES_INIT;
	struct bytes shown = BYTES_INIT;
	bytes_printf(&shown, "queue %u: %s", queue, name);
	bytes_printf(&line,
		     "{\"name\":\"thread_name\",\"cat\":\"track\",\"ph\":\"M\",\"pid\":%ld,\"tid\":%" PRId64
		     ",\"args\":{\"name\":", (long)getpid(), QUEUE_TRACKS + (int64_t)queue * LANES + lane);
	quoted_append(&line, bytes_string(&shown), shown.size_B);
	bytes_append_string(&line, "}},\n");
	if (!bytes_failed(&shown))
		add(&line);
	bytes_finish(&shown);
	bytes_finish(&line);
}
