/* Protects: machine code made without the driver is ptxas's own, for every option that
 * reaches it, by many threads at once; what cannot be compiled is no cubin and no harm. */
#include "config.h"

#include "backend/codegen.h"
#include "tests/unit/test.h"

#include <elf.h>
#include <libgen.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static char folder[] = "/tmp/culvert-cubin-XXXXXX";

/* Sums of tiles in shared memory: barriers, a loop to unroll, and registers to choose. */
static const char ptx_text[] =
	".version 8.0\n.target sm_75\n.address_size 64\n"
	".shared .align 4 .b8 tile[1024];\n"
	".visible .entry k(.param .u64 a, .param .u64 b, .param .u32 n) .reqntid 256\n{\n"
	".reg .pred %p<3>; .reg .b32 %r<12>; .reg .b64 %l<8>; .reg .f32 %f<12>;\n"
	"ld.param.u64 %l0, [a]; ld.param.u64 %l1, [b]; ld.param.u32 %r0, [n];\n"
	"mov.u32 %r1, %tid.x; mov.u32 %r2, 0; mov.f32 %f0, 0f00000000;\n"
	"mov.u32 %r3, tile; mad.lo.s32 %r4, %r1, 4, %r3;\n"
	"L: mad.lo.s32 %r5, %r2, 256, %r1; mul.wide.u32 %l2, %r5, 4; add.s64 %l3, %l0, %l2;\n"
	"ld.global.f32 %f1, [%l3]; st.shared.f32 [%r4], %f1; bar.sync 0;\n"
	"ld.shared.f32 %f2, [tile]; ld.shared.f32 %f3, [tile+512]; ld.shared.f32 %f4, [%r4];\n"
	"fma.rn.f32 %f5, %f2, %f3, %f4; div.rn.f32 %f6, %f5, %f1; add.f32 %f0, %f0, %f6;\n"
	"bar.sync 0; add.s32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r0; @%p1 bra L;\n"
	"mul.wide.u32 %l4, %r1, 4; add.s64 %l5, %l1, %l4; st.global.f32 [%l5], %f0; ret;\n}\n";

static bool compile(const char *text, const struct be_codegen_options *asked, bool verbose,
		    struct bytes *cubin, struct bytes *log)
{
	struct be_codegen_options options = *asked;
	struct bytes ptx = BYTES_INIT;
	options.choice.verbose = verbose;
	bytes_append_string(&ptx, text);
	bool made = be_cubin_compile(&ptx, &options, cubin, log);
	bytes_finish(&ptx);
	return made;
}

/* A section's content. */
static bool find_section(const struct bytes *cubin, const char *name, const char **text_out,
			 size_t *size_B_out)
{
	Elf64_Ehdr head;
	Elf64_Shdr names, section;
	if (cubin->size_B < sizeof(head) || memcmp(cubin->data, ELFMAG, SELFMAG))
		return false;
	memcpy(&head, cubin->data, sizeof(head));
	memcpy(&names, cubin->data + head.e_shoff + head.e_shstrndx * sizeof(names),
	       sizeof(names));
	for (unsigned i = 0; i < head.e_shnum; i++) {
		memcpy(&section, cubin->data + head.e_shoff + i * sizeof(section),
		       sizeof(section));
		if (strcmp(cubin->data + names.sh_offset + section.sh_name, name))
			continue;
		*text_out = cubin->data + section.sh_offset;
		*size_B_out = section.sh_size;
		return true;
	}
	return false;
}

/* The instructions of the kernel. */
static bool find_text(const struct bytes *cubin, const char **text_out, size_t *size_B_out)
{
	return find_section(cubin, ".text.k", text_out, size_B_out);
}

