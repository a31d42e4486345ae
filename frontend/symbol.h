/* Names of SPIR-V as symbols of a module of LLVM and of PTX.
 *
 * A kernel, function or variable of SPIR-V may have any text as its name (SPIR-V 1.6, 2.2.1), none at all
 * included; kernels have their names, what is linked has its own, and a kernel and a function may have
 * one name.  So that no name meets one of ours:
 *
 *	LLVM                        culvert.kernel.a b       a kernel
 *	                            a b                      linked, as a source has it
 *	                            culvert.linked.llvm.x    linked, where the name itself means something else
 *	PTX                         culvert_kernel_a$20b     a kernel, where PTX has no such name
 *
 * Plain functions of text.  Thread-safe. */
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
/* A kernel in PTX, where its own name will not do. */
#define SYMBOL_ENTRY "culvert_kernel_"

/* PTX ISA 9.0, 4.4: implementations take names of at least that. */
enum { SYMBOL_MOST_B = 1024 };

/* Appends it in letters, digits and '_'; any other byte is '$' and two hexadecimal digits. */
void fe_symbol_escape(struct bytes *text, const char *name, size_t size_B);

/* Appends a kernel's name in PTX: its own, if PTX can have it, or one that no other name becomes. */
void fe_symbol_entry(struct bytes *entry, const char *name, size_t size_B);
/* Whether PTX can have the name as it is. */
bool fe_symbol_is_plain(const char *name, size_t size_B);

/* What a symbol of LLVM is called in the program: what is behind SYMBOL_KERNEL or SYMBOL_LINKED. */
const char *fe_symbol_shown(const char *symbol);
bool fe_symbol_starts(const char *symbol, const char *start);

/* Names go into logs as they are, but for control characters, which a terminal might obey and a line's end
 * is: those of size_B bytes become '?'. */
void fe_symbol_clean(char *text, size_t size_B);

#ifdef __cplusplus
}
#endif

#endif
