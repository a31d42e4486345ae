#include "config.h"

#include "softcuda/exec/compiler.h"

#include "base/clock.h"
#include "base/list.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/message.h"
#include "base/options.h"
#include "base/own_library.h"
#include "base/processors.h"
#include "base/spawn.h"
#include "softcuda/exec/code_cache.h"
#include "softcuda/exec/compile_wire.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

/* How long a process may take to receive an order, and to answer it.  It gives up earlier by itself
 * (softcuda/jit/main.c), unless it was stopped. */
static const uint64_t order_ns = 20000000000u, answer_ns = 90000000000u;

enum { IDLE_MAX = 4 };

/* A process of the compiler. */
struct server {
	struct list link;                /* in servers.idle, if it is idle */
	int socket;                      /* owned */
	pid_t pid, parent;
	bool served;                     /* it has compiled before */
	struct bytes builders;           /* which compiler it is (code_cache_builders) */
};

static struct {
	struct lock lock;                /* guards the fields below */
	struct list idle;
	struct list running;             /* compilations without an answer */
	unsigned idle_count, busy_count;
} servers = {
	.lock = LOCK_INIT(LOCK_RANK_CACHE),
	.idle = {&servers.idle, &servers.idle}, .running = {&servers.running, &servers.running}
};

/* How far a compilation is.  The owner may not ask for a long time, if the kernel does not run again; then another
 * thread takes the answer, so that the process can compile the next kernel. */
enum progress {
	PROGRESS_RUNNING,                /* in servers.running */
	PROGRESS_TAKEN,                  /* one thread takes the answer; no other one touches the other fields */
	PROGRESS_ANSWERED
};

struct compilation {
	/* Guarded by servers.lock. */
	struct list link;
	enum progress progress;
	bool dropped;                    /* by the owner; whoever takes the answer frees the compilation */

	struct server *server;           /* NULL once there is an answer */
	const struct code *code;         /* for the owner only */
	struct bytes name;               /* of the kernel */
	struct bytes order;              /* kept in case the process has ended meanwhile, and as the answer's key */
	uint64_t deadline_ns;
	/* The answer: the machine code in the message, or NULL with the reason in why. */
	struct bytes answer, why;
	struct compiled *compiled;
	const char *image;               /* in answer */
	size_t image_B;
	bool refused;                    /* by a compiler of this build */
};

/* --- processes ---------- */

static void server_destroy(struct server *server)
{
	(void)shutdown(server->socket, SHUT_RDWR);
	(void)close(server->socket);
	/* After fork, a process that the parent started is not a child of this one. */
	if (server->parent == getpid())
		spawn_reap(server->pid);
	bytes_finish(&server->builders);
	free(server);
}

/* Executes the program with its end of the socket.  Returns 0 or an errno value. */
static int execute(struct server *server, const char *path, int socket)
{
	struct bytes texts = BYTES_INIT, pointers = BYTES_INIT;
	/* The process finds its libraries beside its file, for which it has to know the whole path. */
	char *whole = realpath(path, NULL);
	char *arguments[] = {whole, NULL};
	int error = ENOMEM;
	if (whole && spawn_environment(&texts, &pointers)) {
		struct spawn order = {
			.path = whole, .arguments = arguments,
			.environment = (char *const *)(void *)pointers.data, .socket = socket,
			.keep_stderr = log_enabled(LOG_LEVEL_ERR)
		};
		error = spawn_run(&order);
		server->pid = order.pid;
	}
	bytes_finish(&texts);
	bytes_finish(&pointers);
	free(whole);
	return error;
}

/* NULL, with the reason in why, if no process can be started. */
static struct server *server_start(const char *path, struct bytes *why)
{
	int sockets[2];
	struct server *server = calloc(1, sizeof(*server));
	if (!server || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets)) {
		bytes_printf(why, "no process for the compiler: %s", server ? strerror(errno) : "no memory");
		free(server);
		return NULL;
	}
	list_init(&server->link);
	server->socket = sockets[0];
	server->parent = getpid();
	code_cache_builders(&server->builders);
	const int error = execute(server, path, sockets[1]);
	(void)close(sockets[1]);
	if (!error)
		return server;
	bytes_printf(why, "%s cannot be started: %s", path, strerror(error));
	(void)close(server->socket);
	bytes_finish(&server->builders);
	free(server);
	return NULL;
}

