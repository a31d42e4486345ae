/* What softcuda's checker says while a kernel file runs.  One thread. */
#ifndef CULVERT_TESTS_KERNELS_REPORT_H
#define CULVERT_TESTS_KERNELS_REPORT_H

/* A file's text, to be freed; NULL when it cannot be read. */
char *text_read(const char *path);

/* The environment is read once per process: what the kernel file wants of the checker
 * is set before OpenCL is used. */
void report_prepare(const char *path);
/* What was reported by now, to be freed; NULL when there is nothing to read. */
char *report_read(void);
/* Which line of text lacks what each report has to name, to be freed; NULL when none does. */
char *report_lacking(const char *text);
void report_finish(void);

#endif
