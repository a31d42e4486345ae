/* Protects: two programs that differ are two to the cache, also where somebody made them to have
 * the same hash.
 *
 * XXH3-128, which names were made by once, can be made to collide without a search, for its secret is
 * public.  Of an input above 240 bytes it takes words of 8 bytes.  To one of eight sums each word adds the
 * product of its halves, after these are xored with a word of the secret, and to the neighbouring
 * sum it adds itself.  A word whose first half is the secret's adds a product of zero, whatever its
 * other half is.  Two such words, for the same sum of the same 1024 bytes: what is added to the free
 * half of one and taken from that of the other is not seen.  Here the one has a digit of
 * the program in its free half, the other a letter of a comment.
 *
 * A pair collides where its text begins at one of some offsets in what is hashed, and the key of a
 * program begins with names of libraries, of any length: there is a pair for each offset. */
#include "config.h"

#include "tests/api/api_test.h"
#include "tests/api/remove_folder.h"

#include <unistd.h>

/* For its secret, and to see that the pairs collide. */
#define XXH_INLINE_ALL
#include <xxhash.h>

enum {
	BLOCK_B = 1024,                  /* then the sums are mixed, and the secret begins anew */
	STRIPE_B = 64,                   /* a word for each sum */
	WORD_B = 8,
	HALF_B = WORD_B / 2,
	LAST_LANE = 7,
	SOURCE_B = 3000,
	BEHIND_B = 100,                  /* of the key, behind the source */
	PAIRS_MOST = BLOCK_B,
	VALUE_FIRST = 1, VALUE_SECOND = 2
};

struct pair {
	char first[SOURCE_B], second[SOURCE_B];
};

static struct api_test test;
static struct pair pairs[PAIRS_MOST];
static unsigned pair_count;

/* The first half of the secret's word for the one that lies there. */
static void put_half(char *source, size_t at_B, size_t offset_B)
{
	const size_t place_B = at_B + offset_B;
	const size_t stripe = place_B % BLOCK_B / STRIPE_B, lane = place_B % STRIPE_B / WORD_B;
	memcpy(source + at_B, XXH3_kSecret + WORD_B * (stripe + lane), HALF_B);
}

/* A pair for a text that begins at offset_B; begin ends within a comment, and end begins so. */
static void pair_make(struct pair *pair, size_t offset_B, const char *begin, const char *end)
{
	const size_t place_B = LAST_LANE * WORD_B;
	const size_t digit_at_B = BLOCK_B + (BLOCK_B + place_B - offset_B % BLOCK_B) % BLOCK_B;
	const size_t letter_at_B = digit_at_B + STRIPE_B;
	memset(pair->first, 'x', SOURCE_B);
	memcpy(pair->first, begin, strlen(begin));
	put_half(pair->first, digit_at_B, offset_B);
	memcpy(pair->first + digit_at_B + HALF_B, "*/1/*", 5);
	put_half(pair->first, letter_at_B, offset_B);
	memcpy(pair->first + SOURCE_B - strlen(end), end, strlen(end));
	memcpy(pair->second, pair->first, SOURCE_B);
	pair->second[digit_at_B + HALF_B + 2]++;
	pair->second[letter_at_B + HALF_B + 2]--;
}

static bool collides(const struct pair *pair, size_t offset_B)
{
	static char whole[2][BLOCK_B + SOURCE_B + BEHIND_B];
	XXH128_hash_t hashes[2];
	for (int i = 0; i < 2; i++) {
		memcpy(whole[i] + offset_B, i ? pair->second : pair->first, SOURCE_B);
		hashes[i] = XXH3_128bits(whole[i], offset_B + SOURCE_B + BEHIND_B);
	}
	return XXH128_isEqual(hashes[0], hashes[1]);
}

/* Each pair serves several offsets: words whose stripe and lane have the same sum meet the same word of
 * the secret. */
static void pairs_make(void)
{
	bool covered[BLOCK_B] = {false};
	for (size_t i = 0; i < BLOCK_B; i++) {
		if (covered[i])
			continue;
		struct pair *pair = &pairs[pair_count++];
		pair_make(pair, i, "kernel void k(global int *p) { *p = /*", "*/; }\n");
		CHECK(memcmp(pair->first, pair->second, SOURCE_B));
		for (size_t offset_B = i; offset_B < BLOCK_B; offset_B++)
			covered[offset_B] |= collides(pair, offset_B);
		CHECK(covered[i]);
	}
	printf("%u pairs\n", pair_count);
}

