/* Protects: a command that waits for two user events, of which one fails, is not submitted and ends once, with an
 * error, whether the other event is set before, after or never seen. */
#include "config.h"

#define LITMUS_CODE (-1)
#include "tests/litmus/line.h"

LITMUS_3(setup, set_first, set_second, enqueue, finish)
