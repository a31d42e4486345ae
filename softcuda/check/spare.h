/* Memory of the checker that launches give back, for the next ones: the system takes longer to hand out new pages than
 * it takes to clear these.  It comes from the heap in large parts, of which each is kept or freed as a whole.
 *
 * Thread-safe. */
#ifndef CULVERT_SOFTCUDA_CHECK_SPARE_H
#define CULVERT_SOFTCUDA_CHECK_SPARE_H

/* A sheet; the cells of a page of words, and of bytes, and its second records (check/shadow.h); the accesses of a
 * work-group that are put off, its atomics, and those of different words (struct check_put_off). */
enum spare_kind {
	SPARE_SHEET, SPARE_CELLS, SPARE_BYTES, SPARE_SECOND, SPARE_LATER, SPARE_ATOMICS, SPARE_SCATTERS, SPARE_KINDS
};

/* The size of those parts, that of a large page. */
enum { SPARE_CHUNK_B = 2 << 20 };

/* Memory for one of a kind, with any content; NULL when out of memory.  The caller owns it until spare_give_back. */
void *spare_take(enum spare_kind kind);
/* memory: of spare_take, or NULL.  It is kept or freed. */
void spare_give_back(enum spare_kind kind, void *memory);
/* Frees what was kept; for the library's destructor. */
void spare_shutdown(void);

#endif
