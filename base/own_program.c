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

/* PWD is where the process began: unlike its folder it does not move on. */
static bool absolute(const char *name, char path[PATH_MAX])
{
	const char *folder = getenv("PWD");
	int length = PATH_MAX;
	if (*name == '/')
		length = snprintf(path, PATH_MAX, "%s", name);
	else if (strchr(name, '/') && folder && *folder == '/')
		length = snprintf(path, PATH_MAX, "%s/%s", folder, name);
	return length < PATH_MAX;
}

bool own_program_file(char path[PATH_MAX])
{
	const char *executed = (const char *)getauxval(AT_EXECFN);
	struct stat there;
	const ssize_t size_B = readlink(file, path, PATH_MAX - 1);
	path[size_B > 0 ? size_B : 0] = '\0';
	if (size_B > 0)
		return true;
	/* A link may have led to a set-uid program, and nothing tells. */
	return !getauxval(AT_SECURE) && executed && absolute(executed, path) &&
	       !stat(path, &there) && S_ISREG(there.st_mode);
}

/* PWD and the name are words, which the file bears out. */
static bool called_by(char path[PATH_MAX])
{
	const char *name = program_invocation_name;
	struct stat named, own;
	return !getauxval(AT_SECURE) && name && absolute(name, path) && !stat(path, &named) &&
	       !stat(file, &own) && named.st_dev == own.st_dev && named.st_ino == own.st_ino;
}

bool own_program(char path[PATH_MAX])
{
	return called_by(path) || own_program_file(path);
}
