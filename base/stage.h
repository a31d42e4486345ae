/* The stages of a build, such as its PTX, as files that a person can look at (CULVERT_DUMP) or replace
 * (CULVERT_OVERRIDE), and how long each stage takes.  The files are named by a hash of what is built.
 *
 * Thread-safe; it reads and writes files, so no lock may be held. */
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

/* Whether stages are written to files. */
bool stage_dumped(void);
/* Whether stages are written to files or read from them: then the cache must not be used. */
bool stage_watched(void);

/* Writes a stage to its file, if stage_dumped.  ending: of the file's name, such as ".ptx". */
void stage_dump(const struct hash *name, const char *ending, const void *data, size_t size_B);

/* Reads the file that replaces a stage into content, which is empty before.  False if there is no such file. */
bool stage_override(const struct hash *name, const char *ending, struct bytes *content);

/* Logs how long stages take, as lines "stage: NAME NUMBER us", at level info; at other levels it costs nothing. */
struct stage_clock {
	uint64_t since_ns;               /* when the current stage began; 0: the level is not info */
};

struct stage_clock stage_clock_start(void);
/* Ends the current stage, whose name is name, and begins the next one. */
void stage_clock_lap(struct stage_clock *clock, const char *name);

#endif
