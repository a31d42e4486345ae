/* Random graphs of commands (graphs.h), each on schedules of the software driver with its ordering
 * oracle on, or on a GPU.
 *
 *	graphs [--seed S] [--graphs N] [--size N] [--devices D] [--seconds T]
 *	       [--schedule ITEMS] [--fault RULE] [--print 1]
 *
 * S is the first seed, N how many graphs there are, of as many nodes as --size says (by chance
 * if it does not), on 1, 2 and 4 devices by turns or on D; with --seconds it goes on until those
 * are over.  A graph that fails is made smaller while it fails, and the line that repeats it is
 * printed.  With --fault a call of the driver goes wrong in each graph (planted.sh). */
#include "config.h"

#include "tests/stress/graphs_run.h"

#include <dlfcn.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { GRAPHS = 150, LIMIT_S = 120, FAULTY_LIMIT_S = 20 };
enum { SMALLEST = 24, LARGEST = 200, MOST_DEVICES = 4 };

struct order {
	uint64_t seed;
	unsigned graphs, size, devices;      /* 0: by chance, by turns */
	unsigned seconds;
	const char *schedule, *fault;        /* NULL: by the seed; "" */
	bool prints;
	bool apart;                          /* of a graph that failed, to make it smaller */
};

static struct {
	struct graph_platform platform;
	bool soft;
	int (*schedule)(const char *items);
	unsigned (*reports)(void);
	int (*fault)(const char *rules);
	uint64_t (*faults)(void);
	unsigned faults_injected;
	char report_path[64];
	char again[256];                     /* the line that repeats the graph */
} it;

/* --- the software driver ---------------------------------------------------------------------- */

static void soft_find(void)
{
	void *library = dlopen("libculvert-softcuda.so", RTLD_NOW | RTLD_NOLOAD);
	if (!library)
		return;
	*(void **)&it.schedule = dlsym(library, "culvert_soft_schedule");
	*(void **)&it.reports = dlsym(library, "culvert_soft_reports");
	*(void **)&it.fault = dlsym(library, "culvert_soft_fault");
	*(void **)&it.faults = dlsym(library, "culvert_soft_faults");
	it.soft = it.schedule && it.reports && it.fault && it.faults;
}

static void report_print(void)
{
	char text[4096];
	FILE *file = fopen(it.report_path, "r");
	const size_t size = file ? fread(text, 1, sizeof(text), file) : 0;
	if (file)
		fclose(file);
	fwrite(text, 1, size, stdout);
}

/* --- one graph -------------------------------------------------------------------------------- */

static void hangs(int number)
{
	static const char text[] = "a graph hangs; again: ";
	(void)number;
	(void)!write(STDOUT_FILENO, text, sizeof(text) - 1);
	(void)!write(STDOUT_FILENO, it.again, strlen(it.again));
	(void)!write(STDOUT_FILENO, "\n", 1);
	(void)unlink(it.report_path);
	_exit(1);
}

static void graph_print(const struct graph *graph)
{
	for (unsigned i = 0; i < graph->queue_count; i++)
		printf("queue %u: device %u, thread %u, %s%s%s\n", i, graph->queues[i].device,
		       graph->queues[i].thread,
		       graph->queues[i].in_order ? "in order" : "out of order",
		       graph->queues[i].shared ? ", shared" : "",
		       graph->queues[i].profiling ? ", profiling" : "");
	for (unsigned i = 0; i < graph->root_count; i++)
		printf("root %u: kind %u, %u words%s\n", i, graph->roots[i].kind,
		       graph->roots[i].words, graph->roots[i].brief ? ", brief" : "");
	for (unsigned i = 0; i < graph->node_count; i++) {
		const struct graph_node *node = &graph->nodes[i];
		printf("%3u t%u q%u %s%s%s", i, node->thread, node->queue,
		       graph_kind_name(node->kind), node->blocking ? ", blocking" : "",
		       node->fails ? ", fails" : "");
		for (unsigned j = 0; j < node->access_count; j++)
			printf(" %c%u[%u,%u)", node->accesses[j].writes ? 'w' : 'r',
			       node->accesses[j].root, node->accesses[j].words.lo,
			       node->accesses[j].words.hi);
		for (unsigned j = 0; j < node->dependency_count; j++)
			printf(" <%u", node->dependencies[j]);
		if (node->kind == GRAPH_UNMAP || node->kind == GRAPH_SET)
			printf(" of %u", node->other);
		printf("\n");
	}
}

