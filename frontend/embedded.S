/* Takes the files of embedded.h in; the assembler's search path says where they are. */
#define HIDDEN_LABEL(name) .globl name; .hidden name; name:
#define EMBED(name, file)        \
	.balign 16;              \
	HIDDEN_LABEL(name)       \
	.incbin file;            \
	HIDDEN_LABEL(name##_end) \
	.byte 0

	.section .rodata, "a", %progbits
	EMBED(fe_embedded_header, "opencl-c-base.h")
	EMBED(fe_embedded_builtins, "builtins.blob")
	EMBED(fe_embedded_index, "builtins.index")
	EMBED(fe_embedded_libdevice, "libdevice.10.bc")

	.section .note.GNU-stack, "", %progbits

/* Data alone is in nobody's way: without this word a library is not marked for CET or BTI. */
#if defined(__x86_64__)
#define FEATURE_AND 0xc0000002
#elif defined(__aarch64__)
#define FEATURE_AND 0xc0000000
#endif
#ifdef FEATURE_AND
	.section .note.gnu.property, "a"
	.balign 8
	.long 4, 16, 5
	.asciz "GNU"
	.long FEATURE_AND, 4, 3, 0
#endif
