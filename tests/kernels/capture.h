/* Catches what is written to stdout for a while: by printf in kernels.
 *
 * Start from {.text = ""}; one capture of the process at a time. */
#ifndef CULVERT_TESTS_KERNELS_CAPTURE_H
#define CULVERT_TESTS_KERNELS_CAPTURE_H

#include <stdbool.h>

struct capture {
	char *text;          /* of the last capture; "" when there is none */
	bool owned;
	int saved;           /* the real stdout */
};

bool capture_start(struct capture *capture);
/* Also after a start that failed. */
bool capture_stop(struct capture *capture);
void capture_finish(struct capture *capture);

#endif
