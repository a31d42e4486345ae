/* Protects: the driver's libraries are found in folders that the dynamic linker does not search: WSL's, NixOS', a
 * Jetson's; and what is told where one is there that cannot be loaded. */
#include "config.h"

#include "backend/driver_library.h"
#include "tests/unit/test.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[] = "/tmp/culvert-driver-XXXXXX";
static char name[64];                    /* of no library on this machine */

static void make_folders(char *path)
{
	for (char *slash = strchr(path + strlen(root) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		(void)mkdir(path, 0700);
		*slash = '/';
	}
}

/* The path of name in folder, whose stars become "x", below root; its folders are there. */
static void path_in(const char *folder, char path[PATH_MAX])
{
	snprintf(path, PATH_MAX, "%s%s/%s", root, folder, name);
	for (char *star = strchr(path, '*'); star; star = strchr(star, '*'))
		*star = 'x';
	make_folders(path);
}

static void in_each_folder(void)
{
	char library[PATH_MAX], path[PATH_MAX];
	REQUIRE(realpath("libculvert-softcuda.so", library));
	for (const struct driver_folder *folder = driver_folders; folder->path; folder++) {
		struct bytes note = BYTES_INIT;
		path_in(folder->path, path);
		CHECK(!driver_library_open(name, root, &note));
		bytes_finish(&note);
		note = (struct bytes)BYTES_INIT;
		REQUIRE(!symlink(library, path));
		void *handle = driver_library_open(name, root, &note);
		CHECK(handle && dlsym(handle, "cuInit"));
		CHECK_EQ(note.size_B, 0);
		if (handle)
			dlclose(handle);
		CHECK(!unlink(path));
		bytes_finish(&note);
	}
}

static void one_that_is_none(void)
{
	struct bytes note = BYTES_INIT;
	char path[PATH_MAX];
	path_in(driver_folders[0].path, path);
	FILE *file = fopen(path, "w");
	REQUIRE(file);
	fclose(file);
	CHECK(!driver_library_open(name, root, &note));
	/* The linker's words of a file like this, after those of its own search. */
	CHECK(strstr(bytes_string(&note), "cannot open shared object"));
	CHECK(strstr(bytes_string(&note), path) && strstr(bytes_string(&note), "file too short"));
	CHECK(!unlink(path));
	bytes_finish(&note);
}

int main(void)
{
	/* In this order: what was loaded from a path once is not loaded anew. */
	static const struct test_case cases[] = {TEST(one_that_is_none), TEST(in_each_folder)};
	char command[sizeof(root) + 16];
	if (!mkdtemp(root))
		return 2;
	snprintf(name, sizeof(name), "libculvert-none-%ld.so.1", (long)getpid());
	const int status = test_run_all(cases, 2);
	snprintf(command, sizeof(command), "rm -r %s", root);
	return system(command) ? 2 : status;
}