static void schedule_of(const struct order *order, uint64_t seed, char *items, size_t size_B)
{
	static const char *const also[] = {"", ",late", ",sync:all", ",sync:none"};
	if (order->schedule)
		snprintf(items, size_B, "%s", order->schedule);
	else
		snprintf(items, size_B, seed % 2 ? "seed:%u,idle:5000%s" : "pct:%u:3,idle:5000%s",
			 (unsigned)seed, also[seed / 2 % 4]);
}

/* Whether all was well. */
static bool one_run(const struct order *order, const struct graph *graph)
{
	char items[80];
	schedule_of(order, graph->seed, items, sizeof(items));
	snprintf(it.again, sizeof(it.again),
		 "%stests/stress/graphs --graphs 1 --seed %llu --size %u --devices %u%s%s%s%s%s%s",
		 it.soft ? "CULVERT_CUDA=soft " : "", (unsigned long long)graph->seed, graph->size,
		 graph->devices, it.soft ? " --schedule '" : "", it.soft ? items : "",
		 it.soft ? "'" : "", *order->fault ? " --fault '" : "", order->fault,
		 *order->fault ? "'" : "");
	alarm(*order->fault ? FAULTY_LIMIT_S : LIMIT_S);
	bool well = true;
	if (it.soft) {
		if (truncate(it.report_path, 0) || !CHECK(!it.schedule(items)))
			return false;
		CHECK(!it.fault(order->fault));
	}
	well = graph_run(&it.platform, graph);
	if (it.soft) {
		it.faults_injected += (unsigned)it.faults();
		CHECK(!it.fault(""));
		well = CHECK(!it.reports()) && well;
	}
	alarm(0);
	return well;
}

/* The same in a process of its own, with other sizes; whether it fails. */
static bool fails_with(const struct order *order, const struct graph *graph, unsigned size)
{
	char seed[24], nodes[16], devices[16], items[80];
	int status = 0;
	schedule_of(order, graph->seed, items, sizeof(items));
	snprintf(seed, sizeof(seed), "%llu", (unsigned long long)graph->seed);
	snprintf(nodes, sizeof(nodes), "%u", size);
	snprintf(devices, sizeof(devices), "%u", graph->devices);
	fflush(stdout);
	const pid_t child = fork();
	if (!child) {
		if (!freopen("/dev/null", "w", stdout))
			_exit(127);
		execl("/proc/self/exe", "graphs", "--apart", "1", "--graphs", "1", "--seed", seed,
		      "--size", nodes, "--devices", devices, "--fault", order->fault,
		      it.soft ? "--schedule" : (char *)NULL, items, (char *)NULL);
		_exit(127);
	}
	return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
	       WEXITSTATUS(status) == 1;
}

/* The first nodes of a graph are the graph of a smaller size. */
static unsigned smaller(const struct order *order, const struct graph *graph)
{
	unsigned works = 0, fails = graph->size;
	while (fails - works > 1) {
		const unsigned middle = works + (fails - works) / 2;
		if (fails_with(order, graph, middle))
			fails = middle;
		else
			works = middle;
	}
	return fails;
}

static void failure_report(const struct order *order, const struct graph *graph)
{
	printf("graph %llu FAILS; again: %s\n", (unsigned long long)graph->seed, it.again);
	if (it.soft)
		report_print();
	if (order->apart || order->prints)
		return;
	const unsigned size = smaller(order, graph);
	if (size < graph->size)
		printf("it also fails with --size %u\n", size);
}

