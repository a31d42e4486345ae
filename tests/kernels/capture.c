#include "config.h"

#include "tests/kernels/capture.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

bool capture_start(struct capture *capture)
{
	capture_finish(capture);
	fflush(stdout);
	FILE *file = tmpfile();
	capture->saved = file ? dup(STDOUT_FILENO) : -1;
	bool started = capture->saved >= 0 && dup2(fileno(file), STDOUT_FILENO) >= 0;
	if (file)
		fclose(file);
	return started;
}

/* The file has no name; stdout's descriptor is all there is of it. */
static char *read_stdout(void)
{
	off_t size = lseek(STDOUT_FILENO, 0, SEEK_END);
	char *text = size < 0 ? NULL : calloc(1, (size_t)size + 1);
	if (text && pread(STDOUT_FILENO, text, (size_t)size, 0) == size)
		return text;
	free(text);
	return NULL;
}

bool capture_stop(struct capture *capture)
{
	if (capture->saved < 0)
		return false;
	fflush(stdout);
	char *text = read_stdout();
	dup2(capture->saved, STDOUT_FILENO);
	close(capture->saved);
	capture->saved = -1;
	if (!text)
		return false;
	capture->text = text;
	capture->owned = true;
	return true;
}

void capture_finish(struct capture *capture)
{
	static char empty[] = "";
	if (capture->owned)
		free(capture->text);
	capture->text = empty;
	capture->owned = false;
}
