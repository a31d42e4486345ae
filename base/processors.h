/* How many processors this process may use, by which threads and compilers are counted.  Thread-safe. */
#ifndef CULVERT_BASE_PROCESSORS_H
#define CULVERT_BASE_PROCESSORS_H

/* Those that the calling thread may run on (sched_setaffinity), but no more than the control group that we are in has
 * time for, rounded up.  1 at least. */
unsigned processors_usable(void);

/* The latter alone, of the file system at root, which is "" but in tests; 0: there is no limit. */
unsigned processors_of_group(const char *root);

#endif
