/* What the fuzzer of the whole API consists of: the calls with their parameters (api_calls.c), values for
 * parameters (api_values.c), rules that keep out what OpenCL leaves undefined (api_rules.c), what becomes of
 * results (api_results.c), and threads that make calls (fuzz_api.c). */
#ifndef CULVERT_TESTS_FUZZ_API_H
#define CULVERT_TESTS_FUZZ_API_H

#include "tests/fuzz/fuzz.h"

#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum {
	API_PARAMETERS = 16,
	API_POOL = 24,           /* handles of a kind that a thread has */
	API_LIST = 16,           /* entries of a list; counts of lists are no larger */
	API_CHUNK_B = 1 << 17,   /* memory that a call may read or write */
	API_CHUNKS = 16,         /* of a call */
	API_DATA = 32,           /* pieces of memory that commands use */
	API_SMALL_B = 1 << 16,   /* buffers that are made have no more */
	API_SVM_B = 4096,        /* SVM that a command may touch from a pointer on */
	API_USER_EVENTS = 1024
};

enum api_kind {
	API_PLATFORM,
	API_DEVICE,
	API_CONTEXT,
	API_QUEUE,
	API_MEM,
	API_PROGRAM,
	API_KERNEL,
	API_EVENT,
	API_SAMPLER,
	API_SEMAPHORE,
	API_COMMAND_BUFFER,
	API_MUTABLE,
	API_KINDS
};

/* What a parameter takes. */
enum api_class {
	API_HANDLE,              /* of a kind, as are the next two */
	API_HANDLES,             /* a list of handles */
	API_MADE,                /* where handles are written to */
	API_CALLBACK,
	API_PROPERTIES,
	API_STRING,
	API_STRINGS,
	API_BYTES,               /* const unsigned char ** */
	API_SIZES,               /* const size_t * */
	API_NUMBERS,             /* const cl_uint * and the like */
	API_FORMAT,
	API_SHAPE,
	API_MEMORY,
	API_POINTERS,            /* pointers to memory */
	API_OUT,
	API_SIZE,
	API_COUNT,               /* cl_uint */
	API_NUMBER               /* of a type of its own */
};

struct api_parameter {
	enum api_class is;
	enum api_kind kind;
	char type[48];
};

struct api_call {
	const char *name, *result, *text;   /* text: the parameters as they are declared */
	uint64_t (*function)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
			     uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
			     uint64_t, uint64_t);
	unsigned count;
	struct api_parameter parameters[API_PARAMETERS];
	atomic_uint made, good;             /* how often; with success */
};

/* The kind of a type's name, API_KINDS for others. */
enum api_kind api_kind_of(const char *type);

/* All calls, with the platform's own functions, which no loader stands before. */
struct api_call *api_calls(cl_platform_id platform, unsigned *count_out);
/* NULL: there is none of that name. */
const struct api_call *api_call_find(const char *name);
uint64_t api_call_make(const struct api_call *call, const uint64_t words[API_PARAMETERS]);
/* The parameter of that class, counted from 0; API_PARAMETERS: there is none. */
unsigned api_place(const struct api_call *call, enum api_class is, unsigned which);

/* What all threads of a run share. */
struct api_world {
	cl_platform_id platform;
	cl_device_id device;                /* the first of devices */
	cl_device_id devices[2];
	cl_uint device_count;
	cl_context context;                 /* of all of them */
	cl_command_queue queue, last_queue; /* of the first device and of the last */
	cl_command_queue signals;           /* what waits of semaphores need */
	cl_program program;
	cl_mem buffer;
	unsigned char *binary;              /* of program */
	size_t binary_B;
	/* Released by the application, and held by another object: still there. */
	void *released[API_KINDS];
	void *holders[API_KINDS];           /* those objects */
	enum api_kind holder_kinds[API_KINDS];
	/* Begins as other platforms' objects do. */
	uintptr_t foreign[32];
	pthread_mutex_t lock;               /* guards all below */
	cl_event user_events[API_USER_EVENTS]; /* references; someone sets them soon */
	unsigned user_event_count;
	bool over;
};

struct api_pool {
	void *handles[API_POOL];            /* a reference each */
	void *owners[API_POOL];             /* of mutable commands: the command buffer */
	unsigned count, borrowed;           /* the first ones are not ours to release */
};

struct api_svm {
	void *pointer;
	bool usm;
};

/* A thread that makes calls. */
struct api_actor {
	struct fuzz fuzz;
	struct api_world *world;
	struct api_pool pools[API_KINDS];
	struct api_svm svm[API_POOL], fresh[API_POOL]; /* fresh: no command has had it */
	unsigned svm_count, fresh_count;
	struct api_svm freed;               /* by this call, if it succeeds */
	void *maps[API_POOL];
	unsigned map_count;
	cl_event ends[API_POOL];            /* of queues that were released before their work ended */
	unsigned end_count;
	char *chunks, *data;                /* data: nothing but commands touches it */
	unsigned chunk_next;
	void *exact[2];                     /* memory that ends where the call may write no more */
	unsigned exact_count;
	_Alignas(8) char configs[API_LIST][128];       /* of changes of mutable commands */
	const char *_Atomic now;            /* the call that it is in */
	atomic_uint made;
	atomic_bool done;
	bool wrong;
};

uint32_t api_number(struct api_actor *actor, uint32_t below);
bool api_chance(struct api_actor *actor, uint32_t of);
/* 0, small, about the limits of types, anything. */
uint64_t api_garbage(struct api_actor *actor);
/* A good handle of that kind; NULL: there is none. */
void *api_good_handle(struct api_actor *actor, enum api_kind kind);
/* API_CHUNK_B of zeros, good for one call. */
void *api_chunk(struct api_actor *actor);
/* The same for what is of use after the call; contents are anything. */
void *api_data(struct api_actor *actor);
/* Of the heap and freed after the call, so that a sanitizer sees a byte too far; a chunk where that
 * would be too much. */
void *api_exact(struct api_actor *actor, uint64_t size_B);
/* A pointer that commands may use, API_SVM_B of it, for as long as they like. */
void *api_svm_pointer(struct api_actor *actor);

/* Fills in what call is given. */
void api_values(struct api_actor *actor, const struct api_call *call, uint64_t words[API_PARAMETERS]);
/* Mends what would be undefined behaviour. */
void api_rules(struct api_actor *actor, const struct api_call *call, uint64_t words[API_PARAMETERS]);
/* Keeps what was made, gives up what was released, and looks whether the result may be. */
void api_results(struct api_actor *actor, const struct api_call *call,
		 const uint64_t words[API_PARAMETERS], uint64_t result);
/* The reference is the actor's from now on; owner: of a mutable command its buffer. */
void api_keep(struct api_actor *actor, enum api_kind kind, void *handle, void *owner);
/* Nothing of the actor's is left. */
void api_actor_end(struct api_actor *actor);

#endif
