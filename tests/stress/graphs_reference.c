/* The graph's sequence, run by one thread on the host: see graphs.h. */
#include "config.h"

#include "tests/stress/graphs.h"

#include <stdlib.h>
#include <string.h>

static uint32_t *words_at(const struct graph *graph, const struct graph_access *access)
{
	return graph->words[access->root] + access->words.lo;
}

static void rect(const struct graph_node *node, uint32_t *to, const uint32_t *from)
{
	for (uint32_t y = 0; y < node->rect_h; y++)
		memcpy(to + y * GRAPH_PITCH, from + y * GRAPH_PITCH, node->rect_w * sizeof(*to));
}

static void write_rect(const struct graph_node *node, uint32_t *to)
{
	for (uint32_t y = 0; y < node->rect_h; y++)
		for (uint32_t x = 0; x < node->rect_w; x++)
			to[y * GRAPH_PITCH + x] = graph_host_word(y * GRAPH_PITCH + x, node->k);
}

static void swap(uint32_t *a, uint32_t *b, uint32_t n, uint32_t k)
{
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t t = a[i];
		a[i] = b[i] + k;
		b[i] = t ^ k;
	}
}

static void mix(uint32_t *a, uint32_t n, uint32_t k)
{
	for (uint32_t i = 0; i < n; i++)
		a[i] = graph_mix(a[i], i, k);
}

static void fill(uint32_t *a, uint32_t n, uint32_t k)
{
	for (uint32_t i = 0; i < n; i++)
		a[i] = k;
}

static void sum(uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t n, uint32_t k)
{
	for (uint32_t i = 0; i < n; i++)
		a[i] = graph_sum(b[i], c[i], k);
}

static void host_words(uint32_t *a, uint32_t n, uint32_t k)
{
	for (uint32_t i = 0; i < n; i++)
		a[i] = graph_host_word(i, k);
}

static bool expect(struct graph_node *node, const uint32_t *a, uint32_t n)
{
	node->expected = malloc(n * sizeof(*a));
	if (!node->expected)
		return false;
	memcpy(node->expected, a, n * sizeof(*a));
	return true;
}

/* Who maps sees what is there, and who unmaps leaves what was written. */
static void unmap(const struct graph *graph, const struct graph_node *node, uint32_t *a, uint32_t n)
{
	if (graph->nodes[node->other].writes_map)
		host_words(a, n, node->k);
}

static bool run(const struct graph *graph, struct graph_node *node)
{
	const struct graph_access *accesses = node->accesses;
	uint32_t *a = node->access_count > 0 ? words_at(graph, &accesses[0]) : NULL;
	uint32_t *b = node->access_count > 1 ? words_at(graph, &accesses[1]) : NULL;
	uint32_t *c = node->access_count > 2 ? words_at(graph, &accesses[2]) : NULL;
	const uint32_t n = accesses[0].words.hi - accesses[0].words.lo, k = node->k;
	switch (node->kind) {
	case GRAPH_MIX: case GRAPH_NATIVE:
		mix(a, n, k);
		return true;
	case GRAPH_SUM:
		sum(a, b, c, n, k);
		return true;
	case GRAPH_SWAP:
		swap(a, b, n, k);
		return true;
	case GRAPH_PICK:
		for (uint32_t i = 0; i < n; i++)
			a[i] = b[(i * 7 + k) % n];
		return true;
	case GRAPH_IMAGE_LOAD: case GRAPH_IMAGE_STORE:
		for (uint32_t i = 0; i < n; i++)
			a[i] = b[i] ^ k;
		return true;
	case GRAPH_FILL:
		fill(a, n, k);
		return true;
	case GRAPH_COPY:
		memcpy(a, b, n * sizeof(*a));
		return true;
	case GRAPH_COPY_RECT:
		rect(node, a, b);
		return true;
	case GRAPH_WRITE:
		host_words(a, n, k);
		return true;
	case GRAPH_WRITE_RECT:
		write_rect(node, a);
		return true;
	case GRAPH_READ: case GRAPH_READ_RECT: case GRAPH_MAP:
		return expect(node, a, n);
	case GRAPH_UNMAP:
		unmap(graph, node, a, n);
		return true;
	case GRAPH_RECORDED:
		fill(a, n, k);
		mix(b, n, k);
		swap(a, b, n, k);
		return true;
	default:
		return true;
	}
}

bool graph_reference(struct graph *graph)
{
	for (unsigned i = 0; i < graph->root_count; i++) {
		graph->words[i] = malloc(graph->roots[i].words * sizeof(uint32_t));
		if (!graph->words[i])
			return false;
		for (uint32_t j = 0; j < graph->roots[i].words; j++)
			graph->words[i][j] = graph_first_word(i, j);
	}
	for (unsigned i = 0; i < graph->node_count; i++)
		if (!graph->nodes[i].fails && !run(graph, &graph->nodes[i]))
			return false;
	return true;
}
