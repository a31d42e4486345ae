/* Graphs run on a platform: see graphs.h.  A run is one graph's; threads of it share it. */
#ifndef CULVERT_TESTS_STRESS_GRAPHS_RUN_H
#define CULVERT_TESTS_STRESS_GRAPHS_RUN_H

#include "tests/api/command_buffer_entry.h"
#include "tests/api/fixture.h"
#include "tests/stress/graphs.h"

/* What the process has for all graphs. */
struct graph_platform {
	struct api_test test;
	struct graph_wishes wishes;          /* what all devices have */
	cl_context contexts[GRAPH_DEVICES + 1];  /* by the number of devices; made when needed */
	cl_program programs[GRAPH_DEVICES + 1];
	struct command_buffer_entry commands;
};

struct graph_slot {
	struct graph_run *run;
	cl_event event;                      /* set before issued */
	atomic_bool issued;
	atomic_uint uses;                    /* of the event: it is released after the last */
	uint32_t *host;                      /* what is read or written; NULL: nothing */
	bool own_host;                       /* it was allocated */
	void *mapped;
	atomic_uint calls;                   /* of the node's callback */
	atomic_int told;                     /* the status that it was told */
};

struct graph_run {
	const struct graph_platform *platform;
	const struct graph *graph;
	cl_context context;
	cl_program program;
	cl_command_queue queues[GRAPH_QUEUES];
	cl_mem mems[GRAPH_ROOTS][GRAPH_VIEWS];   /* the buffers and their views; NULL: SVM */
	void *host[GRAPH_ROOTS];             /* CL_MEM_USE_HOST_PTR's, and SVM */
	atomic_uint root_uses[GRAPH_ROOTS];
	cl_mem arena;                        /* pinned memory */
	uint32_t *arena_words;
	size_t arena_used;
	atomic_uint host_freed, callbacks_due, callbacks_done;
	struct graph_slot slots[GRAPH_NODES];
};

enum { GRAPH_ARENA_WORDS = 1 << 16, GRAPH_GARBAGE = 0xee };

/* Enqueues the node's command; events has its wait list.  Returns the call's code. */
cl_int graph_enqueue(struct graph_run *run, unsigned at, cl_uint count, const cl_event *events,
		     cl_event *event_out);

/* Whether the words are those; says so when not. */
bool graph_words_are(const char *what, unsigned number, const uint32_t *words,
		     const uint32_t *expected, uint32_t count);

bool graph_platform_start(struct graph_platform *platform, const char *name);
void graph_platform_end(struct graph_platform *platform);

/* Runs it and checks everything; false: something was wrong. */
bool graph_run(struct graph_platform *platform, const struct graph *graph);

#endif
