/* Protects: growth, the closing NUL, sticky failure, whole-file reads and writes. */
#include "config.h"

#include "base/bytes.h"
#include "base/pack.h"
#include "base/shared_text.h"
#include "base/spans.h"
#include "tests/unit/test.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void grows_and_ends_in_nul(void)
{
	struct bytes bytes = BYTES_INIT;
	CHECK_STRING(bytes_string(&bytes), "");
	for (int i = 0; i < 1000; i++)
		bytes_printf(&bytes, "%d,", i);
	CHECK_EQ(bytes.size_B, 10 * 2 + 90 * 3 + 900 * 4);
	CHECK_EQ(bytes.data[bytes.size_B], '\0');
	CHECK(!strncmp(bytes.data, "0,1,2,", 6));
	CHECK(!bytes_failed(&bytes));
	bytes_finish(&bytes);
	CHECK_EQ(bytes.size_B, 0);
}

static void long_formats_are_whole(void)
{
	struct bytes bytes = BYTES_INIT;
	bytes_printf(&bytes, "%0700d", 1);
	CHECK_EQ(bytes.size_B, 700);
	CHECK_EQ(bytes.data[699], '1');
	char *more = bytes_extend(&bytes, 3);
	REQUIRE(more);
	CHECK(more[0] == 0 && more[2] == 0);
	CHECK_EQ(bytes.size_B, 703);
	bytes_finish(&bytes);
}

static void failure_sticks_and_keeps_content(void)
{
	struct bytes bytes = BYTES_INIT;
	bytes_append_string(&bytes, "kept");
	CHECK(!bytes_extend(&bytes, SIZE_MAX / 2));
	CHECK(bytes_failed(&bytes));
	bytes_append_string(&bytes, "not added");
	CHECK_STRING(bytes_string(&bytes), "kept");
	bytes_finish(&bytes);
	CHECK(!bytes_failed(&bytes));
}

static void move_empties_the_source(void)
{
	struct bytes from = BYTES_INIT, to = BYTES_INIT;
	bytes_append_string(&from, "x");
	bytes_move(&to, &from);
	CHECK_STRING(bytes_string(&to), "x");
	CHECK(!from.data && !from.size_B);
	bytes_finish(&to);
}

static void files_come_back_as_written(void)
{
	char folder[] = "/tmp/culvert-bytes-XXXXXX";
	REQUIRE(mkdtemp(folder));
	struct bytes path = BYTES_INIT, read = BYTES_INIT;
	bytes_printf(&path, "%s/file", folder);
	CHECK_EQ(bytes_write_file("a\0b", 3, path.data), 0);
	CHECK_EQ(bytes_read_file(&read, path.data), 0);
	CHECK_EQ(read.size_B, 3);
	CHECK(read.data && !memcmp(read.data, "a\0b", 3));
	CHECK_EQ(bytes_read_file(&read, folder), EISDIR);
	CHECK_EQ(bytes_read_file(&read, "/nonexistent"), ENOENT);
	CHECK_EQ(read.size_B, 3);
	CHECK_EQ(bytes_write_file("x", 1, "/nonexistent/file"), ENOENT);
	unlink(path.data);
	/* No temporary is left behind, or the folder could not be removed. */
	CHECK_EQ(rmdir(folder), 0);
	bytes_finish(&path);
	bytes_finish(&read);
}

static void an_address_is_found_in_its_span(void)
{
	struct spans spans = SPANS_INIT;
	char owners[40];
	for (unsigned i = 0; i < 40; i++)
		CHECK(spans_insert(&spans, 100 * (i * 7 % 40), 100 * (i * 7 % 40) + 50 + i % 2 * 50,
				   &owners[i * 7 % 40]));
	CHECK(!spans_find(&spans, 4000) && !spans_find(&spans, 50));
	for (unsigned i = 0; i < 40; i++) {
		const struct span *span = spans_find(&spans, 100 * i + 49);
		CHECK(span && span->owner == &owners[i]);
	}
	/* The end of one is the first byte of the next. */
	const struct span *next = spans_find(&spans, 800);
	CHECK(next && next->owner == &owners[8]);
	CHECK(spans_insert(&spans, 5000, 5001, &owners[8]));
	spans_remove_owner(&spans, &owners[8]);
	CHECK(!spans_find(&spans, 801) && !spans_find(&spans, 5000));
	CHECK_EQ(spans.count, 39);
	spans_finish(&spans);
}

/* Who wants what is written kept from others says so by umask(2). */
static void files_have_the_rights_of_new_ones(void)
{
	static const mode_t masks[] = {022, 077, 002};
	char folder[] = "/tmp/culvert-rights-XXXXXX";
	REQUIRE(mkdtemp(folder));
	struct bytes path = BYTES_INIT;
	bytes_printf(&path, "%s/file", folder);
	for (unsigned i = 0; i < sizeof(masks) / sizeof(*masks); i++) {
		struct stat status = {0};
		const mode_t before = umask(masks[i]);
		CHECK_EQ(bytes_write_file("a", 1, path.data), 0);
		umask(before);
		CHECK(!stat(path.data, &status));
		CHECK_EQ(status.st_mode & 0777, 0666 & ~masks[i]);
	}
	unlink(path.data);
	CHECK_EQ(rmdir(folder), 0);
	bytes_finish(&path);
}