static struct server *idle_take(void)
{
	struct server *server = NULL;
	lock_take(&servers.lock);
	servers.busy_count++;
	if (servers.idle_count) {
		server = list_entry(servers.idle.next, struct server, link);
		list_remove(&server->link);
		servers.idle_count--;
	}
	lock_drop(&servers.lock);
	return server;
}

/* Keeps a process for the next kernel if it is `good`, and there are not too many. */
static void server_give_back(struct server *server, bool good)
{
	lock_take(&servers.lock);
	servers.busy_count--;
	good = server && good && servers.idle_count < IDLE_MAX;
	if (good) {
		server->served = true;
		list_prepend(&servers.idle, &server->link);
		servers.idle_count++;
	}
	lock_drop(&servers.lock);
	if (server && !good)
		server_destroy(server);
}

void compiler_shutdown(void)
{
	for (;;) {
		struct server *server = idle_take();
		server_give_back(NULL, false);
		if (!server)
			return;
		server_destroy(server);
	}
}

/* --- orders ---------- */

/* Whether a process may be started; if not, the reason is in why. */
static bool may_start(struct bytes *path, struct bytes *why)
{
	if (!strcmp(option_string(OPTION_COMPILER), "inside"))
		bytes_append_string(why, "CULVERT_COMPILER=inside forbids the compiler's process");
	/* The rights and the environment of a set-user-ID program must not be passed on. */
	else if (getauxval(AT_SECURE))
		bytes_append_string(why, "a set-user-ID program starts no process");
	else if (!own_library_find(CODE_CACHE_COMPILER, path))
		bytes_append_string(why, CODE_CACHE_COMPILER " is not there");
	else
		return true;
	return false;
}

/* Gives the order to an idle process, or to a new one if none is idle or that has ended.  Leaves compilation->server
 * NULL, with the reason in why, if that fails. */
static void order(struct compilation *compilation, struct server *server, struct bytes *why)
{
	struct bytes path = BYTES_INIT;
	int error = server ? message_send(server->socket, host_now_ns() + order_ns, &compilation->order) : EPIPE;
	if (error && server)
		server_destroy(server);
	if (error == EPIPE) {
		server = may_start(&path, why) ? server_start(bytes_string(&path), why) : NULL;
		error = server ? message_send(server->socket, host_now_ns() + order_ns, &compilation->order) : 0;
		if (error && server)
			server_destroy(server);
	}
	if (error) {
		bytes_printf(why, "the compiler's process does not take the kernel: %s", strerror(error));
		server = NULL;
	}
	compilation->server = server;
	compilation->deadline_ns = host_now_ns() + answer_ns;
	bytes_finish(&path);
}

static void compilation_destroy(struct compilation *compilation)
{
	if (compilation->compiled)
		compile_answer_free(compilation->compiled);
	bytes_finish(&compilation->name);
	bytes_finish(&compilation->order);
	bytes_finish(&compilation->answer);
	bytes_finish(&compilation->why);
	free(compilation);
}

struct compilation *compilation_start(const struct soft_program *program, const struct code *code, uint32_t rows,
				      bool watched, struct bytes *why)
{
	struct compilation *compilation = calloc(1, sizeof(*compilation));
	if (!compilation) {
		bytes_append_string(why, "no memory");
		return NULL;
	}
	compilation->code = code;
	bytes_append_string(&compilation->name, code->name);
	compile_order_put(program, code, rows, watched, &compilation->order);
	if (bytes_failed(&compilation->order) || bytes_failed(&compilation->name)) {
		bytes_append_string(why, "no memory");
		compilation_destroy(compilation);
		return NULL;
	}
	order(compilation, idle_take(), why);
	if (!compilation->server) {
		server_give_back(NULL, false);
		compilation_destroy(compilation);
		return NULL;
	}
	lock_take(&servers.lock);
	list_append(&servers.running, &compilation->link);
	lock_drop(&servers.lock);
	return compilation;
}

