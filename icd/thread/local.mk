# Threads of the driver: completion, callbacks, workers.
icd_thread_sources = \
	icd/thread/complete.c icd/thread/complete.h icd/thread/complete_after.c icd/thread/complete_callbacks.c \
	icd/thread/complete_state.c icd/thread/complete_state.h icd/thread/complete_watches.c \
	icd/thread/complete_workers.c icd/thread/witnesses.c icd/thread/witnesses.h
EXTRA_DIST += icd/thread/README.md
