#include "config.h"

#include "base/own_program.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

static const char file[] = "/proc/self/exe";

/* PWD is where the process began: unlike its folder it does not move on.  It and the name are
 * words, which the file bears out. */
static bool called_by(char path[PATH_MAX])
{
	const char *name = program_invocation_name, *folder = getenv("PWD");
	struct stat named, own;
	int length = PATH_MAX;
	if (getauxval(AT_SECURE) || !name)
		return false;
	if (*name == '/')
		length = snprintf(path, PATH_MAX, "%s", name);
	else if (strchr(name, '/') && folder && *folder == '/')
		length = snprintf(path, PATH_MAX, "%s/%s", folder, name);
	return length < PATH_MAX && !stat(path, &named) && !stat(file, &own) &&
	       named.st_dev == own.st_dev && named.st_ino == own.st_ino;
}

bool own_program(char path[PATH_MAX])
{
	if (called_by(path))
		return true;
	ssize_t size_B = readlink(file, path, PATH_MAX - 1);
	path[size_B > 0 ? size_B : 0] = '\0';
	return size_B > 0;
}
