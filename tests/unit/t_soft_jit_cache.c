/* Protects: machine code of kernels is kept on disk.  A process that finds a kernel compiles nothing, and computes the
 * same.  What is damaged, or was made by another compiler or for another processor, is not executed.  A disk that
 * fails, is full or cannot be written to costs a compilation and nothing else.  Processes that store at the same time
 * leave one whole entry, and the folder stays within its limit.
 *
 * Each case is this program in a process of its own (soft_jit_case.h). */
#include "config.h"

#include "base/build_id.h"
#include "base/processors.h"
#include "build_name.h"
#include "cache/cache.h"
#include "tests/unit/soft_jit_case.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

enum { FACTOR = 3, KERNELS = 12, DIGITS = 64 };

static const char compiler[] = "culvert-softcuda-compile";

/* --- what the environment says (linked with --wrap) ---------- */

/* If there is such a variable, one bit is another. */
static void change_if(const char *variable, struct bytes *text)
{
	if (getenv(variable) && text->size_B)
		text->data[text->size_B - 1] ^= 1;
}

void __real_processors_describe(struct bytes *text);
void __wrap_processors_describe(struct bytes *text);
void __wrap_processors_describe(struct bytes *text)
{
	__real_processors_describe(text);
	change_if("TEST_PROCESSOR", text);
}

bool __real_build_id_append_own(struct bytes *text, const char *name, const char *const *others, size_t count);
bool __wrap_build_id_append_own(struct bytes *text, const char *name, const char *const *others, size_t count);
bool __wrap_build_id_append_own(struct bytes *text, const char *name, const char *const *others, size_t count)
{
	const bool known = __real_build_id_append_own(text, name, others, count);
	change_if("TEST_BUILDERS", text);
	return known && !getenv("TEST_NO_BUILDERS");
}

/* --- the cases ---------- */

static uint64_t found(void)
{
	return atomic_load(&tier_counts.found);
}

static void run_once(void)
{
	const char *factor = getenv("TEST_FACTOR");
	load_and_run(factor ? (uint32_t)atoi(factor) : FACTOR, 1, false, NULL);
	CHECK_EQ(atomic_load(&tier_counts.refused), 0);
}

static void case_compiles(void)
{
	run_once();
	CHECK_EQ(compiled(), 1);
	CHECK_EQ(found(), 0);
}

static void case_finds(void)
{
	run_once();
	CHECK_EQ(compiled(), 0);
	CHECK_EQ(found(), 1);
}

static void case_either(void)
{
	run_once();
	CHECK_EQ(compiled() + found(), 1);
}

/* With CULVERT_SOFT_JIT=on, the kernel is found long before it would be compiled. */
static void case_on(void)
{
	for (unsigned i = 0; i < 100000 && !found() && !compiled(); i++)
		load_and_run(FACTOR, 1000, false, NULL);
	CHECK_EQ(compiled(), 0);
	CHECK_EQ(found(), 1);
}

static void case_many(void)
{
	for (uint32_t factor = 1; factor <= KERNELS; factor++)
		load_and_run(factor, 1, false, NULL);
	CHECK_EQ(compiled(), KERNELS);
}

/* --- the folder ---------- */

static char cache_path[4200];

struct content {
	unsigned entries, others;
	uint64_t size_B;
	char last[4200 + DIGITS + 2];    /* the path of an entry */
};

static struct content look(void)
{
	struct content content = {0};
	struct stat status;
	char path[sizeof(content.last)];
	DIR *stream = opendir(cache_path);
	for (const struct dirent *file; stream && (file = readdir(stream));) {
		const size_t length = strlen(file->d_name);
		if (*file->d_name == '.' || length > DIGITS || length < DIGITS) {
			content.others += *file->d_name != '.' && strcmp(file->d_name, "tally");
			continue;
		}
		snprintf(path, sizeof(path), "%s/%.64s", cache_path, file->d_name);
		memcpy(content.last, path, sizeof(path));
		content.entries++;
		content.size_B += stat(path, &status) ? 0 : (uint64_t)status.st_size;
	}
	if (stream)
		closedir(stream);
	return content;
}

