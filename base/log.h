/* Messages for the person who asked for them with CULVERT_DEBUG; otherwise
 * silence, for we are a guest in someone's process.
 *
 * Whoever decides an error logs it once; callers pass it up silently.  Levels:
 * err = something failed that should not; warn = the result differs from what
 * was asked; info = once per object of note (device, build); trace = per call.
 * CULVERT_DEBUG has words with commas between; the last level counts.
 * Thread-safe; a message is written whole, with one write. */
#ifndef CULVERT_BASE_LOG_H
#define CULVERT_BASE_LOG_H

#include <stdbool.h>

enum log_level { LOG_LEVEL_OFF, LOG_LEVEL_ERR, LOG_LEVEL_WARN, LOG_LEVEL_INFO, LOG_LEVEL_TRACE };

bool log_enabled(enum log_level level);
/* Whether each command is to be waited for, so that an error is its own. */
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

/* Every option, its meaning and what it is set to, when CULVERT_HELP asks for it; once in a
 * process, whatever the level. */
void log_options(void);

#endif
