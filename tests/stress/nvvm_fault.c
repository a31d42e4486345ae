/* Stands before libnvvm and makes its calls fail: CULVERT_LIBNVVM names this object,
 * FAULT_NVVM_REAL the library behind it.
 *
 *	FAULT_NVVM=CALL:N:RESULT     the N-th CALL does nothing and returns RESULT; nvvmDestroyProgram
 *	                             destroys all the same, for nobody can do it afterwards
 *	FAULT_NVVM_PLANTED=1         a program that is made with a kernel plant_segv, plant_abort,
 *	                             plant_exit or plant_hang does that when it is added, one with
 *	                             plant_pause waits for half a second first, one
 *	                             with plant_optimised crashes when it is optimised, one with
 *	                             plant_refused too, and is refused when it is not unless it
 *	                             has private memory, as -cl-opt-disable leaves it; the optimised
 *	                             code of one with plant_early stores before it computes what,
 *	                             one with plant_early_refused does too, and is refused when it is
 *	                             not optimised; of two
 *	                             with plant_overflow that are made at once the one whose
 *	                             thread is younger uses up its stack, or a single one; one with
 *	                             plant_escape does what a compiler that strangers took over
 *	                             might, in the folder FAULT_NVVM_FOLDER, and is refused when
 *	                             anything of that is allowed
 *	FAULT_NVVM_LACKS=WORD,...    a program whose text has one of these words is refused when it is
 *	                             compiled, as an older libnvvm would refuse it
 *	FAULT_NVVM_OLDER=1           it compiles for compute_70 as well, as CUDA 12's does and CUDA 13's
 *	                             does not: the code is that for compute_75
 *	FAULT_NVVM_DRIVER=1          for compute_100 and newer, it reads the dialect for compute_90, as the driver's
 *	                             libnvvm does; the code is that for compute_90
 *	FAULT_NVVM_KEPT=FOLDER       what has been compiled is kept there, by its text and options; what is there is not
 *	                             compiled again, by any process
 *	FAULT_NVVM_COUNT=FILE        gets how often each call was made, at exit
 *
 * Calls of several threads are counted as they come. */
#include "config.h"

#include <ctype.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#pragma GCC visibility push(default)

/* The last column is true if the call was answered from FAULT_NVVM_KEPT; the library behind is not called then. */
#define CALLS(FORWARD)                                                                          \
	FORWARD(nvvmVersion, (int *major, int *minor), (major, minor), false)                   \
	FORWARD(nvvmIRVersion, (int *ir_major, int *ir_minor, int *debug_major, int *debug_minor), \
		(ir_major, ir_minor, debug_major, debug_minor), false)                          \
	FORWARD(nvvmCreateProgram, (void **program), (program), false)                          \
	FORWARD(nvvmDestroyProgram, (void **program), (program), false)                         \
	FORWARD(nvvmAddModuleToProgram,                                                         \
		(void *program, const char *data, size_t size_B, const char *name),             \
		(planted(data, size_B) ? program : NULL, data, size_B, name), false)            \
	FORWARD(nvvmLazyAddModuleToProgram,                                                     \
		(void *program, const char *data, size_t size_B, const char *name),             \
		(program, data, size_B, name), false)                                           \
	FORWARD(nvvmCompileProgram, (void *program, int count, const char **options),           \
		(unplanted(count, options) ? program : NULL, count, newer(count, options)),     \
		find_kept(count, options))                                                      \
	FORWARD(nvvmVerifyProgram, (void *program, int count, const char **options),            \
		(program, count, newer(count, options)), false)                                 \
	FORWARD(nvvmGetCompiledResultSize, (void *program, size_t *size_B), (program, size_B),  \
		kept_size(size_B))                                                              \
	FORWARD(nvvmGetCompiledResult, (void *program, char *text), (program, result_text = text), \
		kept_result(text))                                                              \
	FORWARD(nvvmGetProgramLogSize, (void *program, size_t *size_B), (program, size_B), false) \
	FORWARD(nvvmGetProgramLog, (void *program, char *text), (program, text), false)

enum { INVALID_IR = 6, OPTIONS_MAX = 16 };

enum call {
#define FORWARD(name, parameters, arguments, kept) CALL_##name,
	CALLS(FORWARD)
#undef FORWARD
	CALL_COUNT
};