/* --- answers ---------- */

/* Copies the image into pages of its own and links it; they are executable and not writable afterwards.  False, with
 * the reason in why, if the system does not allow that. */
static bool load(struct compiled *compiled, const char *image, size_t image_B, struct bytes *why)
{
	char *memory = mmap(NULL, image_B, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED) {
		bytes_printf(why, "no pages for its machine code: %s", strerror(errno));
		return false;
	}
	memcpy(memory, image, image_B);
	for (uint32_t i = 0; i < compiled->link_count; i++)
		memcpy(memory + compiled->links[i].offset_B, &compiled_functions[compiled->links[i].function],
		       sizeof(compiled_functions[0]));
	if (mprotect(memory, image_B, PROT_READ | PROT_EXEC)) {
		bytes_printf(why, "pages cannot be made executable: %s", strerror(errno));
		(void)munmap(memory, image_B);
		return false;
	}
	__builtin___clear_cache(memory, memory + image_B);
	for (uint32_t e = 0; e < compiled->entry_count; e++)
		compiled->entries[e].run = (compiled_run *)(uintptr_t)(memory + (uintptr_t)compiled->entries[e].run);
	compiled->memory = memory;
	compiled->code_B = image_B;
	return true;
}

/* Loads machine code for a kernel.  NULL, with the reason in why, and `compiled` is freed, if that fails. */
static struct compiled *take_over(struct compiled *compiled, const struct code *code, const char *image, size_t image_B,
				  struct bytes *why)
{
	if (!compiled)
		return NULL;
	compiled->code = code;
	if (load(compiled, image, image_B, why))
		return compiled;
	compiled_release(compiled);
	return NULL;
}

void compiled_release(const struct compiled *compiled)
{
	if (compiled->memory)
		(void)munmap(compiled->memory, compiled->code_B);
	compile_answer_free((struct compiled *)(uintptr_t)compiled);
}

/* Receives the answer.  A process that has compiled before may have ended, for it was idle, before the order came: then
 * a new process gets the order. */
static int receive(struct compilation *compilation, struct bytes *answer, struct bytes *why)
{
	int error = message_receive(compilation->server->socket, compilation->deadline_ns, answer);
	if (error != EPIPE || !compilation->server->served)
		return error;
	bytes_finish(answer);
	server_destroy(compilation->server);
	order(compilation, NULL, why);
	return compilation->server ?
	       message_receive(compilation->server->socket, compilation->deadline_ns, answer) : EPIPE;
}

/* Names the compiler that has given an answer of another build. */
static void append_path(struct bytes *why)
{
	struct bytes path = BYTES_INIT;
	if (own_library_find(CODE_CACHE_COMPILER, &path))
		bytes_printf(why, ": %s", bytes_string(&path));
	bytes_finish(&path);
}

/* Takes the answer of a compilation that the calling thread has claimed. */
static void take_answer(struct compilation *compilation)
{
	struct bytes *answer = &compilation->answer, *why = &compilation->why;
	bool sound = false;
	const int error = receive(compilation, answer, why);
	if (!error)
		compilation->compiled = compile_answer_get(answer, &compilation->image, &compilation->image_B, &sound,
							   why);
	else if (!why->size_B)
		bytes_append_string(why, error == ETIMEDOUT ? "the compiler does not answer" : error == ENOMEM ?
				    "no memory" : "the compiler's process has ended without an answer, for example for "
				    "lack of memory");
	if (compilation->compiled)
		code_cache_put(&compilation->server->builders, &compilation->order, bytes_string(&compilation->name),
			       answer);
	else if (!error && !sound)
		append_path(why);
	compilation->refused = sound && !compilation->compiled;
	server_give_back(compilation->server, sound);
	compilation->server = NULL;
	lock_take(&servers.lock);
	compilation->progress = PROGRESS_ANSWERED;
	const bool dropped = compilation->dropped;
	lock_drop(&servers.lock);
	if (dropped)
		compilation_destroy(compilation);
}

