/* Strings of options, mutated: each is taken or refused with a word on why, and however often it is
 * read it has one meaning. */
#include "config.h"

#include "frontend/options.h"
#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <string.h>

static const char *const words[] = {
	"-cl-mad-enable", "-cl-fast-relaxed-math", "-cl-std=CL3.0", "-cl-std=CL1.2", "-cl-std=",
	"-D", "-DX", "-D X=1", "-DX='a b'", "-DX=\"\\\"q\\\"\"", "-I", "-I /tmp", "-I\"a b\"", "-w",
	"-Werror", "-g", "-cl-nv-maxrregcount=32", "-cl-nv-maxrregcount", "-cl-nv-opt-level=0",
	"-cl-nv-verbose", "-cl-arm-non-uniform-work-group-size", "-cl-opt-disable", "-cl-denorms-are-zero",
	"-create-library", "-enable-link-options", "-cl-kernel-arg-info", "-x", "spir", "'", "\"", "\\", "-", "=",
	"-cl-single-precision-constant", "-cl-finite-math-only", "-cl-no-signed-zeros", "",
};
enum { WORDS = sizeof(words) / sizeof(words[0]) };

static enum fe_status meaning(const char *options, bool linking, struct bytes *text,
			      struct bytes *log)
{
	struct fe_options read;
	enum fe_status status = fe_options_parse(options, linking, &read, log);
	if (status)
		return status;
	fe_options_canonical(&read, text);
	fe_options_finish(&read);
	return FE_OK;
}

static bool holds(const char *options, bool linking)
{
	struct bytes log = BYTES_INIT, again_log = BYTES_INIT, text = BYTES_INIT, again = BYTES_INIT;
	enum fe_status first = meaning(options, linking, &text, &log);
	enum fe_status second = meaning(options, linking, &again, &again_log);
	bool good = first == second && (first == FE_OK || log.size_B) &&
		    text.size_B == again.size_B &&
		    !memcmp(bytes_string(&text), bytes_string(&again), text.size_B);
	if (!good)
		printf("options '%s', linking %d: %d, %d: %s\n", options, linking, (int)first,
		       (int)second, bytes_string(&log));
	bytes_finish(&log);
	bytes_finish(&again_log);
	bytes_finish(&text);
	bytes_finish(&again);
	return good;
}

static bool run(struct fuzz *fuzz)
{
	struct bytes good = BYTES_INIT, bad = BYTES_INIT;
	for (uint32_t n = fuzz_number(fuzz, 6); n; n--)
		bytes_printf(&good, "%s%s", words[fuzz_number(fuzz, WORDS)],
			     fuzz_number(fuzz, 8) ? " " : "\t");
	if (fuzz_number(fuzz, 2))
		fuzz_mutate(fuzz, &good, &bad);
	else
		bytes_append(&bad, good.data, good.size_B);
	bool held = holds(bytes_string(&bad), false) && holds(bytes_string(&bad), true);
	bytes_finish(&good);
	bytes_finish(&bad);
	return held;
}

int main(int argc, char **argv)
{
	return fuzz_main(argc, argv, run);
}