static const char *const names[] = {
#define FORWARD(name, parameters, arguments, kept) #name,
	CALLS(FORWARD)
#undef FORWARD
};

static atomic_ulong counts[CALL_COUNT];

/* A program's modules are added and compiled by one thread. */
static _Thread_local bool optimised_crashes, refused, early, is_unknown;

static void *behind(const char *name)
{
	const char *path = getenv("FAULT_NVVM_REAL");
	void *library = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
	void *function = library ? dlsym(library, name) : NULL;
	if (!function) {
		fprintf(stderr, "nvvm_fault: no %s behind '%s'\n", name, path ? path : "");
		exit(99);
	}
	return function;
}

/* What this call is to return instead of being made; 0: it is made. */
static int fault_of(enum call call)
{
	const unsigned long number = atomic_fetch_add(&counts[call], 1) + 1;
	const char *wanted = getenv("FAULT_NVVM");
	const size_t name_B = strlen(names[call]);
	unsigned long n = 0;
	int result = 0;
	if (call == CALL_nvvmCompileProgram && is_unknown)
		return INVALID_IR;
	if (!wanted || strncmp(wanted, names[call], name_B) || wanted[name_B] != ':' ||
	    sscanf(wanted + name_B, ":%lu:%d", &n, &result) != 2 || n != number)
		return 0;
	return result;
}

/* UBSan would see the store and end the process without a signal. */
__attribute__((no_sanitize("undefined"))) static void crash(void)
{
	static volatile int *volatile nowhere;
	*nowhere = 1;
}

static int use_up(int depth)
{
	volatile char frame[1024];
	frame[depth & 1023] = (char)depth;
	return depth < INT_MAX ? use_up(depth + 1) + frame[0] : 0;
}

static void overflow(void)
{
	static _Atomic int first, second;
	static _Atomic bool ended;
	int none = 0, own = gettid();
	if (!atomic_compare_exchange_strong(&first, &none, own))
		atomic_store(&second, own);
	for (int ms = 0; ms < 1000 && !second; ms++)
		usleep(1000);
	const bool chosen = !second || (own == second) == (second > first);
	while (!chosen || atomic_exchange(&ended, true))
		pause();
	(void)use_up(0);
}

/* Whether a call did what it was not to do; who tries says so on stderr. */
static bool was_let(const char *what, long result)
{
	if (result >= 0)
		fprintf(stderr, "nvvm_fault: %s is allowed\n", what);
	return result >= 0;
}

#define TRIED(call) was_let(#call, (long)(call))

/* Its flags, such as append-only, by a descriptor that is open for reading; not every file system has any. */
static int flags_set(const char *path)
{
	int flags = 0;
	const int file = open(path, O_RDONLY | O_CLOEXEC);
	const bool set = file >= 0 && !ioctl(file, FS_IOC_GETFLAGS, &flags) && !ioctl(file, FS_IOC_SETFLAGS, &flags);
	if (file >= 0)
		close(file);
	return set ? 0 : -1;
}

