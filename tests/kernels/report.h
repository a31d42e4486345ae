/* What softcuda's checker says while a kernel file runs.  One thread. */
#ifndef CULVERT_TESTS_KERNELS_REPORT_H
#define CULVERT_TESTS_KERNELS_REPORT_H

/* A file's text, to be freed; NULL when it cannot be read. */
char *text_read(const char *path);

/* The environment is read once per process: what the kernel file wants of the checker
 * is set before OpenCL is used. */
void report_prepare(const char *path);
/* What is wrong with what was reported by now, to be freed; NULL: it has wanted in it, and each
 * line names all that it has to; with "", there is nothing. */
char *report_wrong(const char *wanted);
void report_finish(void);

#endif
