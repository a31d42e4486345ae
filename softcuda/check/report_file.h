/* Reports of the software driver to the person who asked for a check: written to the file that CULVERT_SOFT_REPORT
 * names, or to stderr. */
#ifndef CULVERT_SOFTCUDA_REPORT_H
#define CULVERT_SOFTCUDA_REPORT_H

/* Written with one write(2).  May be called in any thread and under any lock.  A report that cannot be written is
 * lost, and that is logged. */
void soft_report(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Creates the file, if there is to be one, so that it tells that something was checked.  Thread-safe; done once. */
void soft_report_begin(void);

#endif
