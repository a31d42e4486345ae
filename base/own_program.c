#include "config.h"

#include "base/own_program.h"

#include "base/bytes.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

static const char file[] = "/proc/self/exe";

/* The absolute path of a name, or NULL.  PWD is the folder in which the process was started; it does not change with
 * the current folder. */
static char *absolute(const char *name)
{
	const char *folder = getenv("PWD");
	struct bytes path = BYTES_INIT;
	if (*name == '/')
		bytes_append_string(&path, name);
	else if (strchr(name, '/') && folder && *folder == '/')
		bytes_printf(&path, "%s/%s", folder, name);
	if (bytes_failed(&path))
		bytes_finish(&path);
	return path.data;
}

static char *link_target(void)
{
	char *path = malloc(PATH_MAX);
	const ssize_t size_B = path ? readlink(file, path, PATH_MAX - 1) : -1;
	if (size_B > 0) {
		path[size_B] = '\0';
		return path;
	}
	free(path);
	return NULL;
}

char *own_program_file(void)
{
	const char *executed = (const char *)getauxval(AT_EXECFN);
	struct stat there;
	char *path = link_target();
	/* A set-user-ID program may have been called through a link, so its path is not trusted. */
	if (path || getauxval(AT_SECURE) || !executed)
		return path;
	path = absolute(executed);
	if (path && !stat(path, &there) && S_ISREG(there.st_mode))
		return path;
	free(path);
	return NULL;
}

/* The path by which the program was called, if it is the program's file; PWD and the name may be wrong. */
static char *called_by(void)
{
	const char *name = program_invocation_name;
	struct stat named, own;
	char *path = getauxval(AT_SECURE) || !name ? NULL : absolute(name);
	if (path && !stat(path, &named) && !stat(file, &own) && named.st_dev == own.st_dev &&
	    named.st_ino == own.st_ino)
		return path;
	free(path);
	return NULL;
}

char *own_program(void)
{
	char *path = called_by();
	return path ? path : own_program_file();
}
