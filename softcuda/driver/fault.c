#include "config.h"

#include "softcuda/driver/fault.h"

#include "base/log.h"
#include "base/options.h"
#include "softcuda/driver/context.h"
#include "softcuda/driver/oracle.h"
#include "softcuda/driver/schedule.h"
#include "softcuda/driver/state.h"
#include "softcuda/exec/exec.h"

#include <fnmatch.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { RULES_MAX = 32, CALLS_MAX = 512, ANY_DEVICE = -1 };

struct rule {
	char *pattern;                       /* owned, as long as the process lives */
	bool is_name;                        /* of one function: it has no wildcards */
	uint64_t first;                      /* the first call that fails, from 1 */
	bool onwards;                        /* all later calls fail, too */
	CUresult result;
	bool sticky, async;
	int device;
	uint64_t seen;                       /* number of matching calls so far */
	uint64_t fired;
};

struct call {
	const char *name;                    /* the __func__ of the exported function */
	uint64_t count;
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
/* Written by start_once; the driver's lock guards the numbers in them. */
static struct rule rules[RULES_MAX];
static unsigned rule_count;
static CUresult started = CUDA_SUCCESS;
static atomic_bool active;           /* calls are counted, and some fail */
static struct call calls[CALLS_MAX];
static unsigned call_count;
static _Thread_local CUresult armed = CUDA_SUCCESS;

/* --- reading the rules ---------- */

static bool read_result(const char *name, CUresult *result_out)
{
	static const struct {
		const char *name;
		int number;
	} results[] = {
#define RESULT(number, name, text) {#name, (number)},
#include "softcuda/driver/result.def"
#undef RESULT
	};
	static const char prefix[] = "CUDA_ERROR_";
	if (!strcmp(name, "DROP")) {
		*result_out = SOFT_DROPPED;
		return true;
	}
	for (size_t i = 0; i < sizeof(results) / sizeof(results[0]); i++) {
		if (strncmp(results[i].name, prefix, sizeof(prefix) - 1) ||
		    strcmp(results[i].name + sizeof(prefix) - 1, name))
			continue;
		*result_out = (CUresult)results[i].number;
		return true;
	}
	return false;
}

static bool read_number(const char *text, uint64_t *number_out, const char **end_out)
{
	char *end;
	if (*text < '0' || *text > '9')
		return false;
	*number_out = strtoull(text, &end, 10);
	*end_out = end;
	return true;
}

static bool read_count(const char *text, struct rule *rule)
{
	const char *end;
	if (!strcmp(text, "*")) {
		rule->first = 1;
		rule->onwards = true;
		return true;
	}
	if (!read_number(text, &rule->first, &end) || !rule->first)
		return false;
	rule->onwards = *end == '+';
	return !end[rule->onwards];
}

static bool read_word(const char *word, struct rule *rule)
{
	uint64_t device;
	const char *end;
	if (!strcmp(word, "sticky")) {
		rule->sticky = true;
		return true;
	}
	if (!strcmp(word, "async")) {
		rule->async = true;
		return true;
	}
	if (strncmp(word, "dev=", 4) || !read_number(word + 4, &device, &end) || *end ||
	    device >= SOFT_DEVICES_MAX)
		return false;
	rule->device = (int)device;
	return true;
}

/* Whether the call can be left undone: it returns nothing but its result. */
static bool droppable(const char *call)
{
	static const char *const patterns[] = {
		"cuEventRecord*", "cuStreamWaitEvent", "cuMemFree*", "cuMemcpy*", "cuMemset*",
		"cuLaunch*Kernel*",
	};
	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++)
		if (!fnmatch(patterns[i], call, 0))
			return true;
	return false;
}

/* Splits text into its fields, in place; the rule keeps the first one. */
static bool read_rule(char *text, struct rule *rule)
{
	char *rest = NULL;
	rule->device = ANY_DEVICE;
	rule->pattern = strtok_r(text, ":", &rest);
	const char *count = strtok_r(NULL, ":", &rest);
	const char *result = strtok_r(NULL, ":", &rest);
	if (rule->pattern != text || !count || !result || !read_count(count, rule) ||
	    !read_result(result, &rule->result))
		return false;
	rule->is_name = !strpbrk(rule->pattern, "*?[\\");
	for (const char *word; (word = strtok_r(NULL, ":", &rest));)
		if (!read_word(word, rule))
			return false;
	return rule->result != SOFT_DROPPED || (!rule->sticky && !rule->async);
}

