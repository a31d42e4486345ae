#include "config.h"

#include "base/stage.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/options.h"

#include <errno.h>
#include <string.h>

enum { NAMED_BY_B = 16 };

struct hash stage_name_more(const struct hash *name, const void *data, size_t size_B)
{
	const struct hash_part parts[2] = {{name, sizeof(*name)}, {data, size_B}};
	return hash_of_parts(parts, 2);
}

bool stage_dumped(void)
{
	return *option_string(OPTION_DUMP);
}

bool stage_watched(void)
{
	return stage_dumped() || *option_string(OPTION_OVERRIDE);
}

static void append_path(struct bytes *path, enum option folder, const struct hash *name,
			const char *ending)
{
	bytes_printf(path, "%s/", option_string(folder));
	bytes_append_hex(path, name->bytes, NAMED_BY_B);
	bytes_append_string(path, ending);
}

void stage_dump(const struct hash *name, const char *ending, const void *data, size_t size_B)
{
	struct bytes path = BYTES_INIT;
	if (!stage_dumped())
		return;
	append_path(&path, OPTION_DUMP, name, ending);
	int error = bytes_failed(&path) ? 0 : bytes_write_file(data, size_B, bytes_string(&path));
	if (error)
		log_warn("cannot write %s: %s", bytes_string(&path), strerror(error));
	bytes_finish(&path);
}

bool stage_override(const struct hash *name, const char *ending, struct bytes *content)
{
	struct bytes path = BYTES_INIT;
	if (!*option_string(OPTION_OVERRIDE))
		return false;
	append_path(&path, OPTION_OVERRIDE, name, ending);
	int error = bytes_failed(&path) ? ENOMEM : bytes_read_file(content, bytes_string(&path));
	if (!error)
		log_info("using %s instead of a stage of the build", bytes_string(&path));
	else if (error != ENOENT)
		log_warn("cannot read %s: %s", bytes_string(&path), strerror(error));
	bytes_finish(&path);
	return !error;
}

struct stage_clock stage_clock_start(void)
{
	return (struct stage_clock){log_enabled(LOG_LEVEL_INFO) ? host_now_ns() : 0};
}

void stage_clock_lap(struct stage_clock *clock, const char *name)
{
	if (!clock->since_ns)
		return;
	const uint64_t end_ns = host_now_ns();
	log_info("stage: %s %llu us", name,
		 (unsigned long long)((end_ns - clock->since_ns) / 1000));
	clock->since_ns = host_now_ns();
}