static bool run_ptxas(const char *ptxas, unsigned sm, const char *arguments, struct bytes *cubin)
{
	char command[PATH_MAX + 256], path[64];
	snprintf(path, sizeof(path), "%s/k.ptx", folder);
	if (bytes_write_file(ptx_text, strlen(ptx_text), path))
		return false;
	snprintf(command, sizeof(command), "%s -arch=sm_%u %s %s -o %s/k.cubin", ptxas, sm,
		 arguments, path, folder);
	snprintf(path, sizeof(path), "%s/k.cubin", folder);
	return !system(command) && !bytes_read_file(cubin, path);
}

static void is_ptxas_own(void)
{
	static const struct {
		struct be_codegen_options options;
		const char *arguments;
	} rows[] = {
		{{.sm = 75, .choice = {.optimization = 3}}, ""},
		{{.sm = 80, .choice = {.optimization = 3}}, ""},
		{{.sm = 90, .choice = {.optimization = 3}}, ""},
		{{.sm = 120, .choice = {.optimization = 3}}, ""},
		{{.sm = 90, .choice = {.optimization = 0}}, "-O0"},
		{{.sm = 90, .choice = {.optimization = 3, .max_registers = 24}}, "-maxrregcount=24"},
		{{.sm = 90, .choice = {.optimization = 3, .line_info = true}}, "-lineinfo"},
	};
	const char *ptxas = getenv("PTXAS");
	if (!ptxas || !*ptxas)
		SKIP("no ptxas");
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct bytes cubin = BYTES_INIT, log = BYTES_INIT, expected = BYTES_INIT;
		const char *ours = NULL, *theirs = NULL;
		size_t ours_B = 0, theirs_B = 0;
		CHECK(compile(ptx_text, &rows[i].options, false, &cubin, &log));
		CHECK(run_ptxas(ptxas, rows[i].options.sm, rows[i].arguments, &expected));
		CHECK(find_text(&cubin, &ours, &ours_B));
		CHECK(find_text(&expected, &theirs, &theirs_B));
		CHECK_EQ(ours_B, theirs_B);
		CHECK(ours_B && ours_B == theirs_B && !memcmp(ours, theirs, ours_B));
		bytes_finish(&cubin);
		bytes_finish(&log);
		bytes_finish(&expected);
	}
}

static void figures_are_told_when_asked_for(void)
{
	const struct be_codegen_options options = {.sm = 90, .choice.optimization = 3};
	struct bytes cubin = BYTES_INIT, log = BYTES_INIT;
	CHECK(compile(ptx_text, &options, false, &cubin, &log));
	CHECK_STRING(bytes_string(&log), "");
	bytes_finish(&cubin);
	CHECK(compile(ptx_text, &options, true, &cubin, &log));
	CHECK(strstr(bytes_string(&log), "registers"));
	CHECK(strstr(bytes_string(&log), "'k'"));
	bytes_finish(&cubin);
	bytes_finish(&log);
}

static void what_cannot_be_compiled_is_no_cubin(void)
{
	static const char *const texts[] = {
		"", "this is no PTX", ".version 99.0\n.target sm_90\n.address_size 64\n",
		".version 8.0\n.target sm_90\n.address_size 64\n.entry k() { no.such %r1; }\n",
		".version 8.0\n.target sm_90\n.address_size 64\n.entry k() { call gone; ret; }\n",
		".version 8.0\n.target sm_120\n.address_size 64\n.entry k() { ret; }\n",
	};
	for (unsigned i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		const struct be_codegen_options options = {.sm = 90, .choice.optimization = 3};
		struct bytes cubin = BYTES_INIT, log = BYTES_INIT;
		CHECK(!compile(texts[i], &options, true, &cubin, &log));
		CHECK(!cubin.data && !log.data);
	}
	/* A device that it does not know. */
	const struct be_codegen_options future = {.sm = 999, .choice.optimization = 3};
	struct bytes cubin = BYTES_INIT, log = BYTES_INIT;
	CHECK(!compile(ptx_text, &future, false, &cubin, &log));
	CHECK(!cubin.data);
}