static void clear(void)
{
	struct cache *cache = cache_create(cache_path, 1 << 30);
	REQUIRE(cache != NULL);
	(void)cache_clear(cache);
	cache_destroy(cache);
	CHECK_EQ(look().entries, 0);
}

/* The only entry is there. */
static void fresh(void)
{
	clear();
	run_case("compiles", compiler, "is compiled");
	CHECK_EQ(look().entries, 1);
	CHECK_EQ(look().others, 0);
}

/* --- the tests ---------- */

static void a_second_process_compiles_nothing(void)
{
	fresh();
	run_case("finds", compiler, "is in the cache");
	setenv("TEST_FACTOR", "5", 1);
	run_case("compiles", compiler, NULL);
	run_case("finds", compiler, NULL);
	unsetenv("TEST_FACTOR");
	run_case("finds", compiler, NULL);
	CHECK_EQ(look().entries, 2);
	setenv("CULVERT_SOFT_JIT", "on", 1);
	run_case("on", compiler, "is in the cache");
	setenv("CULVERT_SOFT_JIT", "always", 1);
}

/* Changes the byte at a place of the only entry; SIZE_MAX / 2 is its middle, SIZE_MAX its end. */
static void damage(size_t at)
{
	const struct content content = look();
	const int file = open(content.last, O_RDWR);
	if (at >= content.size_B)
		at = at == SIZE_MAX ? content.size_B - 1 : content.size_B / 2;
	char byte = 0;
	CHECK(file >= 0 && pread(file, &byte, 1, (off_t)at) == 1);
	byte = (char)~byte;
	CHECK(pwrite(file, &byte, 1, (off_t)at) == 1);
	(void)close(file);
}

static void damaged_entries_are_not_executed(void)
{
	static const size_t places[] = {0, 20, 50, 60, 72, 80, 200, SIZE_MAX / 2, SIZE_MAX};
	fresh();
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		damage(places[i]);
		run_case("compiles", compiler, "removed the damaged entry");
	}
	for (unsigned part = 0; part < 4; part++) {
		const struct content content = look();
		CHECK(!truncate(content.last, (off_t)(content.size_B * part / 4)));
		run_case("compiles", compiler, "removed the damaged entry");
	}
	run_case("finds", compiler, NULL);
}

static void take_key(void *state, const struct cache_file *file)
{
	*(struct hash *)state = file->key;
}

/* Entries whose checksum is right, and whose value is not an answer of the compiler. */
static void whole_entries_of_another_content_are_not_executed(void)
{
	struct hash key;
	struct cache *cache = cache_create(cache_path, 1 << 30);
	REQUIRE(cache != NULL);
	fresh();
	for (unsigned what = 0; what < 6; what++) {
		struct bytes value = BYTES_INIT;
		REQUIRE(cache_each(cache, take_key, &key) && cache_get(cache, &key, &value));
		/* Behind 'S', the kernel's name, the build and 'C': the lanes of a part, and the number of entries. */
		char *const numbers = value.data + 1 + sizeof("k") + sizeof(CULVERT_BUILD) + 1;
		const uint32_t wrong[] = {3, 0};
		if (what == 0)
			value.size_B -= 8;           /* of the machine code */
		else if (what == 1)
			value.data[3] ^= 1;          /* another build */
		else if (what < 4)
			memcpy(numbers + (what - 2) * sizeof(*wrong), &wrong[what - 2], sizeof(*wrong));
		else if (what == 4)
			value.size_B = 1;
		else
			value.data[0] = 'P';
		cache_put(cache, &key, &value);
		bytes_finish(&value);
		run_case("compiles", compiler, what < 4 ? "is not used" : NULL);
		run_case("finds", compiler, NULL);
	}
	cache_destroy(cache);
}

