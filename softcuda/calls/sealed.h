/* Memory by file descriptor: memfds, told apart by their seals.  SHRINK and GROW: CUDA's own memory, for
 * cuMemImportFromShareableHandle.  SHRINK, GROW and SEAL: what another API would export, for cuImportExternalMemory.
 * As on hardware, neither call accepts what is for the other. */
#ifndef CULVERT_SOFTCUDA_CALLS_SEALED_H
#define CULVERT_SOFTCUDA_CALLS_SEALED_H

#include <fcntl.h>
#include <stdint.h>
#include <sys/stat.h>

/* The size of a memfd with exactly these seals; 0: fd is something else. */
static inline uint64_t soft_sealed_size_B(int fd, int seals)
{
	struct stat status;
	if (fcntl(fd, F_GET_SEALS) != seals || fstat(fd, &status) || status.st_size <= 0)
		return 0;
	return (uint64_t)status.st_size;
}

#endif
