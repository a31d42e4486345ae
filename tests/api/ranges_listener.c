/* A profiler of ranges: what NVTX loads by NVTX_INJECTION64_PATH.  It writes a line for each
 * range that begins or ends, with the thread's number, to the file of RANGES_FILE. */
#include "config.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NVTX_AS_SYSTEM_HEADER
#include <nvtx3/nvToolsExt.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static FILE *file;
static int domain_mark;

static void write_line(const char *word, const char *name)
{
	pthread_mutex_lock(&lock);
	fprintf(file, "%ld %s %s\n", (long)syscall(SYS_gettid), word, name);
	fflush(file);
	pthread_mutex_unlock(&lock);
}

static nvtxDomainHandle_t domain_create(const char *name)
{
	write_line("domain", name);
	return (nvtxDomainHandle_t)&domain_mark;
}

static int range_push(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *range)
{
	if (domain != (nvtxDomainHandle_t)&domain_mark || range->version != NVTX_VERSION ||
	    range->size != sizeof(*range) || range->messageType != NVTX_MESSAGE_TYPE_ASCII)
		write_line("wrong", "range");
	else
		write_line("push", range->message.ascii);
	return 0;
}

static int range_pop(nvtxDomainHandle_t domain)
{
	write_line(domain == (nvtxDomainHandle_t)&domain_mark ? "pop" : "wrong", "");
	return 0;
}

__attribute__((visibility("default"))) int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get);

int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get)
{
	const NvtxExportTableCallbacks *callbacks = get(NVTX_ETID_CALLBACKS);
	NvtxFunctionTable slots;
	unsigned count;
	const char *path = getenv("RANGES_FILE");
	if (!callbacks || !path ||
	    !callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &slots, &count) ||
	    count <= NVTX_CBID_CORE2_DomainCreateA)
		return 0;
	file = fopen(path, "a");
	if (!file)
		return 0;
	*slots[NVTX_CBID_CORE2_DomainCreateA] = (NvtxFunctionPointer)domain_create;
	*slots[NVTX_CBID_CORE2_DomainRangePushEx] = (NvtxFunctionPointer)range_push;
	*slots[NVTX_CBID_CORE2_DomainRangePop] = (NvtxFunctionPointer)range_pop;
	return 1;
}
