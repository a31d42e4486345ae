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
