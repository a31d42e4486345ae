/* Protects: what a report says of a global address near the kernel's arguments, which are in the host's memory, where a
 * buffer may be beside them: it names what the address is in, or else the nearer one. */
#include "config.h"

#include "tests/unit/soft_module.h"
#include "tests/unit/test.h"

static const char ptx[] = ".version 8.3\n.target sm_90\n.address_size 64\n"
	".entry read(.param .u64 at) { .reg .b64 a; .reg .b32 v;\n"
	"ld.param.u64 a, [at]; ld.global.u32 v, [a]; st.global.u32 [a], v; ret; }\n";

/* The buffer, and the arguments behind it. */
enum { BUFFER_B = 256, GAP_B = 32 };
static struct {
	char buffer[BUFFER_B], gap[GAP_B];
	uint64_t at;
} host;

static bool find(const struct soft_launch *launch, uint64_t address, uint64_t *start_out, uint64_t *end_out)
{
	const uint64_t start = (uint64_t)(uintptr_t)host.buffer;
	(void)launch;
	*start_out = start;
	*end_out = start + BUFFER_B;
	return address - start < BUFFER_B;
}

static void describe(uint64_t address, struct bytes *text, uint64_t *start_out, uint64_t *end_out)
{
	(void)find(NULL, address, start_out, end_out);
	bytes_append_string(text, ", at the buffer");
}

static const struct soft_memory memory = {.find = find, .describe = describe, .find_image = device_find_image};

static void check(struct module *module, uint64_t offset_B, const char *expected, const char *other)
{
	host.at = (uint64_t)(uintptr_t)host.buffer + offset_B;
	const struct soft_launch launch = {
		.function = soft_program_function(module->program, "read"), .grid = {1, 1, 1}, .block = {1, 1, 1},
		.parameters = &host.at, .memory = &memory, .variable_addresses = module->addresses, .sm = 90,
		.multiprocessor_count = 4
	};
	bytes_finish(&module->log);
	CHECK(soft_launch_run(&launch, &module->log) != CUDA_SUCCESS);
	const char *text = bytes_string(&module->log);
	if (!strstr(text, expected) || strstr(text, other)) {
		printf("%llu bytes behind the start of the buffer: %s\n", (unsigned long long)offset_B, text);
		test_failures++;
	}
}

static void arguments_beside_a_buffer(void)
{
	static const char buffer[] = "at the buffer", arguments[] = "the kernel's arguments";
	const uint64_t at_B = BUFFER_B + GAP_B;
	struct module module;
	CHECK_EQ(module_load(&module, ptx), CUDA_SUCCESS);
	/* A misaligned access to the buffer; one behind it, and before the arguments; behind those, near and far. */
	check(&module, BUFFER_B - 6, buffer, arguments);
	check(&module, BUFFER_B + 4, buffer, arguments);
	check(&module, at_B - 4, arguments, buffer);
	check(&module, at_B + sizeof(host.at) + 40, arguments, buffer);
	check(&module, at_B + sizeof(host.at) + 400, buffer, arguments);
	module_finish(&module);
	soft_exec_shutdown();
}

int main(void)
{
	static const struct test_case cases[] = {TEST(arguments_beside_a_buffer)};
	return test_run_all(cases, sizeof(cases) / sizeof(cases[0]));
}