static CUresult read_rules(const char *text)
{
	while (*text) {
		const size_t size_B = strcspn(text, ",");
		char *copy = strndup(text, size_B);
		if (!copy)
			return CUDA_ERROR_OUT_OF_MEMORY;
		const bool full = rule_count == RULES_MAX;
		if (full || !read_rule(copy, &rules[rule_count])) {
			log_err("%s: '%.*s' is %s", option_name(OPTION_SOFT_FAULT), (int)size_B,
				text, full ? "one rule too many"
					   : "not of the form PATTERN:COUNT:ERROR[:sticky][:async][:dev=N]");
			free(copy);
			return CUDA_ERROR_INVALID_VALUE;
		}
		rule_count++;
		text += size_B + (text[size_B] == ',');
	}
	return CUDA_SUCCESS;
}

CUresult soft_fault_restart_locked(const char *text)
{
	soft_fault_start();
	while (rule_count)
		free(rules[--rule_count].pattern);
	memset(rules, 0, sizeof(rules));
	const CUresult result = read_rules(text);
	if (result != CUDA_SUCCESS)
		rule_count = 0;
	atomic_store(&active, true);
	return result;
}

static void start_once(void)
{
	started = read_rules(option_string(OPTION_SOFT_FAULT));
	/* If any part of the option is invalid, no rule applies. */
	if (started != CUDA_SUCCESS)
		rule_count = 0;
	atomic_store(&active, rule_count || *option_string(OPTION_SOFT_COUNT));
}

CUresult soft_fault_start(void)
{
	pthread_once(&once, start_once);
	return started;
}

/* --- calls ---------- */

static void count_locked(const char *name)
{
	unsigned i = 0;
	while (i < call_count && calls[i].name != name)
		i++;
	/* Mostly, a name is at one address. */
	for (unsigned k = 0; i == call_count && k < call_count; k++)
		if (!strcmp(calls[k].name, name))
			i = k;
	if (i == CALLS_MAX)
		return;
	if (i == call_count)
		calls[call_count++] = (struct call){name, 0};
	calls[i].count++;
}

static bool rule_fires_locked(struct rule *rule, const char *call,
			      const struct soft_context *context)
{
	if (rule->is_name ? strcmp(rule->pattern, call) : fnmatch(rule->pattern, call, 0))
		return false;
	if (rule->result == SOFT_DROPPED && !droppable(call))
		return false;
	if (rule->device != ANY_DEVICE &&
	    (!context || context->device->index != (unsigned)rule->device))
		return false;
	rule->seen++;
	if (rule->seen != rule->first && !(rule->onwards && rule->seen > rule->first))
		return false;
	rule->fired++;
	return true;
}

CUresult soft_fault_call_locked(const char *call, const struct soft_context *context,
				CUresult *sticks_out)
{
	CUresult result = CUDA_SUCCESS;
	soft_fault_start();
	if (!atomic_load_explicit(&active, memory_order_relaxed))
		return CUDA_SUCCESS;
	count_locked(call);
	/* Every rule counts every call, also if another rule has made it fail. */
	for (unsigned i = 0; i < rule_count; i++) {
		struct rule *rule = &rules[i];
		if (!rule_fires_locked(rule, call, context))
			continue;
		log_info("softcuda: %s: fault injected, %d%s", call, (int)rule->result,
			 rule->async			  ? ", when it runs"
			 : rule->result == SOFT_DROPPED ? ": not executed"
							  : "");
		if (rule->async) {
			armed = rule->result;
			continue;
		}
		if (result == CUDA_SUCCESS)
			result = rule->result;
		if (rule->sticky && context)
			*sticks_out = rule->result;
	}
	return result;
}

uint64_t soft_fault_fired_locked(void)
{
	uint64_t fired = 0;
	for (unsigned i = 0; i < rule_count; i++)
		fired += rules[i].fired;
	return fired;
}

uint64_t soft_fault_count_locked(const char *pattern)
{
	uint64_t sum = 0;
	soft_fault_start();
	atomic_store(&active, true);
	for (unsigned i = 0; i < call_count; i++)
		if (!fnmatch(pattern, calls[i].name, 0))
			sum += calls[i].count;
	return sum;
}

CUresult soft_fault_take_operation(void)
{
	const CUresult result = armed;
	armed = CUDA_SUCCESS;
	return result;
}

void soft_fault_call_end(void)
{
	armed = CUDA_SUCCESS;
}

/* --- the end ---------- */

static int compare_calls(const void *one, const void *other)
{
	return strcmp(((const struct call *)one)->name, ((const struct call *)other)->name);
}

void soft_fault_write_locked(struct bytes *text)
{
	qsort(calls, call_count, sizeof(calls[0]), compare_calls);
	for (unsigned i = 0; i < call_count; i++)
		bytes_printf(text, "call %s %llu\n", calls[i].name, (unsigned long long)calls[i].count);
	bytes_printf(text, "faults injected %llu\n", (unsigned long long)soft_fault_fired_locked());
}
