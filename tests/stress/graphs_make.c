/* Making a graph: see graphs.h.
 *
 * before[i] are the nodes whose ends node i is sure to come after.  A node that fails does nothing
 * and orders nobody, so it is in no such set; it ends early, and so does nobody wait for
 * what it would have waited for. */
#include "config.h"

#include "tests/stress/graphs.h"

#include <stdlib.h>
#include <string.h>

struct set { uint64_t bits[GRAPH_SET_WORDS]; };

/* A map that is held. */
struct held { uint16_t map; bool on; };

enum { HELD = 4, USERS = 24, NEVER = GRAPH_NODES };

struct maker {
	struct graph *graph;
	const struct graph_wishes *wishes;
	uint64_t state;
	struct set before[GRAPH_NODES];
	struct set queue_done[GRAPH_QUEUES];     /* what a later command of an in-order queue is after */
	struct set queue_barrier[GRAPH_QUEUES];
	struct set queue_all[GRAPH_QUEUES];      /* what a barrier is after */
	uint32_t queue_gate[GRAPH_QUEUES], barrier_gate[GRAPH_QUEUES];
	struct set thread_knows[GRAPH_THREADS];
	struct held held[HELD];
	struct { uint16_t node, at; bool open; } users[USERS];
	unsigned user_count;
};

/* --- chance ----------------------------------------------------------------------------------- */

static uint32_t chance(struct maker *maker)
{
	uint64_t z = maker->state += 0x9e3779b97f4a7c15u;
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return (uint32_t)((z ^ (z >> 31)) >> 32);
}

static uint32_t below(struct maker *maker, uint32_t end)
{
	return end ? chance(maker) % end : 0;
}

static bool one_in(struct maker *maker, uint32_t many)
{
	return !below(maker, many);
}

/* --- sets of nodes ---------------------------------------------------------------------------- */

static bool set_has(const struct set *set, unsigned node)
{
	return set->bits[node / 64] >> node % 64 & 1;
}

static void set_add(struct set *set, unsigned node)
{
	set->bits[node / 64] |= (uint64_t)1 << node % 64;
}

static void set_join(struct set *set, const struct set *more)
{
	for (unsigned i = 0; i < GRAPH_SET_WORDS; i++)
		set->bits[i] |= more->bits[i];
}

/* --- what touches what ------------------------------------------------------------------------ */

static bool overlap(struct graph_range a, struct graph_range b)
{
	return a.lo < b.hi && b.lo < a.hi;
}

/* On one device the words count that are touched; the host and other devices get ranges whole. */
static bool is_of_device(enum graph_kind kind)
{
	return kind < GRAPH_MIGRATE;
}

static bool conflict(const struct graph *graph, const struct graph_node *a,
		     const struct graph_node *b)
{
	const bool near = is_of_device(a->kind) && is_of_device(b->kind) &&
			  graph->queues[a->queue].device == graph->queues[b->queue].device;
	for (unsigned i = 0; i < a->access_count; i++)
		for (unsigned j = 0; j < b->access_count; j++) {
			const struct graph_access *x = &a->accesses[i], *y = &b->accesses[j];
			if (x->root == y->root && (x->writes || y->writes) &&
			    (near ? overlap(x->words, y->words) :
				    overlap(x->declared, y->declared)))
				return true;
		}
	return false;
}

static bool is_held(const struct maker *maker, const struct graph_node *node)
{
	for (unsigned i = 0; i < HELD; i++)
		if (maker->held[i].on &&
		    conflict(maker->graph, node, &maker->graph->nodes[maker->held[i].map]))
			return true;
	return false;
}

/* --- queues and memory ------------------------------------------------------------------------ */