/* The folder has a file `there`. */
static bool files_are_let(void)
{
	bool let = TRIED(open("made", O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	let |= TRIED(open("there", O_WRONLY | O_CLOEXEC));
	let |= TRIED(open("there", O_RDWR | O_CLOEXEC));
	let |= TRIED(open("there", O_RDONLY | O_TRUNC | O_CLOEXEC));
	let |= TRIED(open(".", O_RDWR | O_TMPFILE | O_CLOEXEC, 0600));
	let |= TRIED(truncate("there", 1));
	let |= TRIED(rename("there", "gone"));
	let |= TRIED(link("there", "second"));
	let |= TRIED(symlink("there", "third"));
	let |= TRIED(chmod("there", 0777));
	let |= TRIED(utimensat(AT_FDCWD, "there", NULL, 0));
	let |= TRIED(flags_set("there"));
	let |= TRIED(mkdir("folder", 0700));
	let |= TRIED(mkfifo("fifo", 0600));
	return TRIED(unlink("there")) | let;
}

static bool others_are_let(void)
{
	int pair[2];
	bool let = TRIED(socket(AF_INET, SOCK_STREAM, 0));
	let |= TRIED(socket(AF_UNIX, SOCK_STREAM, 0));
	let |= TRIED(socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
	let |= TRIED(ptrace(PTRACE_ATTACH, getppid(), NULL, NULL));
	let |= TRIED(kill(getpid(), 0));
	let |= TRIED(setpriority(PRIO_PROCESS, (id_t)getppid(), 19));
	char *const program[] = {(char[]){"true"}, NULL};
	return TRIED(execv("/bin/true", program)) | let;
}

/* What has to work all the same. */
static bool reads(void)
{
	const int file = open("there", O_RDONLY | O_CLOEXEC);
	return file >= 0 && !close(file) && !raise(0);
}

static bool escapes(void)
{
	const char *folder = getenv("FAULT_NVVM_FOLDER");
	if (!folder || chdir(folder))
		return true;
	return !reads() || files_are_let() || others_are_let();
}

static void plant(const char *text, size_t size_B)
{
	refused = memmem(text, size_B, "plant_refused", strlen("plant_refused"));
	optimised_crashes = refused ||
			    memmem(text, size_B, "plant_optimised", strlen("plant_optimised"));
	refused = refused && !memmem(text, size_B, "alloca", strlen("alloca"));
	early = memmem(text, size_B, "plant_early", strlen("plant_early"));
	refused |= !!memmem(text, size_B, "plant_early_refused", strlen("plant_early_refused"));
	if (memmem(text, size_B, "plant_segv", strlen("plant_segv")))
		crash();
	if (memmem(text, size_B, "plant_abort", strlen("plant_abort")))
		abort();
	if (memmem(text, size_B, "plant_overflow", strlen("plant_overflow")))
		overflow();
	if (memmem(text, size_B, "plant_exit", strlen("plant_exit")))
		_exit(0);
	if (memmem(text, size_B, "plant_pause", strlen("plant_pause")))
		usleep(500000);
	while (memmem(text, size_B, "plant_hang", strlen("plant_hang")))
		pause();
}

/* Strings are names of types in metadata, which no libnvvm looks at. */
static bool is_letter(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '"';
}

static bool has_word(const char *text, size_t size_B, const char *word, size_t word_B)
{
	const char *end = text + size_B, *at = text;
	while ((at = memmem(at, (size_t)(end - at), word, word_B))) {
		if ((at == text || !is_letter(at[-1])) &&
		    (at + word_B == end || !is_letter(at[word_B])))
			return true;
		at++;
	}
	return false;
}

static bool has_unknown(const char *text, size_t size_B)
{
	const char *word = getenv("FAULT_NVVM_LACKS");
	while (word && *word) {
		const size_t word_B = strcspn(word, ",");
		if (has_word(text, size_B, word, word_B))
			return true;
		word += word_B + (word[word_B] == ',');
	}
	return false;
}

/* --- what was compiled before ---------- */

/* Of the program that this thread has added last: the hash of its text, and of its options when it is compiled; and its
 * result, if that was kept. */
static _Thread_local uint64_t kept_key;
static _Thread_local char *kept_text;

/* False without a folder. */
static bool kept_path(char path[PATH_MAX], const char *suffix)
{
	const char *folder = getenv("FAULT_NVVM_KEPT");
	const unsigned long long key = kept_key;
	return folder && snprintf(path, PATH_MAX, "%s/%016llx%s", folder, key, suffix) < PATH_MAX;
}

static bool find_kept(int count, const char **options)
{
	char path[PATH_MAX];
	size_t size_B = 0;
	for (int i = 0; i < count; i++)
		kept_key = XXH3_64bits_withSeed(options[i], strlen(options[i]) + 1, kept_key);
	free(kept_text);
	kept_text = NULL;
	FILE *file = kept_path(path, "") ? fopen(path, "r") : NULL;
	const ssize_t length = file ? getdelim(&kept_text, &size_B, 0, file) : 0;
	if (file)
		fclose(file);
	if (length > 0)
		return true;
	free(kept_text);
	kept_text = NULL;
	return false;
}

static bool kept_size(size_t *size_B)
{
	if (kept_text)
		*size_B = strlen(kept_text) + 1;
	return kept_text;
}

static bool kept_result(char *text)
{
	if (kept_text)
		strcpy(text, kept_text);
	return kept_text;
}

/* Other threads and processes see the whole file or none. */
static void keep(const char *text)
{
	char path[PATH_MAX], part[PATH_MAX], suffix[32];
	snprintf(suffix, sizeof(suffix), ".%d", (int)gettid());
	FILE *file = kept_path(path, "") && kept_path(part, suffix) ? fopen(part, "w") : NULL;
	if (!file)
		return;
	const bool written = fputs(text, file) >= 0;
	if (!fclose(file) && written)
		(void)rename(part, path);
}

/* Called by nvvmAddModuleToProgram's row below, whose arguments these are. */
static int planted(const char *data, size_t size_B)
{
	is_unknown = has_unknown(data, size_B);
	kept_key = XXH3_64bits(data, size_B);
	if (!getenv("FAULT_NVVM_PLANTED"))
		return 1;
	plant(data, size_B);
	return !memmem(data, size_B, "plant_escape", strlen("plant_escape")) || !escapes();
}

static const char *compiled_for(const char *option)
{
	if (getenv("FAULT_NVVM_OLDER") && !strcmp(option, "-arch=compute_70"))
		return "-arch=compute_75";
	if (getenv("FAULT_NVVM_DRIVER") && !strncmp(option, "-arch=compute_1", strlen("-arch=compute_1")))
		return "-arch=compute_90";
	return option;
}

/* The options with compute_75 in place of compute_70, which the library behind does not know; the result is changed
 * back.  So are those for newer ones, whose result remains as it is.  A program's result is fetched by the thread that
 * compiled it. */
static _Thread_local bool is_older;
static _Thread_local char *result_text;

static const char **newer(int count, const char **options)
{
	static _Thread_local const char *changed[OPTIONS_MAX];
	is_older = false;
	for (int i = 0; i < count && i < OPTIONS_MAX; i++) {
		changed[i] = compiled_for(options[i]);
		is_older |= changed[i] != options[i];
	}
	return is_older ? changed : options;
}

/* What nvvmGetCompiledResult wrote. */
static void make_older(void)
{
	char *target = is_older ? strstr(result_text, ".target sm_75") : NULL;
	if (target)
		memcpy(target, ".target sm_70", strlen(".target sm_70"));
}

static char *line_start(const char *text, char *at)
{
	while (at > text && at[-1] != '\n')
		at--;
	return at;
}

/* Exchanges the first line that stores and the line before it. */
static void make_early(void)
{
	char *place = early ? strstr(result_text, "st.global") : NULL, *end = place ? strchr(place, '\n') : NULL;
	if (!end)
		return;
	char *store = line_start(result_text, place), *before = line_start(result_text, store - 1);
	const size_t store_B = (size_t)(end + 1 - store), before_B = (size_t)(store - before);
	char *line = strndup(before, before_B);
	if (!line)
		return;
	memmove(before, store, store_B);
	memcpy(before + store_B, line, before_B);
	free(line);
}

/* The same for nvvmCompileProgram. */
static int unplanted(int count, const char **options)
{
	for (int i = 0; i < count; i++) {
		if (strcmp(options[i], "-opt=0"))
			continue;
		early = false;
		return !refused;
	}
	if (optimised_crashes)
		crash();
	return 1;
}

#define FORWARD(name, parameters, arguments, kept)           \
	int name parameters;                                 \
	int name parameters                                  \
	{                                                    \
		int (*function) parameters;                  \
		const int fault = fault_of(CALL_##name);     \
		if (fault && CALL_##name != CALL_nvvmDestroyProgram) \
			return fault;                        \
		if (kept)                                    \
			return 0;                            \
		*(void **)&function = behind(#name);         \
		const int result = function arguments;       \
		if (CALL_##name == CALL_nvvmGetCompiledResult && !result) { \
			keep(result_text);                   \
			make_older();                        \
			make_early();                        \
		}                                            \
		return fault ? fault : result;               \
	}
CALLS(FORWARD)
#undef FORWARD

const char *nvvmGetErrorString(int result);
const char *nvvmGetErrorString(int result)
{
	const char *(*function)(int);
	*(void **)&function = behind("nvvmGetErrorString");
	return function(result);
}

__attribute__((destructor)) static void write_counts(void)
{
	const char *path = getenv("FAULT_NVVM_COUNT");
	FILE *file = path ? fopen(path, "w") : NULL;
	if (!file)
		return;
	for (int i = 0; i < CALL_COUNT; i++)
		if (counts[i])
			fprintf(file, "call %s %lu\n", names[i], counts[i]);
	fclose(file);
}
