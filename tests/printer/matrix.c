/* Protects: what the printer writes, construct by construct.  Each row of rows.def, for each
 * of its types and widths, goes through the lowering and the printer; libnvvm takes the text in
 * both of its dialects and without and with its optimiser; softcuda runs what comes of it; and
 * LLVM's own compiler for the host says what the result has to be.
 *
 *	printer_matrix [--all] [NAME]    NAME: only rows whose names begin with it
 *
 * --all, or PRINTER_MATRIX=all in the environment: every architecture gets every row, and so
 * does NVIDIA's assembler; else some of them only see a part.
 * Exit status: 0, 1 a failure, 77 there is no libnvvm. */
#include "config.h"

#include "backend/codegen.h"
#include "base/hash.h"
#include "tests/printer/coverage.h"
#include "tests/printer/reference.h"
#include "tests/printer/rows.h"
#include "tests/printer/target.h"

#include <cuda.h>
#include <llvm/Config/llvm-config.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 64, EVERY_NTH = 8 };

static const struct target targets[] = {
	{75, 3, false, 0}, {75, 0, false, 0}, {80, 3, false, 0}, {90, 3, true, 0}, {90, 0, true, 0},
	{100, 3, true, 0}, {100, 0, true, 0}, {120, 3, false, 0},
	/* As for libnvvm of CUDA 12.9, 12.4 and 12.0. */
	{90, 3, true, NVVM_LACKS_COPYSIGN}, {90, 3, true, NVVM_LACKS_COPYSIGN | NVVM_LACKS_HALF},
	{90, 0, true, NVVM_LACKS_COPYSIGN | NVVM_LACKS_HALF | NVVM_LACKS_NARROW_LOCAL},
};

static unsigned failures;

static void complain(const struct target *target, const struct item *item, const char *what)
{
	failures++;
	printf("%s, sm_%u -opt=%u, without %u: %s\n", item->name, target->sm, target->optimization,
	       target->lacks, what);
}

/* -- running ---------------------------------------------------------------------------------- */

struct memory {
	CUdeviceptr input, output;
};

/* After a fault, too, which leaves nothing of what was there. */
static bool memory_make(struct memory *memory)
{
	CUcontext context;
	return cuInit(0) == CUDA_SUCCESS && cuDevicePrimaryCtxReset(0) == CUDA_SUCCESS &&
	       cuDevicePrimaryCtxRetain(&context, 0) == CUDA_SUCCESS &&
	       cuCtxSetCurrent(context) == CUDA_SUCCESS &&
	       cuMemAlloc(&memory->input, INPUT_B) == CUDA_SUCCESS &&
	       cuMemAlloc(&memory->output, OUTPUT_B) == CUDA_SUCCESS;
}

static bool run_kernel(CUmodule module, const struct item *item, struct memory *memory,
		       const unsigned char *input, unsigned char *output)
{
	CUfunction function;
	void *arguments[] = {&memory->input, &memory->output};
	return cuModuleGetFunction(&function, module, item->kernel) == CUDA_SUCCESS &&
	       cuMemcpyHtoD(memory->input, input, INPUT_B) == CUDA_SUCCESS &&
	       cuMemsetD8(memory->output, 0x55, OUTPUT_B) == CUDA_SUCCESS &&
	       cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL) ==
		       CUDA_SUCCESS &&
	       cuMemcpyDtoH(output, memory->output, OUTPUT_B) == CUDA_SUCCESS;
}

static double real_at(unsigned type, const unsigned char *bytes)
{
	float single;
	double value;
	if (type == FLOAT) {
		memcpy(&single, bytes, sizeof(single));
		return single;
	}
	if (type == DOUBLE) {
		memcpy(&value, bytes, sizeof(value));
		return value;
	}
	unsigned half = bytes[0] | (unsigned)bytes[1] << 8, exponent = half >> 10 & 31;
	double fraction = half & 1023;
	value = exponent ? ldexp(1024 + fraction, (int)exponent - 25) : ldexp(fraction, -24);
	return half & 0x8000 ? -value : value;
}

static bool is_near(const struct item *item, const unsigned char *got,
		    const unsigned char *expected)
{
	unsigned size_B = item->result_type == HALF ? 2 : item->result_type == FLOAT ? 4 : 8;
	int digits = item->result_type == HALF ? 11 : item->result_type == FLOAT ? 24 : 53;
	for (unsigned at = 0; at < OUTPUT_B; at += size_B) {
		double a = real_at(item->result_type, got + at);
		double b = real_at(item->result_type, expected + at);
		if (!memcmp(got + at, expected + at, size_B))
			continue;
		if (!(fabs(a - b) <= item->row->ulps * ldexp(fabs(b), 1 - digits)))
			return false;
	}
	return true;
}

