/* What the control group of this process allows, and the groups above it: the least of their limits holds (cgroups(7),
 * versions 1 and 2).  A container usually sees its own group as the uppermost one; a batch system such as Slurm, or a
 * systemd unit, puts a process into a group further down.
 * root: the file system whose files are read, "" for this machine's.  Thread-safe. */
#ifndef CULVERT_BASE_CONTROL_GROUP_H
#define CULVERT_BASE_CONTROL_GROUP_H

#include <stdint.h>

/* The number of processors that the groups have time for, rounded up; 0: there is no limit. */
unsigned control_group_processors(const char *root);

/* The memory in bytes that the groups may use; 0: there is no limit. */
uint64_t control_group_memory_B(const char *root);

#endif
