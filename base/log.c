#include "config.h"

#include "base/log.h"

#include "base/bytes.h"
#include "base/cancel.h"
#include "base/options.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

static const char *const level_names[] = {"off", "err", "warn", "info", "trace"};
static enum log_level threshold;
static bool sync_wanted;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void read_threshold(void)
{
	for (const char *at = option_string(OPTION_DEBUG); *at; at += *at == ',') {
		const size_t length = strcspn(at, ",");
		for (int level = LOG_LEVEL_ERR; level <= LOG_LEVEL_TRACE; level++)
			if (strlen(level_names[level]) == length &&
			    !strncmp(at, level_names[level], length))
				threshold = (enum log_level)level;
		sync_wanted |= length == 4 && !strncmp(at, "sync", 4);
		at += length;
	}
	/* With sync, errors are always logged, because they are what the user is looking for. */
	if (sync_wanted && threshold < LOG_LEVEL_ERR)
		threshold = LOG_LEVEL_ERR;
}

bool log_enabled(enum log_level level)
{
	pthread_once(&once, read_threshold);
	return level <= threshold;
}

bool log_sync(void)
{
	pthread_once(&once, read_threshold);
	return sync_wanted;
}

/* Errors of stderr are ignored: it may be closed. */
static void write_out(struct bytes *message)
{
	const int before = cancel_hold();
	if (!bytes_failed(message) && write(STDERR_FILENO, message->data, message->size_B) < 0)
		errno = 0;
	cancel_restore(before);
	bytes_finish(message);
}

void log_write(enum log_level level, const char *file, int line, const char *format, ...)
{
	int saved_errno = errno;
	const char *slash = strrchr(file, '/');
	struct bytes message = BYTES_INIT;
	bytes_printf(&message, "culvert: %s: ", level_names[level]);
	va_list arguments;
	va_start(arguments, format);
	bytes_vprintf(&message, format, arguments);
	va_end(arguments);
	bytes_printf(&message, " (%s:%d)\n", slash ? slash + 1 : file, line);
	write_out(&message);
	errno = saved_errno;
}

static void write_options(void)
{
	struct bytes text = BYTES_INIT;
	bytes_append_string(&text, "culvert " PACKAGE_VERSION ": environment variables\n");
	for (int i = 0; i < OPTION_COUNT; i++) {
		enum option option = (enum option)i;
		const char *value = option_string(option), *usual = option_default(option);
		bytes_printf(&text, "  %s%s%s\n      %s\n", option_name(option),
			     *value ? "=" : "", value, option_help(option));
		if (*usual && strcmp(value, usual))
			bytes_printf(&text, "      (by default %s)\n", usual);
	}
	write_out(&text);
}

void log_options(void)
{
	static pthread_once_t options_once = PTHREAD_ONCE_INIT;
	if (!option_flag(OPTION_HELP))
		return;
	int saved_errno = errno;
	pthread_once(&options_once, write_options);
	errno = saved_errno;
}
