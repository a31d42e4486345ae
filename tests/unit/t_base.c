/* Protects: list order, lock conditions, the lock-rank check of debug builds, options, build ids. */
#include "config.h"

#include "base/build_id.h"
#include "base/hash.h"
#include "base/list.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/options.h"
#include "tests/unit/test.h"

#include <elf.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

struct item {
	int number;
	struct list link; /* in the test's list */
};

static void list_keeps_order(void)
{
	struct list head, other, *link, *next;
	struct item items[4];
	list_init(&head);
	list_init(&other);
	CHECK(list_empty(&head));
	for (int i = 0; i < 4; i++) {
		items[i].number = i;
		list_append(&head, &items[i].link);
	}
	list_remove(&items[1].link);
	list_remove(&items[1].link);
	list_prepend(&head, &items[1].link);
	list_move_all(&other, &head);
	CHECK(list_empty(&head));
	const int expected[] = {1, 0, 2, 3};
	int at = 0;
	list_for_each(link, next, &other) {
		CHECK(at < 4);
		CHECK_EQ(list_entry(link, struct item, link)->number, expected[at++]);
		list_remove(link);
	}
	CHECK_EQ(at, 4);
	CHECK(list_empty(&other));
}

static void condition_times_out(void)
{
	struct lock lock;
	struct lock_condition condition;
	REQUIRE(!lock_init(&lock, LOCK_RANK_QUEUE));
	REQUIRE(!lock_condition_init(&condition));
	lock_take(&lock);
	CHECK_EQ(lock_condition_wait_for(&condition, &lock, 1000000), ETIMEDOUT);
	lock_drop(&lock);
	lock_condition_finish(&condition);
	lock_finish(&lock);
}

static void wrong_rank(void)
{
	struct lock high = LOCK_INIT(LOCK_RANK_EVENT), low = LOCK_INIT(LOCK_RANK_QUEUE);
	lock_take(&high);
	lock_take(&low);
	lock_drop(&low);
	lock_drop(&high);
}

static void debug_builds_catch_a_wrong_rank(void)
{
	pid_t child = fork();
	REQUIRE(child >= 0);
	if (!child) {
		/* The report is wanted, its text and a core file are not. */
		fclose(stderr);
		signal(SIGILL, SIG_DFL);
		signal(SIGTRAP, SIG_DFL);
		wrong_rank();
		_exit(0);
	}
	int status;
	REQUIRE(waitpid(child, &status, 0) == child);
#ifdef CULVERT_DEBUG_CHECKS
	CHECK(!WIFEXITED(status) || WEXITSTATUS(status));
#else
	CHECK(WIFEXITED(status) && !WEXITSTATUS(status));
#endif
}

static void options_come_from_the_environment(void)
{
	CHECK_EQ(option_number(OPTION_SOFT_DEVICES), 3);
	CHECK_STRING(option_string(OPTION_CUDA), "auto");
	/* Not a number: the default. */
	CHECK_EQ(option_number(OPTION_SOFT_THREADS), 0);
	CHECK(!option_valid(OPTION_SOFT_THREADS) && option_valid(OPTION_SOFT_DEVICES) && option_valid(OPTION_CUDA));
	/* No flag: the default, which is on. */
	CHECK(option_flag(OPTION_CACHE) && !option_valid(OPTION_CACHE));
	CHECK(!option_flag(OPTION_HELP) && option_valid(OPTION_HELP));
	/* One word of a list, and a list where one word is wanted. */
	CHECK(option_valid(OPTION_SOFT_CHECK) && !option_valid(OPTION_WAIT));
	/* Read once: a later change of the environment is not seen. */
	setenv("CULVERT_SOFT_DEVICES", "5", 1);
	CHECK_EQ(option_number(OPTION_SOFT_DEVICES), 3);
	for (int i = 0; i < OPTION_COUNT; i++) {
		CHECK(!strncmp(option_name((enum option)i), "CULVERT_", 8));
		CHECK(*option_help((enum option)i));
	}
}

static void silent_by_default(void)
{
	CHECK(!log_enabled(LOG_LEVEL_ERR));
}

/* A lock that is wanted all the time, and left in the middle by who waits. */
static struct {
	struct lock lock;
	struct lock_condition changed;
	unsigned count, finished;
} wanted = {.lock = LOCK_INIT(LOCK_RANK_QUEUE)};
enum { WANTING = 4, TIMES = 20000 };

static void *want(void *unused)
{
	(void)unused;
	for (unsigned i = 0; i < TIMES; i++) {
		lock_take(&wanted.lock);
		wanted.count++;
		lock_drop(&wanted.lock);
	}
	lock_take(&wanted.lock);
	wanted.finished++;
	lock_condition_signal_all(&wanted.changed);
	lock_drop(&wanted.lock);
	return NULL;
}

static void one_at_a_time_holds_a_lock(void)
{
	pthread_t threads[WANTING];
	REQUIRE(!lock_condition_init(&wanted.changed));
	for (unsigned i = 0; i < WANTING; i++)
		REQUIRE(!pthread_create(&threads[i], NULL, want, NULL));
	lock_take(&wanted.lock);
	while (wanted.finished < WANTING)
		lock_condition_wait(&wanted.changed, &wanted.lock);
	CHECK_EQ(wanted.count, WANTING * TIMES);
	lock_drop(&wanted.lock);
	for (unsigned i = 0; i < WANTING; i++)
		pthread_join(threads[i], NULL);
	lock_condition_finish(&wanted.changed);
}