static void queues_make(struct maker *maker)
{
	struct graph *graph = maker->graph;
	graph->queue_count = 2 + below(maker, GRAPH_QUEUES - 1);
	for (unsigned i = 0; i < graph->queue_count; i++) {
		struct graph_queue *queue = &graph->queues[i];
		queue->device = (uint8_t)(i < graph->devices ? i : below(maker, graph->devices));
		/* Each thread has one at least. */
		queue->thread = (uint8_t)(i < graph->threads ? i : below(maker, graph->threads));
		queue->in_order = one_in(maker, 2) || !maker->wishes->out_of_order;
		queue->profiling = one_in(maker, 3);
		queue->shared = !queue->in_order && one_in(maker, 3);
		queue->priority = (int)below(maker, 4);
	}
}

static uint32_t root_words(struct maker *maker)
{
	if (one_in(maker, 40))
		return 1500 * 1024 + GRAPH_ALIGN;        /* beyond what is staged in the call */
	if (one_in(maker, 6))
		return 40 * 1024;
	return GRAPH_ALIGN * (2 + below(maker, 12));
}

static void roots_make(struct maker *maker)
{
	struct graph *graph = maker->graph;
	graph->root_count = 3 + below(maker, GRAPH_ROOTS - 2);
	for (unsigned i = 0; i < graph->root_count; i++) {
		struct graph_root *root = &graph->roots[i];
		root->kind = below(maker, GRAPH_ROOT_KINDS);
		if (root->kind == GRAPH_SVM && !maker->wishes->svm)
			root->kind = GRAPH_PLAIN;
		root->words = root_words(maker);
		root->brief = one_in(maker, 4);
		root->views[0] = (struct graph_range){0, root->words};
		const uint32_t blocks = root->words / GRAPH_ALIGN;
		for (unsigned j = 1; j < GRAPH_VIEWS; j++) {
			const uint32_t lo = below(maker, blocks) * GRAPH_ALIGN;
			root->views[j] = (struct graph_range){
				lo, lo + 1 + below(maker, root->words - lo)};
		}
	}
}

/* --- accesses --------------------------------------------------------------------------------- */

static uint32_t few(struct maker *maker, uint32_t most)
{
	const uint32_t cap = one_in(maker, 4) ? 512 : 96;
	return 1 + below(maker, most < cap ? most : cap);
}

/* Some words of some view.  bulk: they may be many. */
static void access_draw(struct maker *maker, struct graph_access *access, bool writes, bool bulk)
{
	const struct graph *graph = maker->graph;
	access->root = (uint8_t)below(maker, graph->root_count);
	const struct graph_root *root = &graph->roots[access->root];
	access->view = root->kind == GRAPH_SVM ? 0 : (uint8_t)below(maker, GRAPH_VIEWS);
	access->fresh = access->view && one_in(maker, 3);
	access->writes = writes;
	const struct graph_range view = root->views[access->view];
	const uint32_t words = view.hi - view.lo;
	const uint32_t count = bulk && one_in(maker, 3) ? words : few(maker, words);
	const uint32_t lo = view.lo + below(maker, words - count + 1);
	access->words = (struct graph_range){lo, lo + count};
}

/* All of them touch as many words. */
static void accesses_even(struct graph_node *node)
{
	uint32_t least = UINT32_MAX;
	for (unsigned i = 0; i < node->access_count; i++) {
		const struct graph_range words = node->accesses[i].words;
		least = words.hi - words.lo < least ? words.hi - words.lo : least;
	}
	for (unsigned i = 0; i < node->access_count; i++)
		node->accesses[i].words.hi = node->accesses[i].words.lo + least;
}

/* A kernel and whatever takes an object may touch all of it; a transfer says what it touches. */
static void accesses_declare(const struct graph *graph, struct graph_node *node)
{
	const bool exact = (node->kind >= GRAPH_FILL && node->kind <= GRAPH_WRITE_RECT) ||
			   node->kind == GRAPH_MAP;
	for (unsigned i = 0; i < node->access_count; i++) {
		struct graph_access *access = &node->accesses[i];
		access->declared = exact ? access->words :
					   graph->roots[access->root].views[access->view];
		if (node->kind == GRAPH_MIGRATE)
			access->words = access->declared;
	}
}