/* n kernels like the one above. */
static void many_kernels(unsigned n, struct bytes *text)
{
	static const char entry[] = ".visible .entry k";
	const char *kernel = strstr(ptx_text, entry);
	bytes_append(text, ptx_text, (size_t)(kernel - ptx_text));
	kernel += strlen(entry);
	for (unsigned i = 0; i < n; i++)
		bytes_printf(text, "%s%u%s", entry, i, kernel);
}

static void threads_share_a_program(void)
{
	enum { KERNELS = 60 };
	struct be_codegen_options options = {.sm = 90, .choice.optimization = 3};
	struct bytes text = BYTES_INIT, alone = BYTES_INIT, log = BYTES_INIT;
	many_kernels(KERNELS, &text);
	REQUIRE(text.size_B > BE_CODEGEN_SHARED_B);
	CHECK(compile(bytes_string(&text), &options, false, &alone, &log));
	for (options.threads = 2; options.threads <= 8; options.threads *= 2) {
		struct bytes shared = BYTES_INIT;
		CHECK(compile(bytes_string(&text), &options, false, &shared, &log));
		for (unsigned i = 0; i < KERNELS; i++) {
			const char *a = NULL, *b = NULL;
			size_t a_B = 0, b_B = 0;
			char name[32];
			snprintf(name, sizeof(name), ".text.k%u", i);
			CHECK(find_section(&alone, name, &a, &a_B) && a_B);
			CHECK(find_section(&shared, name, &b, &b_B));
			CHECK(a_B == b_B && !memcmp(a, b, a_B));
		}
		bytes_finish(&shared);
	}
	bytes_finish(&text);
	bytes_finish(&alone);
	bytes_finish(&log);
}

static void *compile_often(void *result)
{
	const struct be_codegen_options options = {.sm = 90, .choice.optimization = 3};
	struct bytes *cubin = result, log = BYTES_INIT;
	for (int i = 0; i < 5; i++) {
		bytes_finish(cubin);
		if (!compile(ptx_text, &options, false, cubin, &log))
			return result;
	}
	return NULL;
}

static void many_threads_get_the_same(void)
{
	enum { THREADS = 8 };
	pthread_t threads[THREADS];
	struct bytes cubins[THREADS];
	memset(cubins, 0, sizeof(cubins));
	for (int i = 0; i < THREADS; i++)
		CHECK(!pthread_create(&threads[i], NULL, compile_often, &cubins[i]));
	for (int i = 0; i < THREADS; i++) {
		void *failed;
		pthread_join(threads[i], &failed);
		CHECK(!failed);
		CHECK_EQ(cubins[i].size_B, cubins[0].size_B);
		CHECK(cubins[i].size_B == cubins[0].size_B &&
		      !memcmp(cubins[i].data, cubins[0].data, cubins[0].size_B));
	}
	for (int i = 0; i < THREADS; i++)
		bytes_finish(&cubins[i]);
}

/* The library is looked for beside the program. */
int main(int argc, char **argv)
{
	static const struct test_case cases[] = {
		TEST(is_ptxas_own), TEST(figures_are_told_when_asked_for),
		TEST(what_cannot_be_compiled_is_no_cubin), TEST(many_threads_get_the_same),
		TEST(threads_share_a_program),
	};
	char program[PATH_MAX], built[PATH_MAX], beside[PATH_MAX + 64];
	(void)argc;
	if (!realpath("libculvert-ptxcompiler.so", built))
		return 77;
	snprintf(program, sizeof(program), "%s", argv[0]);
	snprintf(beside, sizeof(beside), "%s/libculvert-ptxcompiler.so", dirname(program));
	if (symlink(built, beside) || !mkdtemp(folder))
		return 99;
	int status = test_run_all(cases, sizeof(cases) / sizeof(cases[0]));
	char command[64];
	snprintf(command, sizeof(command), "rm -r %s", folder);
	return unlink(beside) || system(command) ? 99 : status;
}