/* The only entry, whose content is right, is where somebody else may have put it or may change it. */
static void entries_of_others_are_not_executed(void)
{
	char elsewhere[sizeof(cache_path) + 16];
	struct content content;
	snprintf(elsewhere, sizeof(elsewhere), "%s.moved", cache_path);
	fresh();
	CHECK(!chmod(cache_path, 0770));
	run_case("compiles", compiler, "others may write to it");
	CHECK(!chmod(cache_path, 0700));
	content = look();
	CHECK(!chmod(content.last, 0620));
	run_case("compiles", compiler, "removed the damaged entry");
	content = look();
	CHECK(!rename(content.last, elsewhere) && !symlink(elsewhere, content.last));
	run_case("compiles", compiler, "removed the damaged entry");
	CHECK(!unlink(elsewhere));
	CHECK(!rename(cache_path, elsewhere) && !symlink(elsewhere, cache_path));
	run_case("compiles", compiler, "cannot be opened");
	CHECK(!unlink(cache_path) && !rename(elsewhere, cache_path));
	run_case("finds", compiler, NULL);
	/* Only the system's administrator can give files away, and not in a namespace that has no other user. */
	if (geteuid())
		return;
	content = look();
	if (chown(content.last, 65534, 65534)) {
		CHECK_EQ(errno, EINVAL);
		return;
	}
	run_case("compiles", compiler, "removed the damaged entry");
	CHECK(!chown(cache_path, 65534, 65534));
	run_case("compiles", compiler, "belongs to others");
	CHECK(!chown(cache_path, 0, 0));
	run_case("finds", compiler, NULL);
}

static void other_processors_and_compilers_have_entries_of_their_own(void)
{
	static const char *const variables[] = {"TEST_PROCESSOR", "TEST_BUILDERS"};
	fresh();
	for (unsigned i = 0; i < 2; i++) {
		setenv(variables[i], "1", 1);
		run_case("compiles", compiler, NULL);
		run_case("finds", compiler, NULL);
		unsetenv(variables[i]);
		run_case("finds", compiler, NULL);
		CHECK_EQ(look().entries, 2 + i);
	}
	/* A compiler of which nothing is known. */
	setenv("TEST_NO_BUILDERS", "1", 1);
	run_case("compiles", compiler, NULL);
	unsetenv("TEST_NO_BUILDERS");
	CHECK_EQ(look().entries, 3);
}

static void the_kind_of_processor_is_known(void)
{
	struct bytes one = BYTES_INIT, other = BYTES_INIT;
	__real_processors_describe(&one);
	__real_processors_describe(&other);
	CHECK(one.size_B > 16 && one.size_B == other.size_B && !memcmp(one.data, other.data, one.size_B));
	bytes_finish(&one);
	bytes_finish(&other);
}

static void the_cache_is_off(void)
{
	static const char *const settings[][2] = {{"CULVERT_CACHE", "off"}, {"CUDA_CACHE_DISABLE", "1"}};
	for (unsigned i = 0; i < 2; i++) {
		fresh();
		setenv(settings[i][0], settings[i][1], 1);
		run_case("compiles", compiler, NULL);
		clear();
		run_case("compiles", compiler, NULL);
		CHECK_EQ(look().entries, 0);
		unsetenv(settings[i][0]);
	}
}

static void a_folder_is_read_only(void)
{
	fresh();
	CHECK(!chmod(cache_path, 0500));
	run_case("finds", compiler, NULL);
	setenv("TEST_FACTOR", "7", 1);
	run_case("compiles", compiler, NULL);
	unsetenv("TEST_FACTOR");
	CHECK(!chmod(cache_path, 0700));
}