/* What the program stores; -1: it was not built, or did not run. */
static cl_int value_of(const char *source, size_t size_B, const char *options)
{
	cl_int code, value = -1;
	const size_t one = 1;
	cl_program program = clCreateProgramWithSource(test.context, 1, &source, &size_B, &code);
	if (code || clBuildProgram(program, 1, &test.device, options, NULL, NULL))
		return -1;
	cl_kernel kernel = clCreateKernel(program, "k", &code);
	cl_command_queue queue = clCreateCommandQueue(test.context, test.device, 0, &code);
	cl_mem buffer = clCreateBuffer(test.context, CL_MEM_READ_WRITE, sizeof(value), NULL, &code);
	if (clSetKernelArg(kernel, 0, sizeof(buffer), &buffer) ||
	    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL) ||
	    clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof(value), &value, 0, NULL, NULL))
		value = -1;
	CHECK_OK(clReleaseMemObject(buffer));
	CHECK_OK(clReleaseCommandQueue(queue));
	CHECK_OK(clReleaseKernel(kernel));
	CHECK_OK(clReleaseProgram(program));
	return value;
}

static unsigned wrong(const char *source, cl_int expected)
{
	return value_of(source, SOURCE_B, "") != expected;
}

static void sources(void)
{
	unsigned wrong_first = 0, wrong_from_disk = 0, wrong_from_memory = 0;
	for (unsigned i = 0; i < pair_count; i++)
		wrong_first += wrong(pairs[i].first, VALUE_FIRST);
	/* What is kept in memory is forgotten, what is on disk is not. */
	CHECK_OK(clUnloadPlatformCompiler(test.platform));
	for (unsigned i = 0; i < pair_count; i++)
		wrong_from_disk += wrong(pairs[i].second, VALUE_SECOND);
	for (unsigned i = 0; i < pair_count; i++) {
		wrong_from_memory += wrong(pairs[i].first, VALUE_FIRST);
		wrong_from_memory += wrong(pairs[i].second, VALUE_SECOND);
	}
	CHECK(!wrong_first);
	CHECK(!wrong_from_disk);
	CHECK(!wrong_from_memory);
}

static void write_header(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");
	if (CHECK(file != NULL)) {
		CHECK(fwrite(text, 1, SOURCE_B, file) == SOURCE_B);
		CHECK(!fclose(file));
	}
}

/* What a program includes is looked at again by its content. */
static void headers(const char *folder)
{
	static const char source[] = "#include \"value.h\"\n"
				     "kernel void k(global int *p) { *p = value; }\n";
	static struct pair pair;
	char path[256], options[256];
	snprintf(path, sizeof(path), "%s/value.h", folder);
	snprintf(options, sizeof(options), "-I %s", folder);
	pair_make(&pair, 0, "constant int value = /*", "*/;\n");
	CHECK(XXH128_isEqual(XXH3_128bits(pair.first, SOURCE_B),
			     XXH3_128bits(pair.second, SOURCE_B)));
	for (int forget = 0; forget < 2; forget++) {
		write_header(path, pair.first);
		CHECK(value_of(source, sizeof(source) - 1, options) == VALUE_FIRST);
		if (forget)
			CHECK_OK(clUnloadPlatformCompiler(test.platform));
		write_header(path, pair.second);
		CHECK(value_of(source, sizeof(source) - 1, options) == VALUE_SECOND);
	}
}

int main(void)
{
	char folder[] = "/tmp/culvert-collisions-XXXXXX", kept[64];
	if (!mkdtemp(folder))
		return 1;
	snprintf(kept, sizeof(kept), "%s/kept", folder);
	unsetenv("CUDA_CACHE_DISABLE");
	setenv("CULVERT_CACHE", "on", 1);
	setenv("CULVERT_CACHE_DIR", kept, 1);
	if (!api_test_start(&test, "collisions")) {
		(void)rmdir(folder);
		return API_TEST_SKIP;
	}
	pairs_make();
	sources();
	headers(folder);
	CHECK(!access(kept, F_OK));
	remove_folder(folder);
	return api_test_end(&test);
}
