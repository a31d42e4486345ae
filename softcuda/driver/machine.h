/* The kind of machine that softcuda acts as: CULVERT_SOFT_MACHINE. */
#ifndef CULVERT_SOFTCUDA_DRIVER_MACHINE_H
#define CULVERT_SOFTCUDA_DRIVER_MACHINE_H

enum soft_machine {
	SOFT_MACHINE_UNKNOWN,     /* the variable names none, which has been logged */
	SOFT_MACHINE_DESKTOP,     /* a card with memory of its own on a PCI bus, under Linux */
	SOFT_MACHINE_INTEGRATED,  /* a Jetson's: one memory, but no sharing of page tables or managed pages */
	SOFT_MACHINE_COHERENT,    /* Grace-Hopper: two memories, and each side reaches both by the host's page tables */
	SOFT_MACHINE_WSL          /* a card that Windows drives: no sharing with other devices or processes */
};

/* Any thread. */
enum soft_machine soft_machine(void);

#endif
