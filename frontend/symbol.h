/* Names of SPIR-V as symbols of an LLVM module and of PTX.
 *
 * A kernel, function or variable of SPIR-V may have any name (SPIR-V 1.6, 2.2.1), also an empty one; kernels and
 * linked symbols have separate names, so that a kernel and a function may have the same one.  To avoid conflicts
 * with names of ours:
 *
 * 	LLVM                        culvert.kernel.a b       a kernel
 * 	                            a b                      linked, as in a source
 * 	                            culvert.linked.llvm.x    linked, if the name itself has another meaning
 * 	PTX                         culvert_kernel_a$20b     a kernel, if PTX does not allow the name
 *
 * Thread-safe: pure functions. */
#ifndef CULVERT_FRONTEND_SYMBOL_H
#define CULVERT_FRONTEND_SYMBOL_H

#include "base/bytes.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SYMBOL_KERNEL "culvert.kernel."
#define SYMBOL_LINKED "culvert.linked."
/* The prefix of a kernel in PTX whose own name is not allowed. */
#define SYMBOL_ENTRY "culvert_kernel_"

/* PTX ISA 9.0, 4.4: implementations support names of at least this length. */
enum { SYMBOL_MOST_B = 1024 };

/* Appends the text in letters, digits and '_'; any other byte becomes '$' and two hexadecimal digits. */
void fe_symbol_escape(struct bytes *text, const char *name, size_t size_B);

/* Appends a kernel's name in PTX: its own if PTX allows it, otherwise one that no other name is converted to. */
void fe_symbol_entry(struct bytes *entry, const char *name, size_t size_B);
/* Whether PTX allows the name. */
bool fe_symbol_is_plain(const char *name, size_t size_B);

/* The name of an LLVM symbol in the program: the part after SYMBOL_KERNEL or SYMBOL_LINKED. */
const char *fe_symbol_shown(const char *symbol);
bool fe_symbol_starts(const char *symbol, const char *start);

/* Replaces control characters, which a terminal might interpret, and ends of lines in size_B bytes by '?', so that
 * names can be written to logs. */
void fe_symbol_clean(char *text, size_t size_B);

#ifdef __cplusplus
}
#endif

#endif
