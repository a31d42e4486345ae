/* What is built.  Texts are the caller's to free; running out of memory ends the process. */
#ifndef CULVERT_TESTS_BENCH_BUILD_SOURCES_H
#define CULVERT_TESTS_BENCH_BUILD_SOURCES_H

/* salt: makes the text another program's. */
char *source_trivial(const char *prologue, const char *salt);
/* 20 kernels of 24 lines, with a loop each that is unrolled. */
char *source_500_lines(const char *prologue, const char *salt);

/* The files of a folder with this ending, in the order of their names. */
struct source_files {
	unsigned count;
	char **names;                   /* without ending */
	char **texts;
};
struct source_files source_files_read(const char *folder, const char *ending);
void source_files_finish(struct source_files *files);

/* text as the program of this salt. */
char *source_salted(const char *text, const char *salt);

#endif