static void a_device_stays_a_device(void)
{
	struct stat status;
	CHECK_EQ(bytes_write_file("a", 1, "/dev/null"), 0);
	REQUIRE(!stat("/dev/null", &status));
	CHECK(S_ISCHR(status.st_mode));
	CHECK_EQ(bytes_write_file("a", 1, "/"), EISDIR);
}

static void a_fifo_does_not_hang(void)
{
	char folder[] = "/tmp/culvert-fifo-XXXXXX";
	REQUIRE(mkdtemp(folder));
	struct bytes path = BYTES_INIT, read = BYTES_INIT;
	bytes_printf(&path, "%s/fifo", folder);
	REQUIRE(!mkfifo(path.data, 0600));
	CHECK_EQ(bytes_read_file(&read, path.data), EINVAL);
	unlink(path.data);
	rmdir(folder);
	bytes_finish(&path);
	bytes_finish(&read);
}

/* What comes back is what was packed, and nothing of what is cut short, longer or none. */
static void what_is_packed_comes_back(void)
{
	static const size_t sizes_B[] = {0, 1, 100, 70000, 5000000};
	for (unsigned i = 0; i < sizeof(sizes_B) / sizeof(*sizes_B); i++) {
		struct bytes data = BYTES_INIT, packed = BYTES_INIT, back = BYTES_INIT;
		for (size_t n = 0; n < sizes_B[i]; n++)
			bytes_append_char(&data, (char)(n * n >> 7));
		pack(data.data, data.size_B, &packed);
		CHECK(!bytes_failed(&packed));
		bytes_append_string(&back, "in front");
		CHECK(unpack(packed.data, packed.size_B, &back));
		CHECK_EQ(back.size_B, sizes_B[i] + 8);
		CHECK(!memcmp(back.data, "in front", 8) &&
		      !memcmp(back.data + 8, bytes_string(&data), sizes_B[i]));
		CHECK(!unpack(packed.data, packed.size_B - 1, &back));
		bytes_append_char(&packed, 'x');
		CHECK(!unpack(packed.data, packed.size_B, &back));
		CHECK(!unpack("no frame", 8, &back));
		CHECK_EQ(back.size_B, sizes_B[i] + 8);
		CHECK_EQ(back.data[back.size_B], 0);
		bytes_finish(&data);
		bytes_finish(&packed);
		bytes_finish(&back);
	}
}

static void hex_has_two_digits_a_byte(void)
{
	static const unsigned char data[] = {0x00, 0x09, 0x0a, 0x7f, 0x80, 0xff};
	struct bytes bytes = BYTES_INIT;
	bytes_append_string(&bytes, "x");
	bytes_append_hex(&bytes, data, sizeof(data));
	bytes_append_hex(&bytes, data, 0);
	CHECK_STRING(bytes_string(&bytes), "x00090a7f80ff");
	bytes_finish(&bytes);
}

/* A text has the bytes, a NUL behind them, and lives until its last owner gives it up. */
static void a_shared_text_is_what_was_taken(void)
{
	struct bytes bytes = BYTES_INIT;
	bytes_append(&bytes, "with\0NUL", 8);
	struct shared_text *text = shared_text_take(&bytes);
	REQUIRE(text != NULL);
	CHECK(!bytes.data && !bytes.size_B);
	CHECK_EQ(text->size_B, 8);
	CHECK(!memcmp(text->data, "with\0NUL", 9));
	CHECK(shared_text_ref(text) == text);
	shared_text_unref(text);
	CHECK(!memcmp(text->data, "with\0NUL", 9));
	shared_text_unref(text);
	text = shared_text_take(&bytes);
	REQUIRE(text != NULL);
	CHECK_EQ(text->size_B, 0);
	CHECK_EQ(text->data[0], 0);
	shared_text_unref(text);
	CHECK(!shared_text_ref(NULL));
	shared_text_unref(NULL);
	bytes.failed = true;
	CHECK(!shared_text_take(&bytes));
	CHECK(!bytes_failed(&bytes));
}

TEST_MAIN(TEST(hex_has_two_digits_a_byte), TEST(a_shared_text_is_what_was_taken),
	  TEST(grows_and_ends_in_nul), TEST(long_formats_are_whole),
	  TEST(failure_sticks_and_keeps_content), TEST(move_empties_the_source),
	  TEST(an_address_is_found_in_its_span),
	  TEST(files_come_back_as_written), TEST(files_have_the_rights_of_new_ones),
	  TEST(a_device_stays_a_device), TEST(a_fifo_does_not_hang),
	  TEST(what_is_packed_comes_back))
