/* What a hit costs: finding, reading and checking an entry, and making a program's code of it,
 * by one and by many threads and processes.  Modules are not loaded, and no GPU is needed.
 *
 *	bench_cache [--quick | --tiny]
 *
 * The programs are as large as that of CLBlast's products of single precision. */
#include "config.h"

#include "cache/cache.h"
#include "icd/compile/program_binary.h"
#include "tests/bench/bench.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { KEYS = 64, CUBIN_B = 100 << 10, PTX_B = 140 << 10, OBJECT_B = 68 << 10, KERNELS = 8 };

static struct cache *cache;
enum { SM = 90 };

static struct hash key_of(unsigned number)
{
	return hash_of(&number, sizeof(number));
}

static void failed(const char *what)
{
	bench_fail(__FILE__, __LINE__, what, 0);
}

/* --- a program ---------------------------------------------------------------------------- */

/* Every other byte is any: machine code and bitcode have much that does not compress. */
static void append_code(struct bytes *bytes, size_t size_B)
{
	uint32_t state = 1;
	for (size_t i = 0; i < size_B; i++) {
		state = state * 1664525u + 1013904223u;
		bytes_append_char(bytes, (char)(i & 1 ? state >> 24 : 0));
	}
}

static void append_text(struct bytes *bytes, size_t size_B)
{
	for (unsigned i = 0; bytes->size_B < size_B; i++)
		bytes_printf(bytes, "\tfma.rn.f32 \t%%f%u, %%f%u, %%f%u, %%f%u;\n", i % 97, i % 89,
			     i % 13, i % 7);
}

static struct abi_program *launch_facts(void)
{
	static char name[] = "kernel_with_a_name", none[] = "", type[] = "float*";
	struct abi_argument arguments[10];
	struct abi_kernel kernels[KERNELS];
	struct bytes written = BYTES_INIT;
	for (unsigned i = 0; i < 10; i++)
		arguments[i] = (struct abi_argument){.kind = ABI_ARGUMENT_GLOBAL, .size_B = 8,
						     .align_B = 8, .name = name, .type_name = type};
	for (unsigned i = 0; i < KERNELS; i++)
		kernels[i] = (struct abi_kernel){.name = name, .entry = name, .attributes = none,
						 .arguments = arguments, .argument_count = 10};
	const struct abi_program program = {.kernels = kernels, .kernel_count = KERNELS};
	abi_program_write(&program, &written);
	struct abi_program *read = abi_program_read(written.data, written.size_B);
	bytes_finish(&written);
	return read;
}

/* The value that the cache has for it. */
static void make_value(struct bytes *value)
{
	struct ocl_code *code = ocl_code_create();
	if (!code)
		failed("no memory");
	code->type = CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
	code->sm = code->ptx_sm = SM;
	code->abi = launch_facts();
	append_code(&code->cubin, CUBIN_B);
	append_text(&code->ptx.bytes, PTX_B);
	append_code(&code->object.bytes, OBJECT_B);
	ocl_code_write(code, OCL_CODE_KEPT, value);
	ocl_code_unref(code);
	if (bytes_failed(value))
		failed("no memory");
}

/* --- lookups ------------------------------------------------------------------------------ */

static void hit(unsigned number)
{
	struct bytes value = BYTES_INIT;
	struct ocl_code *code = NULL;
	const struct hash key = key_of(number % KEYS);
	if (!cache_get(cache, &key, &value) ||
	    ocl_code_read(value.data, value.size_B, OCL_CODE_KEPT, SM, &code))
		failed("a miss");
	bytes_finish(&value);
	ocl_code_unref(code);
}

static double hit_sample(void *context)
{
	static unsigned number;
	(void)context;
	const double start_us = bench_us();
	hit(number++);
	return bench_us() - start_us;
}

static double put_sample(void *value)
{
	static unsigned number;
	const struct hash key = key_of(number++ % KEYS);
	const double start_us = bench_us();
	cache_put(cache, &key, value);
	return bench_us() - start_us;
}

static void look_up(void *context, unsigned index)
{
	for (unsigned i = 0; i < *(const unsigned *)context; i++)
		hit(index + i);
}

/* Lookups of all of them by a millisecond: thousands a second. */
static double threads_sample(void *context)
{
	const unsigned *count = context;
	unsigned lookups = (unsigned)bench_pick(200, 100, 10);
	return *count * lookups / bench_threads_us(*count, look_up, &lookups) * 1e3;
}

static double processes_sample(void *context)
{
	const unsigned count = *(const unsigned *)context;
	unsigned lookups = (unsigned)bench_pick(200, 100, 10);
	int bad = 0;
	const double start_us = bench_us();
	for (unsigned i = 0; i < count; i++) {
		const pid_t child = fork();
		if (child < 0)
			failed("fork");
		if (!child) {
			look_up(&lookups, i);
			_exit(0);
		}
	}
	for (unsigned i = 0; i < count; i++) {
		int status = 1;
		bad |= wait(&status) < 0 || status;
	}
	return bad ? -1 : count * lookups / (bench_us() - start_us) * 1e3;
}

static void measure_many(unsigned count)
{
	char name[64];
	snprintf(name, sizeof(name), "lookups, %u %s", count, count == 1 ? "thread" : "threads");
	bench_row("cache", name, "k/s", HIGHER, threads_sample, &count);
	snprintf(name, sizeof(name), "lookups, %u %s", count, count == 1 ? "process" : "processes");
	bench_row("cache", name, "k/s", HIGHER, processes_sample, &count);
}

static int take_away(const char *path, const struct stat *status, int kind, struct FTW *place)
{
	(void)status;
	(void)kind;
	(void)place;
	return remove(path);
}

int main(int argc, char **argv)
{
	static const unsigned counts[] = {1, 4, 16};
	char folder[4096];
	const char *above = getenv("TMPDIR");
	struct bytes value = BYTES_INIT;
	bench_start(argc, argv);
	snprintf(folder, sizeof(folder), "%s/bench-cache-XXXXXX", above ? above : "/tmp");
	if (!mkdtemp(folder) || !(cache = cache_create(folder, 1 << 30)))
		failed(folder);
	make_value(&value);
	rows_begin("cache", "Culvert", "none", "none");
	for (unsigned i = 0; i < KEYS; i++)
		put_sample(&value);
	bench_row("cache", "put", "us", LOWER, put_sample, &value);
	bench_row("cache", "a hit of 100 KiB of machine code", "us", LOWER, hit_sample, NULL);
	for (unsigned i = 0; i < 3; i++)
		measure_many(counts[i]);
	cache_destroy(cache);
	bytes_finish(&value);
	nftw(folder, take_away, 16, FTW_DEPTH | FTW_PHYS);
	return rows_end();
}