/* An ELF file of one note, whose id has id_B bytes by its head and 4 in the file. */
struct noted {
	Elf64_Ehdr head;
	Elf64_Phdr segment;
	Elf64_Nhdr note;
	char name[4];
	unsigned char id[4];
};

static void id_is(uint32_t id_B, uint32_t name_B, bool taken)
{
	char path[] = "/tmp/culvert-id-XXXXXX";
	struct bytes text = BYTES_INIT;
	struct noted file;
	memset(&file, 0, sizeof(file));
	memcpy(file.head.e_ident, ELFMAG, SELFMAG);
	file.head.e_ident[EI_CLASS] = ELFCLASS64;
	file.head.e_phoff = offsetof(struct noted, segment);
	file.head.e_phentsize = sizeof(file.segment);
	file.head.e_phnum = 1;
	file.segment.p_type = PT_NOTE;
	file.segment.p_offset = offsetof(struct noted, note);
	file.segment.p_filesz = sizeof(file.note) + sizeof(file.name) + sizeof(file.id);
	file.note = (Elf64_Nhdr){name_B, id_B, NT_GNU_BUILD_ID};
	memcpy(file.name, "GNU", 4);
	memcpy(file.id, "\x01\x23\x45\x67", 4);
	const int fd = mkstemp(path);
	REQUIRE(fd >= 0);
	CHECK_EQ(write(fd, &file, sizeof(file)), (long)sizeof(file));
	close(fd);
	/* Without one the hash of the file stands for it. */
	CHECK(build_id_append(&text, path));
	CHECK_EQ(!strcmp(bytes_string(&text), "01234567"), taken);
	CHECK_EQ(text.size_B, taken ? 8 : 64);
	bytes_finish(&text);
	unlink(path);
}

static void a_build_id_keeps_to_its_note(void)
{
	id_is(4, 4, true);
	id_is(0, 4, false);
	id_is(8, 4, false);
	for (uint32_t less = 0; less < 6; less++) {
		id_is(UINT32_MAX - less, 4, false);
		id_is(4, UINT32_MAX - less, false);
	}
}

static bool hash_is(const struct hash *hash, const char *expected)
{
	char text[2 * HASH_B + 1];
	for (unsigned i = 0; i < HASH_B; i++)
		snprintf(text + 2 * i, 3, "%02x", hash->bytes[i]);
	return !strcmp(text, expected);
}

/* BLAKE3's test_vectors.json: the bytes 0, 1, ... 250, 0, 1 ... of some lengths, about the edges of its blocks and
 * chunks; here also in pieces of all lengths. */
static void hashes_are_blake3(void)
{
	enum { MOST = 102400, PARTS = 400 };
	static const struct {
		size_t size_B;
		const char *hash;
	} vectors[] = {
		{0, "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262"},
		{1, "2d3adedff11b61f14c886e35afa036736dcd87a74d27b5c1510225d0f592e213"},
		{1023, "10108970eeda3eb932baac1428c7a2163b0e924c9a9e25b35bba72b28f70bd11"},
		{1024, "42214739f095a406f3fc83deb889744ac00df831c10daa55189b5d121c855af7"},
		{1025, "d00278ae47eb27b34faecf67b4fe263f82d5412916c1ffd97c8cb7fb814b8444"},
		{MOST, "bc3e3d41a1146b069abffad3c0d44860cf664390afce4d9661f7902e7943e085"},
	};
	struct hash_part parts[PARTS];
	struct hash hash;
	char *many = malloc(MOST);
	REQUIRE(many != NULL);
	for (size_t i = 0; i < MOST; i++)
		many[i] = (char)(i % 251);
	for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
		hash = hash_of(many, vectors[i].size_B);
		CHECK(hash_is(&hash, vectors[i].hash));
	}
	size_t at_B = 0;
	for (unsigned i = 0; i < PARTS; i++) {
		parts[i] = (struct hash_part){many + at_B, i + 1 < PARTS ? i : MOST - at_B};
		at_B += parts[i].size_B;
	}
	CHECK_EQ(at_B, MOST);
	hash = hash_of_parts(parts, PARTS);
	CHECK(hash_is(&hash, vectors[5].hash));
	parts[0] = (struct hash_part){NULL, 0};
	hash = hash_of_parts(parts, 1);
	CHECK(hash_is(&hash, vectors[0].hash));
	free(many);
}

static const struct test_case cases[] = {
	TEST(hashes_are_blake3), TEST(list_keeps_order), TEST(condition_times_out), TEST(one_at_a_time_holds_a_lock),
	TEST(debug_builds_catch_a_wrong_rank), TEST(a_build_id_keeps_to_its_note),
	TEST(options_come_from_the_environment), TEST(silent_by_default)};

int main(void)
{
	setenv("CULVERT_SOFT_DEVICES", "3", 1);
	setenv("CULVERT_SOFT_THREADS", "many", 1);
	setenv("CULVERT_CACHE", "maybe", 1);
	setenv("CULVERT_HELP", "No", 1);
	setenv("CULVERT_SOFT_CHECK", "race,stop", 1);
	setenv("CULVERT_WAIT", "spin,block", 1);
	unsetenv("CULVERT_CUDA");
	unsetenv("CULVERT_DEBUG");
	return test_run_all(cases, (int)(sizeof(cases) / sizeof(cases[0])));
}
