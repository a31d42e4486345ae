#include "config.h"

#include "softcuda/check/report_file.h"

#include "base/bytes.h"
#include "base/log.h"
#include "base/options.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The file is opened for each report: there are few, and the file may be renamed meanwhile. */
static int open_report(void)
{
	const char *path = option_string(OPTION_SOFT_REPORT);
	return *path ? open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666)
		     : STDERR_FILENO;
}

static void create_file(void)
{
	const int file = open_report();
	if (file > STDERR_FILENO)
		close(file);
}

void soft_report_begin(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, create_file);
}

void soft_report(const char *format, ...)
{
	struct bytes text = BYTES_INIT;
	char start[512];                  /* for a report that there is no memory for */
	va_list arguments;
	va_start(arguments, format);
	bytes_vprintf(&text, format, arguments);
	va_end(arguments);
	const bool failed = bytes_failed(&text);
	if (failed) {
		va_start(arguments, format);
		(void)vsnprintf(start, sizeof(start), format, arguments);
		va_end(arguments);
	}
	const char *data = failed ? start : bytes_string(&text);
	const size_t size_B = failed ? strlen(start) : text.size_B;
	int file = open_report();
	if (file < 0 || write(file, data, size_B) != (ssize_t)size_B)
		log_err("softcuda: a report could not be written");
	if (file > STDERR_FILENO)
		close(file);
	bytes_finish(&text);
}