static void show(const char *what, const unsigned char *bytes)
{
	printf("  %s", what);
	for (unsigned i = 0; i < 64; i++)
		printf("%s%02x", i % 8 ? "" : " ", bytes[i]);
	printf("\n");
}

static bool run_item(const struct target *target, CUmodule module, const struct item *item,
		     struct memory *memory, struct reference *reference)
{
	unsigned char input[INPUT_B] __attribute__((aligned(256)));
	unsigned char got[OUTPUT_B], expected[OUTPUT_B] __attribute__((aligned(256)));
	items_fill_input(item, input);
	memset(expected, 0x55, sizeof(expected));
	reference_run(reference, item, input, expected);
	if (!run_kernel(module, item, memory, input, got)) {
		complain(target, item, "it does not run");
		return false;
	}
	if (memcmp(got, expected, OUTPUT_B) &&
		   !(item->row->ulps && is_near(item, got, expected))) {
		complain(target, item, "another result than LLVM's for the host");
		show("got     ", got);
		show("expected", expected);
	}
	return true;
}

static CUmodule load(const struct bytes *ptx)
{
	CUmodule module = NULL;
	struct bytes text = BYTES_INIT;
	bytes_append_string(&text, bytes_string(ptx));
	/* The software device is one of sm_90, and what is used here is the same on both. */
	char *name = text.size_B ? strstr(text.data, ".target sm_100") : NULL;
	if (name)
		memcpy(name, ".target sm_90 ", 14);
	if (cuModuleLoadData(&module, bytes_string(&text)) != CUDA_SUCCESS)
		module = NULL;
	bytes_finish(&text);
	return module;
}

static void run_batch(const struct target *target, const struct item *items, size_t count,
		      const struct bytes *ptx, struct memory *memory, struct reference *reference)
{
	CUmodule module = load(ptx);
	for (size_t i = 0; i < count && module; i++) {
		if (run_item(target, module, &items[i], memory, reference))
			continue;
		module = memory_make(memory) ? load(ptx) : NULL;
	}
	if (module)
		cuModuleUnload(module);
	else
		complain(target, items, "(or one behind it) the driver does not load");
}

/* -- the matrix ---------------------------------------------------------------------------------- */

struct matrix {
	struct items items;
	struct coverage *coverage;
	struct reference *reference;
	struct memory memory;
	const char *wanted;
	bool all, assembles;
	/* What has been compiled and run. */
	struct text *texts;
	size_t repeated;
};

/* NVVM IR for a libnvvm that lacks something is mostly the same as that for one that does not.  Then libnvvm would be
 * asked the same question again, and so the part of items that have a half stands behind the others (halves_last). */
struct text {
	struct text *next;
	unsigned sm, optimization;
	struct hash hash;
};

/* The layouts of data that the printer writes differ in pointers to local memory alone, so they are left out where a
 * text has none. */
static struct hash hash_of_text(const struct bytes *text)
{
	const char *const start = bytes_string(text), *const line = strstr(start, "target datalayout");
	const char *const rest = line && !strstr(start, "addrspace(3)") ? strchr(line, '\n') : NULL;
	return rest ? hash_of(rest, strlen(rest)) : hash_of(text->data, text->size_B);
}

/* Whether the same text has been run for the same architecture, with the same options; from now on it has. */
static bool has_run(struct matrix *matrix, const struct target *target, const struct bytes *text)
{
	const struct hash hash = hash_of_text(text);
	if (!target->runs)
		return false;
	for (const struct text *seen = matrix->texts; seen; seen = seen->next) {
		if (seen->sm == target->sm && seen->optimization == target->optimization &&
		    hash_equal(&seen->hash, &hash)) {
			matrix->repeated++;
			return true;
		}
	}
	struct text *added = calloc(1, sizeof(*added));
	if (added) {
		*added = (struct text){matrix->texts, target->sm, target->optimization, hash};
		matrix->texts = added;
	}
	return false;
}

static void forget_texts(struct matrix *matrix)
{
	for (struct text *text = matrix->texts; text; text = matrix->texts) {
		matrix->texts = text->next;
		free(text);
	}
}

static bool halves_last(struct items *items)
{
	struct item *sorted = calloc(items->count, sizeof(*sorted));
	size_t count = 0;
	if (!sorted)
		return false;
	for (int half = 0; half < 2; half++)
		for (size_t i = 0; i < items->count; i++)
			if (!strstr(items->all[i].name, "half") == !half)
				sorted[count++] = items->all[i];
	memcpy(items->all, sorted, count * sizeof(*sorted));
	free(sorted);
	return true;
}