static struct graph *graph_of(const struct order *order, uint64_t seed)
{
	static const unsigned turns[] = {1, 2, 4};
	struct graph_wishes wishes = it.platform.wishes;
	const unsigned visible = it.platform.test.device_count;
	wishes.seed = seed;
	wishes.devices = order->devices ? order->devices : turns[seed % 3];
	if (wishes.devices > visible)
		wishes.devices = visible;
	if (wishes.devices > MOST_DEVICES)
		wishes.devices = MOST_DEVICES;
	wishes.size = order->size ? order->size :
		SMALLEST + (unsigned)(seed * 2654435761u >> 8) % (LARGEST - SMALLEST);
	return graph_make(&wishes);
}

/* --- all of them ------------------------------------------------------------------------------ */

static const char *option(const char *name, int argc, char **argv)
{
	for (int i = 1; i + 1 < argc; i += 2)
		if (!strcmp(argv[i], name))
			return argv[i + 1];
	return NULL;
}

static unsigned number(const char *name, int argc, char **argv, unsigned otherwise)
{
	const char *text = option(name, argc, argv);
	return text ? (unsigned)strtoul(text, NULL, 10) : otherwise;
}

static double now_s(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void graphs_run(const struct order *order)
{
	const double end_s = now_s() + order->seconds;
	unsigned done = 0, nodes = 0, by_devices[GRAPH_DEVICES + 1] = {0};
	bool well = true;
	for (uint64_t seed = order->seed;
	     well && (order->seconds ? now_s() < end_s : done < order->graphs); seed++) {
		struct graph *graph = graph_of(order, seed);
		if (!CHECK(graph) || !CHECK(graph_reference(graph))) {
			graph_free(graph);
			return;
		}
		if (order->prints)
			graph_print(graph);
		well = one_run(order, graph);
		if (!well)
			failure_report(order, graph);
		done++;
		nodes += graph->node_count;
		by_devices[graph->devices]++;
		graph_free(graph);
	}
	printf("%u graphs, %u nodes; on 1 device %u, on 2 %u, on 3 %u, on 4 %u; from seed %llu\n",
	       done, nodes, by_devices[1], by_devices[2], by_devices[3], by_devices[4],
	       (unsigned long long)order->seed);
	if (*order->fault)
		printf("faults: %u\n", it.faults_injected);
}

static int usage(void)
{
	printf("usage: graphs [--seed N] [--graphs N] [--seconds N] [--devices N] [--size NODES] [--schedule "
	       "SCHEDULE]\n"
	       "              [--fault RULES] [--print 1] [--apart 1]\n"
	       "Compares random graphs of commands with sequential computations.  The comment at the beginning of\n"
	       "tests/stress/graphs.c describes the options.\n");
	return 0;
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "--help"))
		return usage();
	struct order order = {
		.seed = 1, .graphs = number("--graphs", argc, argv, GRAPHS),
		.size = number("--size", argc, argv, 0),
		.devices = number("--devices", argc, argv, 0),
		.seconds = number("--seconds", argc, argv, 0),
		.schedule = option("--schedule", argc, argv),
		.fault = option("--fault", argc, argv),
		.prints = option("--print", argc, argv), .apart = option("--apart", argc, argv),
	};
	if (option("--seed", argc, argv))
		order.seed = strtoull(option("--seed", argc, argv), NULL, 10);
	if (!order.fault)
		order.fault = "";
	snprintf(it.report_path, sizeof(it.report_path), "/tmp/graphs-XXXXXX");
	const int report = mkstemp(it.report_path);
	if (report < 0)
		return 99;
	close(report);
	/* Read when the platform is first asked for. */
	setenv("CULVERT_SOFT_DEVICES", "4", 1);
	setenv("CULVERT_SOFT_ORACLE", "1", 1);
	setenv("CULVERT_SOFT_REPORT", it.report_path, 1);
	if (!graph_platform_start(&it.platform, "tests/stress/graphs")) {
		unlink(it.report_path);
		return API_TEST_SKIP;
	}
	soft_find();
	signal(SIGALRM, hangs);
	graphs_run(&order);
	graph_platform_end(&it.platform);
	unlink(it.report_path);
	return api_test_end(&it.platform.test);
}
