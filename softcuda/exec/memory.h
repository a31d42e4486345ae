/* ld's and st's modifiers, as the decoder gives them in op->mode. */
#ifndef CULVERT_SOFTCUDA_EXEC_MEMORY_H
#define CULVERT_SOFTCUDA_EXEC_MEMORY_H

enum access_order {
	ORDER_WEAK,
	ORDER_RELAXED,    /* and volatile, mmio */
	ORDER_ACQUIRE,
	ORDER_RELEASE,
	ORDER_ACQ_REL,
	ORDER_SC
};

/* x[MEMORY_ADDRESS] is the address; the data are x[0] and on. */
enum { MEMORY_ADDRESS = 4 };

#endif