static bool has_answer(const struct compilation *compilation)
{
	struct pollfd poll_socket = {.fd = compilation->server->socket, .events = POLLIN};
	return poll(&poll_socket, 1, 0) > 0 || host_now_ns() >= compilation->deadline_ns;
}

/* The caller holds servers.lock, and the compilation is running. */
static void claim(struct compilation *compilation)
{
	list_remove(&compilation->link);
	compilation->progress = PROGRESS_TAKEN;
}

/* Claims a compilation whose answer has come.  NULL if there is none. */
static struct compilation *answered_take(void)
{
	struct compilation *answered = NULL;
	lock_take(&servers.lock);
	for (struct list *link = servers.running.next; !answered && link != &servers.running; link = link->next) {
		struct compilation *running = list_entry(link, struct compilation, link);
		if (has_answer(running)) {
			claim(running);
			answered = running;
		}
	}
	lock_drop(&servers.lock);
	return answered;
}

bool compiler_is_busy(void)
{
	const unsigned most = processors_usable() / 2 ? processors_usable() / 2 : 1;
	for (struct compilation *answered; (answered = answered_take());)
		take_answer(answered);
	lock_take(&servers.lock);
	const bool busy = servers.busy_count >= most;
	lock_drop(&servers.lock);
	return busy;
}

bool compilation_ended(struct compilation *compilation, bool block)
{
	lock_take(&servers.lock);
	bool ended = compilation->progress == PROGRESS_ANSWERED;
	const bool claimed = compilation->progress == PROGRESS_RUNNING && (block || has_answer(compilation));
	if (claimed)
		claim(compilation);
	lock_drop(&servers.lock);
	if (claimed)
		take_answer(compilation);
	return ended || claimed;
}

const struct compiled *compilation_finish(struct compilation *compilation, bool *refused_out, struct bytes *why)
{
	*refused_out = compilation->refused;
	bytes_append(why, compilation->why.data, compilation->why.size_B);
	const struct compiled *compiled = take_over(compilation->compiled, compilation->code, compilation->image,
						    compilation->image_B, why);
	compilation->compiled = NULL;
	compilation_destroy(compilation);
	return compiled;
}

void compilation_drop(struct compilation *compilation)
{
	lock_take(&servers.lock);
	const enum progress progress = compilation->progress;
	if (progress == PROGRESS_RUNNING)
		claim(compilation);
	else if (progress == PROGRESS_TAKEN)
		compilation->dropped = true;
	lock_drop(&servers.lock);
	if (progress == PROGRESS_TAKEN)
		return;
	if (progress == PROGRESS_RUNNING)
		server_give_back(compilation->server, false);
	compilation_destroy(compilation);
}

/* --- code that was compiled before ---------- */

const struct compiled *compilation_find(const struct soft_program *program, const struct code *code, uint32_t rows,
					bool watched)
{
	struct bytes builders = BYTES_INIT, wanted = BYTES_INIT, answer = BYTES_INIT, why = BYTES_INIT;
	struct compiled *compiled = NULL;
	const char *image = NULL;
	size_t image_B = 0;
	bool sound;
	if (!code_cache_is_on())
		return NULL;
	code_cache_builders(&builders);
	compile_order_put(program, code, rows, watched, &wanted);
	if (code_cache_get(&builders, &wanted, &answer)) {
		compiled = compile_answer_get(&answer, &image, &image_B, &sound, &why);
		if (!compiled)
			code_cache_drop(&builders, &wanted);
		compiled = take_over(compiled, code, image, image_B, &why);
		if (!compiled)
			log_info("softcuda: the cached machine code of kernel '%s' is not used: %s", code->name,
				 bytes_string(&why));
	}
	bytes_finish(&builders);
	bytes_finish(&wanted);
	bytes_finish(&answer);
	bytes_finish(&why);
	return compiled;
}
