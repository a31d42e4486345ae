/* Random graphs of commands, whose result is known.
 *
 * A graph is made from a seed alone: queues of all kinds on one or several devices, memory of all
 * kinds, and a sequence of nodes, each enqueued by one of several threads.  Nodes that touch the
 * same bytes, one of them writing, are ordered: by events, by a queue or its barriers, or because
 * a thread has waited.  Nothing else orders them.  So the bytes must be those that the sequence
 * leaves which one thread runs on the host (graph_reference), whatever the schedule is.
 *
 * Words are 32 bits.  Ranges are in words of their root: lo to hi, hi excluded. */
#ifndef CULVERT_TESTS_STRESS_GRAPHS_H
#define CULVERT_TESTS_STRESS_GRAPHS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	GRAPH_NODES = 640,                   /* with those that end it */
	GRAPH_MOST_SIZE = 400,               /* without */
	GRAPH_SET_WORDS = GRAPH_NODES / 64,
	GRAPH_DEVICES = 4, GRAPH_QUEUES = 8, GRAPH_ROOTS = 8, GRAPH_VIEWS = 4,
	GRAPH_THREADS = 4, GRAPH_DEPENDENCIES = 24, GRAPH_ACCESSES = 3,
	GRAPH_ALIGN = 128,                   /* words: where a sub-buffer may begin */
	GRAPH_PITCH = 64                     /* words of a row of rectangles */
};

enum graph_kind {
	GRAPH_MIX, GRAPH_SUM, GRAPH_SWAP, GRAPH_PICK,            /* kernels */
	GRAPH_IMAGE_LOAD, GRAPH_IMAGE_STORE,                     /* of a 1D image on a buffer */
	GRAPH_NOTHING,                                           /* a kernel without work-items */
	GRAPH_FILL, GRAPH_COPY, GRAPH_COPY_RECT, GRAPH_READ, GRAPH_READ_RECT, GRAPH_WRITE,
	GRAPH_WRITE_RECT, GRAPH_MIGRATE, GRAPH_NATIVE, GRAPH_RECORDED,
	GRAPH_MAP, GRAPH_MARKER, GRAPH_BARRIER,
	GRAPH_KINDS_DRAWN,                   /* those above are drawn by chance */
	GRAPH_UNMAP = GRAPH_KINDS_DRAWN,
	GRAPH_USER, GRAPH_SET, GRAPH_WAIT, GRAPH_FINISH,
	GRAPH_KINDS
};

enum graph_root_kind {
	GRAPH_PLAIN, GRAPH_COPIED, GRAPH_HOST_POINTER, GRAPH_HOST_MEMORY, GRAPH_SVM,
	GRAPH_ROOT_KINDS
};

struct graph_range { uint32_t lo, hi; };

struct graph_root {
	enum graph_root_kind kind;
	uint32_t words;
	struct graph_range views[GRAPH_VIEWS];   /* the first: the buffer itself */
	bool brief;                          /* released when the last node is enqueued */
	unsigned uses;                       /* nodes */
};

struct graph_access {
	uint8_t root, view;
	bool writes;
	bool fresh;                          /* the view is made for this node, and released */
	struct graph_range words;            /* touched */
	struct graph_range declared;         /* what others on another device, or the host, see */
};

struct graph_queue {
	uint8_t device, thread;
	bool in_order, profiling, shared;    /* shared: any thread enqueues; it has no barriers */
	int priority;                        /* 0: none said */
};

struct graph_node {
	enum graph_kind kind;
	uint8_t thread, queue;
	uint8_t access_count;
	bool blocking, pinned, fails;
	bool event;                          /* somebody asks for it */
	bool kept;                           /* until the end */
	bool called;                         /* has a callback */
	bool writes_map, discards_map;
	uint8_t rect_w, rect_h;
	uint32_t k;                          /* what changes the words */
	int32_t status;                      /* of a set */
	uint16_t other;                      /* unmap: its map; set: its user event */
	uint16_t dependency_count;
	uint16_t dependencies[GRAPH_DEPENDENCIES];
	uint16_t uses;                       /* nodes that name its event */
	uint32_t gate;                       /* all user events that it needs are set before */
	struct graph_access accesses[GRAPH_ACCESSES];
	uint32_t *expected;                  /* of a read, or of a map: what is found */
};

struct graph {
	uint64_t seed;
	unsigned size, devices, threads;
	unsigned queue_count, root_count, node_count;
	struct graph_queue queues[GRAPH_QUEUES];
	struct graph_root roots[GRAPH_ROOTS];
	struct graph_node nodes[GRAPH_NODES];
	uint32_t *words[GRAPH_ROOTS];        /* after graph_reference: what must be left */
};

struct graph_wishes {
	uint64_t seed;
	unsigned size, devices;
	bool images, native, recorded, svm, out_of_order;   /* the devices have them */
};

/* NULL: no memory.  The nodes of a smaller size are the first of a larger one. */
struct graph *graph_make(const struct graph_wishes *wishes);
void graph_free(struct graph *graph);
/* One thread, one node after the other; false: no memory. */
bool graph_reference(struct graph *graph);

/* The first word of a root, before anything has run. */
static inline uint32_t graph_first_word(unsigned root, uint32_t i)
{
	return root * 0x01000193u + i * 2654435761u;
}

/* What a command does to words; the kernels and the reference are of one text. */
static inline uint32_t graph_mix(uint32_t a, uint32_t i, uint32_t k)
{
	return a * (2 * k + 1) + i;
}

static inline uint32_t graph_sum(uint32_t a, uint32_t b, uint32_t k)
{
	return (a + b * (2 * k + 1)) ^ k;
}

static inline uint32_t graph_host_word(uint32_t i, uint32_t k)
{
	return i * 0x9e3779b1u ^ k;
}

const char *graph_kind_name(enum graph_kind kind);

#endif
