# Threads of the driver: completion, callbacks, workers.
icd_thread_sources = \
	icd/thread/complete.c icd/thread/complete.h icd/thread/witnesses.c icd/thread/witnesses.h
EXTRA_DIST += icd/thread/README.md
