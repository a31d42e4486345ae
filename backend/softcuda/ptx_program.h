/* From the end of a parse to a program: binds calls, lays out shared memory,
 * builds the public lists.  Not thread-safe: the parse's owner. */
#ifndef CULVERT_BACKEND_SOFTCUDA_PTX_PROGRAM_H
#define CULVERT_BACKEND_SOFTCUDA_PTX_PROGRAM_H

#include "backend/softcuda/ptx_parse.h"

/* What an SM of compute capability 9 and later allows. */
#define LOCAL_MAX_B (512u * 1024u)
#define BLOCK_MAX_THREADS 1024u
#define BLOCK_REGISTERS 65536u
#define SHARED_MAX_B (228u * 1024u)

/* The whole text; ptx_parse.c. */
bool ptx_module(struct ptx_parser *parser);

/* Copies the parsed function's lists into parser->code; ptx_program.c. */
bool ptx_code_finish(struct ptx_parser *parser);

/* Puts the blocks of a function into an order in which lanes of a warp meet where a GPU's do: each
 * before those that it goes on to, but for loops' ways back, and loops in one piece; ptx_layout.c. */
bool ptx_layout(struct ptx_parser *parser, struct code *code);

/* Takes out the loads of parser->unneeded whose register no op reads; ptx_registers.c. */
bool ptx_registers_drop_unneeded(struct ptx_parser *parser, struct op *ops, uint32_t op_count);

/* Gives the virtual registers of code's ops room in the frame: sets register_B, register_peak and
 * reads_unset.  parser->widths has a letter per register; ptx_registers.c. */
bool ptx_registers_place(struct ptx_parser *parser, struct code *code);

#endif
