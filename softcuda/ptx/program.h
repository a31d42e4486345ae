/* From the end of a parse to a program: binds calls, lays out shared memory,
 * builds the public lists.  Not thread-safe: the parse's owner. */
#ifndef CULVERT_SOFTCUDA_PTX_PROGRAM_H
#define CULVERT_SOFTCUDA_PTX_PROGRAM_H

#include "softcuda/ptx/parse.h"

/* The whole text; ptx/module.c. */
bool ptx_module(struct ptx_parser *parser);

/* The content of a list as the program's own array, the list emptied; NULL when out of memory; ptx/code.c. */
void *ptx_keep(struct ptx_parser *parser, struct bytes *list);
/* Copies the parsed function's lists into parser->code; ptx/code.c. */
bool ptx_code_finish(struct ptx_parser *parser);

/* Puts the blocks of a function into an order in which lanes of a warp meet where a GPU's do: each
 * before those that it goes on to, but for loops' ways back, and loops in one piece; ptx/layout.c. */
bool ptx_layout(struct ptx_parser *parser, struct code *code);

/* Marks the branches of loops that only wait for what other work-items do: each iteration does the same and changes
 * nothing but what atomic and volatile accesses change.  Before registers are placed; ptx/polls.c. */
void ptx_polls_mark(struct code *code);

/* Takes out the loads of parser->unneeded whose register no op reads; ptx/registers.c. */
bool ptx_registers_drop_unneeded(struct ptx_parser *parser, struct op *ops, uint32_t op_count);

/* Gives the virtual registers of code's ops room in the frame: sets register_B, register_peak and
 * reads_unset.  parser->widths has a letter per register; ptx/registers.c. */
bool ptx_registers_place(struct ptx_parser *parser, struct code *code);

/* Makes calls part of the kernels that make them, where that is possible.  The calls are bound; ptx/flat.c. */
bool ptx_flatten(struct ptx_parser *parser);

#endif
