#ifndef CULVERT_TESTS_KERNELS_TEST_H
#define CULVERT_TESTS_KERNELS_TEST_H
/* One kernel file while it runs: what its directives made, and how it did so far.
 *
 * Thread-safety: none. */

#include "tests/kernels/capture.h"
#include "tests/kernels/expression.h"
#include "tests/kernels/image.h"

#include <CL/cl.h>
#include <stdbool.h>
#include <stddef.h>

enum verdict { PASS = 0, FAIL = 1, WRONG_FILE = 2, SKIP = 77 };

struct device_buffer {
	struct buffer host;          /* first: the list of struct buffer */
	cl_mem mem;
	bool is_image;
	bool is_pipe;                /* nothing of it can be looked at */
	struct image image;
};

struct test {
	const char *path;
	char *text;
	int line;
	bool built;
	char *options;
	char *build_fails;
	char *enqueue_fails;         /* codes; NULL: the next run must succeed */
	struct buffer *buffers;
	struct capture output;       /* of the last run */
	size_t output_taken;
	cl_device_id device;
	cl_context context;
	cl_command_queue queue;
	cl_program program;
	bool by_binary;              /* the program is made of its own binary */
	const char *il_command;      /* what makes intermediate language of the source; NULL: none */
	enum verdict verdict;
};

/* Prints it behind the file's name and line; the first failure stays, but for a wrong file. */
void complain(struct test *test, enum verdict verdict, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* false, and complained: text is not an expression. */
bool evaluate(struct test *test, const char *text, size_t i, size_t n, struct value *value);

/* NULL: there is none of that name. */
struct device_buffer *find_buffer(struct test *test, const char *name, size_t length);

#endif