/* One of them is wrong: each alone says which. */
static void name_culprits(struct matrix *matrix, const struct target *target,
			  const struct item *items, size_t count)
{
	unsigned before = failures;
	for (size_t i = 0; i < count; i++) {
		struct bytes text = BYTES_INIT, ptx = BYTES_INIT, log = BYTES_INIT;
		if (!target_print(target, &items[i], 1, NULL, &text, &log) ||
		    !target_translate(target, &text, &ptx, &log))
			complain(target, &items[i], bytes_string(&log));
		else if (matrix->assembles && !target_assemble(target, &ptx, &log))
			complain(target, &items[i], bytes_string(&log));
		bytes_finish(&text);
		bytes_finish(&ptx);
		bytes_finish(&log);
	}
	if (failures == before)
		complain(target, items, "and those behind it, together only");
}

static void do_batch(struct matrix *matrix, const struct target *target, const struct item *items,
		     size_t count, bool assemble)
{
	struct bytes text = BYTES_INIT, ptx = BYTES_INIT, log = BYTES_INIT;
	const bool printed = target_print(target, items, count, matrix->coverage, &text, &log);
	const bool again = printed && !assemble && has_run(matrix, target, &text);
	if (!printed || (!again && (!target_translate(target, &text, &ptx, &log) ||
				    (assemble && !target_assemble(target, &ptx, &log)))))
		name_culprits(matrix, target, items, count);
	else if (target->runs && !again)
		run_batch(target, items, count, &ptx, &matrix->memory, matrix->reference);
	bytes_finish(&text);
	bytes_finish(&ptx);
	bytes_finish(&log);
}

static bool is_wanted(const struct matrix *matrix, const struct item *item)
{
	return !matrix->wanted || !strncmp(item->row->name, matrix->wanted, strlen(matrix->wanted));
}

static void do_target(struct matrix *matrix, unsigned t)
{
	const struct target *target = &targets[t];
	struct item batch[BATCH];
	size_t count = 0, batches = 0;
	for (size_t i = 0; i < matrix->items.count; i++) {
		if (is_wanted(matrix, &matrix->items.all[i]))
			batch[count++] = matrix->items.all[i];
		if (count != BATCH && !(i + 1 == matrix->items.count && count))
			continue;
		/* Each architecture gets its own part of what not all of them see. */
		bool part = matrix->all || matrix->wanted || batches % EVERY_NTH == t;
		if (target->runs || part)
			do_batch(matrix, target, batch, count, matrix->assembles && part);
		batches++;
		count = 0;
	}
}

static void do_refused(struct matrix *matrix)
{
	for (size_t i = 0; i < refused_row_count; i++) {
		for (unsigned t = 0; t < sizeof(targets) / sizeof(*targets); t++) {
			if (target_refuses(&targets[t], &refused_rows[i], matrix->coverage))
				continue;
			failures++;
			printf("%s, sm_%u: not refused with \"%s\"\n", refused_rows[i].name,
			       targets[t].sm, refused_rows[i].says);
		}
	}
}

static bool set_up(struct matrix *matrix)
{
	matrix->assembles = target_can_assemble();
	matrix->coverage = coverage_make();
	if (!matrix->coverage || !items_make(&matrix->items) ||
	    !halves_last(&matrix->items) || !memory_make(&matrix->memory)) {
		printf("out of memory, or no software device\n");
		return false;
	}
	matrix->reference = reference_make(&matrix->items);
	return matrix->reference != NULL;
}

int main(int argc, char **argv)
{
	struct bytes log = BYTES_INIT;
	struct matrix matrix = {.items = {NULL, 0}};
	const char *all = getenv("PRINTER_MATRIX");
	matrix.all = all && !strcmp(all, "all");
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--all"))
			matrix.all = true;
		else
			matrix.wanted = argv[i];
	}
	if (LLVM_VERSION_MAJOR < 19 || LLVM_VERSION_MAJOR > 20 || be_nvvm_load(&log)) {
		printf("skipped: LLVM is not 19 or 20, whose text the rows are, or no libnvvm: %s\n",
		       bytes_string(&log));
		bytes_finish(&log);
		return 77;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	/* The newest driver reads the PTX of every libnvvm. */
	unsetenv("CULVERT_SOFT_DRIVER");
	if (!set_up(&matrix))
		return 1;
	for (unsigned t = 0; t < sizeof(targets) / sizeof(*targets); t++)
		do_target(&matrix, t);
	do_refused(&matrix);
	if (!matrix.wanted)
		failures += coverage_report(matrix.coverage);
	printf("%zu batches were as for a libnvvm that lacks less\n", matrix.repeated);
	printf("%zu items of %zu architectures and options, %u failures%s\n", matrix.items.count,
	       sizeof(targets) / sizeof(*targets), failures,
	       matrix.assembles ? "" : ", not assembled");
	forget_texts(&matrix);
	reference_destroy(matrix.reference);
	coverage_destroy(matrix.coverage);
	items_finish(&matrix.items);
	return failures != 0;
}
