#include "config.h"

#include "softcuda/check/report_file.h"

#include "base/bytes.h"
#include "base/log.h"
#include "base/options.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
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
	va_list arguments;
	va_start(arguments, format);
	bytes_vprintf(&text, format, arguments);
	va_end(arguments);
	int file = open_report();
	if (file < 0 || bytes_failed(&text) ||
	    write(file, text.data, text.size_B) != (ssize_t)text.size_B)
		log_err("softcuda: a report could not be written");
	if (file > STDERR_FILENO)
		close(file);
	bytes_finish(&text);
}
