/* Protects: the path that a program was called by, as far as its file bears it out: a Python's
 * virtual environment is a link, and its packages lie beside the link. */
#include "config.h"

#include "base/own_program.h"
#include "tests/unit/test.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static char own[PATH_MAX], folder[] = "/tmp/own-program-XXXXXX";

/* In a child: this program by another name, which says what it takes itself for. */
static void become(const char *name, const char *pwd, int output)
{
	char variable[PATH_MAX + 4];
	snprintf(variable, sizeof(variable), "PWD=%s", pwd ? pwd : "");
	if (dup2(output, STDOUT_FILENO) >= 0 && !chdir("/"))
		execve(own, (char *[]){(char *)name, "say", NULL},
		       (char *[]){pwd ? variable : NULL, NULL});
	_exit(1);
}

static void check(const char *name, const char *pwd, const char *expected)
{
	char said[PATH_MAX] = "";
	int ends[2], status = 1;
	size_t size_B = 0;
	ssize_t more;
	REQUIRE(!pipe(ends));
	fflush(NULL);
	pid_t child = fork();
	if (!child)
		become(name, pwd, ends[1]);
	close(ends[1]);
	while ((more = read(ends[0], said + size_B, sizeof(said) - 1 - size_B)) > 0)
		size_B += (size_t)more;
	close(ends[0]);
	CHECK(child > 0 && waitpid(child, &status, 0) == child);
	CHECK_EQ(status, 0);
	CHECK_STRING(said, expected);
}

static void a_link_is_told(void)
{
	char link[PATH_MAX], relative[PATH_MAX];
	snprintf(link, sizeof(link), "%s/python3", folder);
	snprintf(relative, sizeof(relative), "%s/./python3", folder);
	REQUIRE(!symlink(own, link));
	check(link, NULL, link);
	check(link, "/", link);
	check("./python3", folder, relative);
	/* From PATH: nobody says from where in it. */
	check("python3", folder, own);
	check("./python3", NULL, own);
	check("./python3", "/", own);
	check("./python3", ".", own);
	CHECK(!unlink(link));
	check(link, NULL, own);
}

static void a_lie_is_not(void)
{
	check("/bin/sh", "/", own);
	check("./sh", "/bin", own);
	check("/nonexistent/python3", NULL, own);
	check("", folder, own);
}

int main(int argc, char **argv)
{
	static const struct test_case cases[] = {TEST(a_link_is_told), TEST(a_lie_is_not)};
	if (argc > 1 && !strcmp(argv[1], "say")) {
		char *path = own_program();
		const int said = path && printf("%s", path) >= 0;
		free(path);
		return !said;
	}
	if (readlink("/proc/self/exe", own, sizeof(own) - 1) <= 0 || !mkdtemp(folder))
		return 2;
	int result = test_run_all(cases, 2);
	return rmdir(folder) ? 2 : result;
}
