# Measurements, made on demand: make tests/bench/bench_queues
if HAVE_OPENCL_LOADER
EXTRA_PROGRAMS += tests/bench/bench_queues
tests_bench_bench_queues_SOURCES = tests/bench/bench_queues.c tests/bench/bench_raw.c \
	tests/bench/bench_raw.h
tests_bench_bench_queues_LDADD = $(OPENCL_LIBS) -ldl
endif
