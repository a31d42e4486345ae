/* Protects: a command that waits for two user events, which two threads set while a third one enqueues it, is submitted
 * once, after both, and does not stay in the line. */
#include "config.h"

#define LITMUS_CODE CL_COMPLETE
#include "tests/litmus/line.h"

LITMUS_3(setup, set_first, set_second, enqueue, finish)