/* A kernel, or a copy, whose own accesses overlap would race with itself, or is refused. */
static bool accesses_apart(const struct graph_node *node)
{
	for (unsigned i = 0; i < node->access_count; i++)
		for (unsigned j = 0; j < i; j++) {
			const struct graph_access *a = &node->accesses[i], *b = &node->accesses[j];
			if (a->root == b->root && (a->writes || b->writes) &&
			    overlap(a->declared, b->declared))
				return false;
		}
	return true;
}

static bool any_svm(const struct graph *graph, const struct graph_node *node)
{
	for (unsigned i = 0; i < node->access_count; i++)
		if (graph->roots[node->accesses[i].root].kind == GRAPH_SVM)
			return true;
	return false;
}

static bool all_svm(const struct graph *graph, const struct graph_node *node)
{
	for (unsigned i = 0; i < node->access_count; i++)
		if (graph->roots[node->accesses[i].root].kind != GRAPH_SVM)
			return false;
	return true;
}

/* A box of rows in the view, from its first words on; the accesses are from its first word to
 * behind its last. */
static bool rect_draw(struct maker *maker, struct graph_node *node)
{
	node->rect_w = (uint8_t)(1 + below(maker, GRAPH_PITCH / 2));
	node->rect_h = (uint8_t)(1 + below(maker, 4));
	const uint32_t span = (node->rect_h - 1u) * GRAPH_PITCH + node->rect_w;
	for (unsigned i = 0; i < node->access_count; i++) {
		struct graph_access *access = &node->accesses[i];
		const struct graph_range view =
			maker->graph->roots[access->root].views[access->view];
		const uint32_t rows = (view.hi - view.lo) / GRAPH_PITCH;
		if (rows < node->rect_h)
			return false;
		const uint32_t row = below(maker, rows - node->rect_h + 1);
		const uint32_t column = below(maker, GRAPH_PITCH - node->rect_w + 1);
		const uint32_t lo = view.lo + row * GRAPH_PITCH + column;
		access->words = (struct graph_range){lo, lo + span};
	}
	return true;
}

/* One of two accesses is the whole buffer, as an image of four words a texel. */
static bool image_draw(struct maker *maker, struct graph_node *node, unsigned which)
{
	struct graph_access *image = &node->accesses[which], *other = &node->accesses[!which];
	const struct graph_root *root = &maker->graph->roots[image->root];
	if (root->kind == GRAPH_SVM || !maker->wishes->images || root->words > 4096)
		return false;
	const uint32_t words = (other->words.hi - other->words.lo) / 4 * 4;
	if (!words || words > root->words)
		return false;
	image->view = 0;
	image->fresh = false;
	image->words = (struct graph_range){0, words};
	other->words.hi = other->words.lo + words;
	return true;
}

static unsigned accesses_of(enum graph_kind kind)
{
	switch (kind) {
	case GRAPH_SUM: return 3;
	case GRAPH_SWAP: case GRAPH_PICK: case GRAPH_IMAGE_LOAD: case GRAPH_IMAGE_STORE:
	case GRAPH_COPY: case GRAPH_COPY_RECT: case GRAPH_RECORDED: return 2;
	case GRAPH_MARKER: case GRAPH_BARRIER: case GRAPH_NOTHING: return 0;
	default: return 1;
	}
}

/* What the kind makes of accesses by chance; false: nothing. */
static bool accesses_fit(struct maker *maker, struct graph_node *node)
{
	const bool svm = any_svm(maker->graph, node);
	switch (node->kind) {
	case GRAPH_COPY_RECT: case GRAPH_READ_RECT: case GRAPH_WRITE_RECT:
		return !svm && rect_draw(maker, node);
	case GRAPH_COPY:
		/* By clEnqueueCopyBuffer or by clEnqueueSVMMemcpy. */
		return !svm || all_svm(maker->graph, node);
	case GRAPH_NATIVE: case GRAPH_RECORDED:
		return !svm;
	case GRAPH_IMAGE_LOAD:
		return image_draw(maker, node, 1);
	case GRAPH_IMAGE_STORE:
		return image_draw(maker, node, 0);
	default:
		return true;
	}
}

