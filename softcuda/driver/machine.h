/* The kind of machine that softcuda acts as, CULVERT_SOFT_MACHINE, who else uses it, CULVERT_SOFT_SHARING, and what its
 * kernels may read, CULVERT_SOFT_BOUNDS. */
#ifndef CULVERT_SOFTCUDA_DRIVER_MACHINE_H
#define CULVERT_SOFTCUDA_DRIVER_MACHINE_H

#include <stdint.h>

enum soft_machine {
	SOFT_MACHINE_UNKNOWN,     /* the variable names none, which has been logged */
	SOFT_MACHINE_DESKTOP,     /* a card with memory of its own on a PCI bus, under Linux */
	SOFT_MACHINE_INTEGRATED,  /* a Jetson's: one memory, but no sharing of page tables or managed pages */
	SOFT_MACHINE_COHERENT,    /* Grace-Hopper: two memories, and each side reaches both by the host's page tables */
	SOFT_MACHINE_WSL          /* a card that Windows drives: no sharing with other devices or processes */
};

/* Who else uses the devices: CULVERT_SOFT_SHARING.  Exclusive and prohibited are CUDA's compute modes. */
enum soft_sharing {
	SOFT_SHARING_UNKNOWN,     /* the variable names nothing of these, which has been logged */
	SOFT_SHARING_ALONE,       /* nobody */
	SOFT_SHARING_BUSY,        /* other processes hold three quarters of the memory */
	SOFT_SHARING_EXCLUSIVE,   /* one process at a time may have a context on a device: this one has it */
	SOFT_SHARING_PROHIBITED,  /* no process may have one */
	SOFT_SHARING_INSTANCE,    /* MIG: this process has an eighth of one device, and sees no other */
	SOFT_SHARING_CACHED       /* Linux, which keeps files in the memory of an integrated device, and gives it up */
};

/* Reads outside of buffers: CULVERT_SOFT_BOUNDS. */
enum soft_bounds {
	SOFT_BOUNDS_UNKNOWN,      /* the variable names nothing of these, which has been logged */
	SOFT_BOUNDS_LOOSE,        /* they give zeros close to a buffer, unless kernels are watched */
	SOFT_BOUNDS_EXACT         /* they are faults */
};

/* Any thread. */
enum soft_machine soft_machine(void);
enum soft_sharing soft_sharing(void);
enum soft_bounds soft_bounds(void);
/* The compute mode that a device has by that: an enum CUcomputemode. */
int soft_compute_mode(void);
/* The part of memory_B that other processes hold. */
uint64_t soft_memory_of_others_B(uint64_t memory_B);
/* What cuMemGetInfo says of free memory: most of it is used by Linux with SOFT_SHARING_CACHED. */
uint64_t soft_memory_told_B(uint64_t free_B);

#endif
