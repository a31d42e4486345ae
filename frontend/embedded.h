/* Files that are embedded in the library, so that they need not be found at run time.
 *
 * embedded.S includes them at build time.  Thread-safe: constant data. */
#ifndef CULVERT_FRONTEND_EMBEDDED_H
#define CULVERT_FRONTEND_EMBEDDED_H

/* Clang's own opencl-c-base.h, followed by a NUL. */
extern const char fe_embedded_header[];
extern const char fe_embedded_header_end[];      /* points to the NUL */

/* The builtin library: small bitcode modules one after the other, each 16-aligned. */
extern const char fe_embedded_builtins[];
extern const char fe_embedded_builtins_end[];

/* The index of the library: a first line with the library's id, a second one with the data layout of its
 * modules, then one line per function, sorted by byte values: "<symbol> <offset> <size>\n", where offset and
 * size are those of the function's module in fe_embedded_builtins, or "<symbol> -\n" for a function of
 * libdevice. */
extern const char fe_embedded_index[];
extern const char fe_embedded_index_end[];

extern const char fe_embedded_libdevice[];
extern const char fe_embedded_libdevice_end[];

#endif
