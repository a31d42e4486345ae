/* Looking at, and changing, the stages of a build: files named by a hash of what was
 * built, in the folders that CULVERT_DUMP and CULVERT_OVERRIDE name; and their times.
 *
 * Thread-safe; touches the disk, so no lock may be held. */
#ifndef CULVERT_BASE_STAGE_H
#define CULVERT_BASE_STAGE_H

#include "base/bytes.h"
#include "base/hash.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STAGE_NAME_INIT ((struct hash){{0}})

/* The name of what is built with one more part: a hash of the name so far and the part.  Files are called by its first
 * 16 bytes, as 32 hexadecimal digits. */
struct hash stage_name_more(const struct hash *name, const void *data, size_t size_B);

/* Whether stages are to be written; whether they may come from files: then nothing may
 * be taken from a cache, or put there. */
bool stage_dumped(void);
bool stage_watched(void);

/* Writes a stage, where that was asked for.  ending: ".ptx" */
void stage_dump(const struct hash *name, const char *ending, const void *data, size_t size_B);

/* Reads the file that is to be taken in a stage's place into content, which was empty.
 * False: there is none. */
bool stage_override(const struct hash *name, const char *ending, struct bytes *content);

/* How long stages take, as lines "stage: NAME NUMBER us" of the log, for who looks at it with
 * CULVERT_DEBUG=info; costs nothing otherwise. */
struct stage_clock {
	uint64_t since_ns;               /* 0: nobody looks */
};

struct stage_clock stage_clock_start(void);
/* The stage of this name ends now, and the next one begins. */
void stage_clock_lap(struct stage_clock *clock, const char *name);

#endif