/* The first access is written, but for what only reads. */
static bool accesses_draw(struct maker *maker, struct graph_node *node)
{
	const enum graph_kind kind = node->kind;
	const bool reads = kind == GRAPH_READ || kind == GRAPH_READ_RECT || kind == GRAPH_MIGRATE;
	const bool bulk = (kind >= GRAPH_FILL && kind <= GRAPH_WRITE_RECT) || kind == GRAPH_MAP;
	node->writes_map = kind == GRAPH_MAP && one_in(maker, 2);
	node->discards_map = node->writes_map && one_in(maker, 2);
	node->access_count = (uint8_t)accesses_of(kind);
	for (unsigned i = 0; i < node->access_count; i++)
		access_draw(maker, &node->accesses[i],
			    kind == GRAPH_SWAP || kind == GRAPH_RECORDED ||
				    (kind == GRAPH_MAP ? node->writes_map : !i && !reads), bulk);
	accesses_even(node);
	if (!accesses_fit(maker, node))
		return false;
	accesses_declare(maker->graph, node);
	return accesses_apart(node);
}

/* --- order ------------------------------------------------------------------------------------ */

static uint32_t later(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

/* The node waits for that event. */
static bool depend(struct maker *maker, unsigned at, unsigned on)
{
	struct graph_node *node = &maker->graph->nodes[at], *first = &maker->graph->nodes[on];
	if (node->dependency_count == GRAPH_DEPENDENCIES)
		return false;
	node->dependencies[node->dependency_count++] = (uint16_t)on;
	node->gate = later(node->gate, first->gate);
	if (first->fails)
		node->fails = true;
	if (first->kind != GRAPH_USER && !first->fails) {
		set_add(&maker->before[at], on);
		set_join(&maker->before[at], &maker->before[on]);
	}
	return true;
}

/* Events of whatever, some of them twice. */
static void depend_by_chance(struct maker *maker, unsigned at)
{
	for (unsigned n = below(maker, 4); n && at; n--) {
		const unsigned span = at < 24 ? at : 24, on = at - 1 - below(maker, span);
		const struct graph_node *first = &maker->graph->nodes[on];
		if (first->kind >= GRAPH_SET || !first->event)
			continue;
		/* Else too little would be left that does something. */
		if (first->fails && !one_in(maker, 6))
			continue;
		(void)depend(maker, at, on);
		if (one_in(maker, 8))
			(void)depend(maker, at, on);
	}
}

/* What the queue and the thread make it come after anyway. */
static void order_by_place(struct maker *maker, unsigned at)
{
	struct graph_node *node = &maker->graph->nodes[at];
	const struct graph_queue *queue = &maker->graph->queues[node->queue];
	set_join(&maker->before[at], &maker->thread_knows[node->thread]);
	set_join(&maker->before[at], queue->in_order ? &maker->queue_done[node->queue]
						     : &maker->queue_barrier[node->queue]);
	node->gate = later(node->gate, queue->in_order ? maker->queue_gate[node->queue]
						       : maker->barrier_gate[node->queue]);
}

/* Orders the node after all that it conflicts with. */
static bool order_conflicts(struct maker *maker, unsigned at)
{
	const struct graph *graph = maker->graph;
	const struct graph_node *node = &graph->nodes[at];
	for (unsigned i = at; i-- > 0;) {
		const struct graph_node *first = &graph->nodes[i];
		if (first->fails || set_has(&maker->before[at], i) ||
		    !conflict(graph, node, first))
			continue;
		if (!depend(maker, at, i))
			return false;
	}
	return true;
}

/* The node is made: what later ones know of it. */
static void node_settle(struct maker *maker, unsigned at)
{
	struct graph_node *node = &maker->graph->nodes[at];
	const unsigned q = node->queue;
	struct set own = maker->before[at];
	set_add(&own, at);
	if (!node->fails) {
		set_join(&maker->queue_all[q], &own);
		set_join(&maker->queue_done[q], &own);
	}
	maker->queue_gate[q] = later(maker->queue_gate[q], node->gate);
	if (node->kind == GRAPH_BARRIER) {
		if (!node->fails)
			set_join(&maker->queue_barrier[q], &own);
		maker->barrier_gate[q] = later(maker->barrier_gate[q], node->gate);
	}
	/* A blocking write has taken the bytes, and need not have ended. */
	if (node->blocking && node->kind != GRAPH_WRITE && node->kind != GRAPH_WRITE_RECT)
		set_join(&maker->thread_knows[node->thread], &own);
	for (unsigned i = 0; i < node->dependency_count; i++)
		maker->graph->nodes[node->dependencies[i]].uses++;
	for (unsigned i = 0; i < node->access_count; i++)
		maker->graph->roots[node->accesses[i].root].uses++;
}

/* --- nodes ------------------------------------------------------------------------------------ */

static struct graph_node *node_begin(struct maker *maker, enum graph_kind kind)
{
	struct graph *graph = maker->graph;
	const unsigned at = graph->node_count;
	struct graph_node *node = &graph->nodes[at];
	memset(node, 0, sizeof(*node));
	memset(&maker->before[at], 0, sizeof(maker->before[at]));
	node->kind = kind;
	node->queue = (uint8_t)below(maker, graph->queue_count);
	const struct graph_queue *queue = &graph->queues[node->queue];
	node->thread = queue->shared ? (uint8_t)below(maker, graph->threads) : queue->thread;
	node->k = below(maker, 1000);
	node->event = true;
	node->kept = one_in(maker, 3);
	node->called = one_in(maker, 4);
	return node;
}

static bool kind_fits(struct maker *maker, const struct graph_node *node)
{
	const struct graph_queue *queue = &maker->graph->queues[node->queue];
	switch (node->kind) {
	case GRAPH_BARRIER: return !queue->shared;
	case GRAPH_NATIVE: return maker->wishes->native;
	case GRAPH_RECORDED: return maker->wishes->recorded;
	default: return true;
	}
}

/* A marker or a barrier without a list comes after all of its queue. */
static void join_queue(struct maker *maker, unsigned at)
{
	struct graph_node *node = &maker->graph->nodes[at];
	const struct graph_queue *queue = &maker->graph->queues[node->queue];
	if ((node->kind != GRAPH_MARKER && node->kind != GRAPH_BARRIER) ||
	    node->dependency_count || queue->shared)
		return;
	set_join(&maker->before[at], &maker->queue_all[node->queue]);
	node->gate = later(node->gate, maker->queue_gate[node->queue]);
}

static void map_hold(struct maker *maker, unsigned at)
{
	for (unsigned i = 0; i < HELD; i++)
		if (!maker->held[i].on) {
			maker->held[i] = (struct held){(uint16_t)at, true};
			return;
		}
}

static bool may_hold(const struct maker *maker)
{
	for (unsigned i = 0; i < HELD; i++)
		if (!maker->held[i].on)
			return true;
	return false;
}

static bool may_block(const struct graph_node *node, unsigned at)
{
	switch (node->kind) {
	case GRAPH_READ: case GRAPH_READ_RECT: case GRAPH_WRITE: case GRAPH_WRITE_RECT:
	case GRAPH_MAP:
		return node->gate < at && !node->fails;
	default:
		return false;
	}
}

/* A node by chance; false: not this one. */
static bool node_draw(struct maker *maker)
{
	const unsigned at = maker->graph->node_count;
	struct graph_node *node = node_begin(maker, below(maker, GRAPH_KINDS_DRAWN));
	if (!kind_fits(maker, node) || !accesses_draw(maker, node) || is_held(maker, node))
		return false;
	if (node->kind == GRAPH_MAP) {
		if (!may_hold(maker))
			return false;
		node->kept = true;
	}
	if (one_in(maker, 2))
		depend_by_chance(maker, at);
	/* Whoever has a map can read there. */
	if (node->kind == GRAPH_MAP && node->fails)
		return false;
	order_by_place(maker, at);
	if (!node->fails && !order_conflicts(maker, at))
		return false;
	/* Without a list it would wait for what another thread enqueues before it or after. */
	if (node->kind == GRAPH_MARKER && !node->dependency_count &&
	    maker->graph->queues[node->queue].shared)
		return false;
	join_queue(maker, at);
	node->pinned = one_in(maker, 3);
	node->blocking = may_block(node, at) && one_in(maker, 3);
	if (node->kind == GRAPH_MAP)
		map_hold(maker, at);
	node_settle(maker, at);
	maker->graph->node_count++;
	return true;
}

static void user_draw(struct maker *maker)
{
	const unsigned at = maker->graph->node_count;
	if (maker->user_count == USERS)
		return;
	struct graph_node *node = node_begin(maker, GRAPH_USER);
	node->fails = one_in(maker, 4);
	node->status = node->fails ? -1 - (int32_t)below(maker, 30) : 0;
	const unsigned wait = 1 + below(maker, 40);
	/* Some are set when all else is enqueued. */
	node->gate = one_in(maker, 4) ? NEVER : at + wait;
	maker->users[maker->user_count].node = (uint16_t)at;
	maker->users[maker->user_count].at = (uint16_t)node->gate;
	maker->users[maker->user_count++].open = true;
	maker->graph->node_count++;
}

static void user_set(struct maker *maker, unsigned which)
{
	const unsigned user = maker->users[which].node;
	struct graph_node *node = node_begin(maker, GRAPH_SET);
	node->thread = (uint8_t)below(maker, maker->graph->threads);
	node->other = (uint16_t)user;
	node->event = node->called = node->kept = false;
	node->status = maker->graph->nodes[user].status;
	maker->graph->nodes[user].uses++;
	maker->users[which].open = false;
	maker->graph->node_count++;
}

/* Sets the events whose turn has come, or all. */
static void users_set(struct maker *maker, bool all)
{
	for (unsigned i = 0; i < maker->user_count; i++) {
		if (!maker->users[i].open ||
		    (!all && maker->users[i].at > maker->graph->node_count))
			continue;
		user_set(maker, i);
		/* The node count has grown: it may be the turn of one before. */
		i = UINT32_MAX;
	}
}

/* A thread waits for some events, or for a queue: what it does then comes after them. */
static void wait_draw(struct maker *maker)
{
	const unsigned at = maker->graph->node_count;
	const bool finish = one_in(maker, 3);
	struct graph_node *node = node_begin(maker, finish ? GRAPH_FINISH : GRAPH_WAIT);
	struct set *knows = &maker->thread_knows[node->thread];
	node->event = node->called = node->kept = false;
	if (finish) {
		if (maker->graph->queues[node->queue].shared ||
		    maker->queue_gate[node->queue] >= at)
			return;
		set_join(knows, &maker->queue_all[node->queue]);
	} else {
		for (unsigned n = 1 + below(maker, 3); n; n--) {
			const unsigned on = at - 1 - below(maker, at < 16 ? at : 16);
			const struct graph_node *first = &maker->graph->nodes[on];
			if (first->kind < GRAPH_USER && first->event && first->gate < at &&
			    !first->fails && depend(maker, at, on))
				maker->graph->nodes[on].uses++;
		}
		if (!node->dependency_count)
			return;
		set_join(knows, &maker->before[at]);
	}
	maker->graph->node_count++;
}

/* Gives a map back whose event has no more to wait for; false: there is none. */
static bool unmap_draw(struct maker *maker)
{
	struct graph *graph = maker->graph;
	const unsigned at = graph->node_count, start = below(maker, HELD);
	for (unsigned i = 0; i < HELD; i++) {
		struct held *held = &maker->held[(start + i) % HELD];
		if (!held->on || graph->nodes[held->map].gate >= at)
			continue;
		struct graph_node *node = node_begin(maker, GRAPH_UNMAP);
		const struct graph_node *map = &graph->nodes[held->map];
		node->other = held->map;
		node->access_count = 1;
		node->accesses[0] = map->accesses[0];
		graph->nodes[held->map].uses++;
		held->on = false;
		/* The thread waits for the map before it touches what is there. */
		struct set *knows = &maker->thread_knows[node->thread];
		set_add(knows, node->other);
		set_join(knows, &maker->before[node->other]);
		order_by_place(maker, at);
		node_settle(maker, at);
		graph->node_count++;
		return true;
	}
	return false;
}

/* --- all of it -------------------------------------------------------------------------------- */

/* Nobody asks for some of the events that nobody needs. */
static void events_drop(struct maker *maker)
{
	struct graph *graph = maker->graph;
	for (unsigned i = 0; i < graph->node_count; i++) {
		struct graph_node *node = &graph->nodes[i];
		if (node->kind < GRAPH_USER && !node->uses && !node->kept && !node->called &&
		    !node->fails)
			node->event = false;
	}
}

static void nodes_make(struct maker *maker)
{
	struct graph *graph = maker->graph;
	const unsigned room = GRAPH_NODES - HELD - USERS - 8;
	for (unsigned turn = 0; turn < graph->size && graph->node_count < room; turn++) {
		users_set(maker, false);
		const uint32_t what = below(maker, 16);
		if (what == 0)
			user_draw(maker);
		else if (what == 1 && graph->node_count)
			wait_draw(maker);
		else if (what > 4 || !unmap_draw(maker))
			for (unsigned i = 0; i < 20 && !node_draw(maker); i++)
				continue;
	}
	users_set(maker, true);
	/* A gate that never opened opens here. */
	for (unsigned i = 0; i < graph->node_count; i++)
		if (graph->nodes[i].gate >= graph->node_count)
			graph->nodes[i].gate = graph->node_count - 1;
	while (unmap_draw(maker))
		continue;
	events_drop(maker);
}

struct graph *graph_make(const struct graph_wishes *wishes)
{
	struct maker *maker = calloc(1, sizeof(*maker));
	struct graph *graph = calloc(1, sizeof(*graph));
	if (!maker || !graph) {
		free(maker);
		free(graph);
		return NULL;
	}
	maker->graph = graph;
	maker->wishes = wishes;
	maker->state = wishes->seed * 0x2545f4914f6cdd1du + wishes->devices;
	graph->seed = wishes->seed;
	graph->size = wishes->size < GRAPH_MOST_SIZE ? wishes->size : GRAPH_MOST_SIZE;
	graph->devices = wishes->devices;
	graph->threads = 1 + below(maker, GRAPH_THREADS);
	queues_make(maker);
	if (graph->threads > graph->queue_count)
		graph->threads = graph->queue_count;
	for (unsigned i = 0; i < graph->queue_count; i++)
		graph->queues[i].thread %= (uint8_t)graph->threads;
	roots_make(maker);
	nodes_make(maker);
	free(maker);
	return graph;
}

void graph_free(struct graph *graph)
{
	if (!graph)
		return;
	for (unsigned i = 0; i < GRAPH_NODES; i++)
		free(graph->nodes[i].expected);
	for (unsigned i = 0; i < GRAPH_ROOTS; i++)
		free(graph->words[i]);
	free(graph);
}

const char *graph_kind_name(enum graph_kind kind)
{
	static const char *const names[GRAPH_KINDS] = {
		"mix", "sum", "swap", "pick", "image load", "image store", "nothing", "fill",
		"copy", "copy rect", "read", "read rect", "write", "write rect", "migrate",
		"native", "recorded", "map", "marker", "barrier", "unmap", "user event", "set",
		"wait", "finish",
	};
	return names[kind];
}
