/* Messages on stderr for a person who asked for them with CULVERT_DEBUG; without it nothing is ever written, because
 * stderr is the application's.
 *
 * The function that finds an error logs it, once; its callers return it without logging.  Levels:
 * err: something failed that should not; warn: the result differs from what was asked for; info: once for each
 * important object, such as a device or a build; trace: for each call.
 * CULVERT_DEBUG is a list of words separated by commas, of which the last level counts.
 * Thread-safe; each message is written by one write(2). */
#ifndef CULVERT_BASE_LOG_H
#define CULVERT_BASE_LOG_H

#include <stdbool.h>

enum log_level { LOG_LEVEL_OFF, LOG_LEVEL_ERR, LOG_LEVEL_WARN, LOG_LEVEL_INFO, LOG_LEVEL_TRACE };

bool log_enabled(enum log_level level);
/* CULVERT_DEBUG=sync: whether each command is waited for, so that an error belongs to the command that caused it. */
bool log_sync(void);
void log_write(enum log_level level, const char *file, int line, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

#define log_at(level, ...)                                                  \
	do {                                                                \
		if (log_enabled(level))                                     \
			log_write(level, __FILE__, __LINE__, __VA_ARGS__);  \
	} while (0)
#define log_err(...) log_at(LOG_LEVEL_ERR, __VA_ARGS__)
#define log_warn(...) log_at(LOG_LEVEL_WARN, __VA_ARGS__)
#define log_info(...) log_at(LOG_LEVEL_INFO, __VA_ARGS__)
#define log_trace(...) log_at(LOG_LEVEL_TRACE, __VA_ARGS__)

/* Writes every option with its meaning and value, if CULVERT_HELP is set; once in a process, at any level. */
void log_options(void);

#endif
