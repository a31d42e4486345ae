# Measurements, made on demand: make tests/bench/bench_queues
if HAVE_OPENCL_LOADER
EXTRA_PROGRAMS += tests/bench/bench_queues
tests_bench_bench_queues_SOURCES = tests/bench/bench_queues.c tests/bench/bench_raw.c \
	tests/bench/bench_raw.h
tests_bench_bench_queues_LDADD = $(OPENCL_LIBS) -ldl
EXTRA_PROGRAMS += tests/bench/bench_graphs
tests_bench_bench_graphs_SOURCES = tests/bench/bench_graphs.c tests/api/command_buffer_entry.h \
	tests/api/api_test.h
tests_bench_bench_graphs_LDADD = $(OPENCL_LIBS) -ldl
endif
EXTRA_DIST += tests/bench/README.md tests/bench/rows.c tests/bench/rows.h