static void the_disk_fails(void)
{
	static const char *const names[] = {"open", "read", "write", "rename", "unlink", "stat", "all"};
	static const int errors[] = {EIO, ENOSPC, EROFS};
	char shim[4096], text[16];
	if (!realpath("tests/stress/libdisk-fault.so", shim))
		SKIP("tests/stress/libdisk-fault.so is not here: not with sanitizers");
	setenv("FAULT_DISK_IN", cache_path, 1);
	for (size_t n = 0; n < sizeof(names) / sizeof(names[0]); n++) {
		fresh();
		snprintf(text, sizeof(text), "%d", errors[n % 3]);
		setenv("FAULT_DISK_ERROR", text, 1);
		setenv("FAULT_DISK", names[n], 1);
		setenv("LD_PRELOAD", shim, 1);
		run_case("either", compiler, NULL);
		setenv("TEST_FACTOR", "7", 1);
		run_case("compiles", compiler, NULL);
		unsetenv("TEST_FACTOR");
		unsetenv("LD_PRELOAD");
		/* What was stored before is still there, and nothing is left of what could not be stored. */
		CHECK_EQ(look().others, 0);
		run_case("finds", compiler, NULL);
	}
	unsetenv("FAULT_DISK");
}

static void many_processes_store_at_once(void)
{
	enum { PROCESSES = 6 };
	pid_t children[PROCESSES];
	clear();
	REQUIRE(place(compiler, compiler, true));
	for (unsigned i = 0; i < PROCESSES; i++) {
		children[i] = fork();
		if (!children[i]) {
			run_placed_case("either", NULL);
			(void)fflush(stdout);
			_exit(test_failures != 0);
		}
	}
	for (unsigned i = 0; i < PROCESSES; i++) {
		int status = 1;
		CHECK(waitpid(children[i], &status, 0) == children[i] && !status);
	}
	CHECK_EQ(look().entries, 1);
	CHECK_EQ(look().others, 0);
	run_case("finds", compiler, NULL);
}

static void the_folder_stays_within_its_limit(void)
{
	char text[32];
	fresh();
	const uint64_t limit_B = look().size_B * 4;
	clear();
	snprintf(text, sizeof(text), "%llu", (unsigned long long)limit_B);
	setenv("CULVERT_CACHE_SIZE", text, 1);
	run_case("many", compiler, "entries evicted");
	CHECK(look().entries > 0 && look().entries < KERNELS && look().size_B <= limit_B);
	unsetenv("CULVERT_CACHE_SIZE");
}

int main(int argc, char **argv)
{
	static const struct jit_case named[] = {
		{"compiles", case_compiles}, {"finds", case_finds}, {"either", case_either}, {"on", case_on},
		{"many", case_many}
	};
	static const struct test_case cases[] = {
		TEST(a_second_process_compiles_nothing), TEST(damaged_entries_are_not_executed),
		TEST(whole_entries_of_another_content_are_not_executed), TEST(entries_of_others_are_not_executed),
		TEST(other_processors_and_compilers_have_entries_of_their_own), TEST(the_kind_of_processor_is_known),
		TEST(the_cache_is_off), TEST(a_folder_is_read_only), TEST(the_disk_fails),
		TEST(many_processes_store_at_once), TEST(the_folder_stays_within_its_limit)
	};
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc > 1) {
		const int failed = run_named(named, sizeof(named) / sizeof(named[0]), argv[1]);
		soft_exec_shutdown();
		return failed;
	}
	char whole[4096];
	if (!make_folder("tests/unit/t_soft_jit_cache") || !realpath(folder, whole))
		return 99;
	snprintf(cache_path, sizeof(cache_path), "%s/cache", whole);
	setenv("CULVERT_SOFT_JIT", "always", 1);
	setenv("CULVERT_DEBUG", "info", 1);
	setenv("CULVERT_CACHE", "on", 1);
	setenv("CULVERT_CACHE_DIR", cache_path, 1);
	unsetenv("CULVERT_CACHE_SIZE");
	unsetenv("CUDA_CACHE_DISABLE");
	const int failed = test_run_all(cases, (int)(sizeof(cases) / sizeof(cases[0])));
	clear();
	(void)place("cache/tally", NULL, false);
	(void)rmdir(cache_path);
	remove_folder();
	return failed;
}
