/* cvt's modifiers, as the decoder gives them to the handlers in op->mode. */
#ifndef CULVERT_SOFTCUDA_EXEC_CONVERT_H
#define CULVERT_SOFTCUDA_EXEC_CONVERT_H

enum convert_mode {
	CONVERT_DEFAULT = 0,
	CONVERT_RN = 1,
	CONVERT_RZ = 2,
	CONVERT_RM = 3,
	CONVERT_RP = 4,
	CONVERT_RNA = 5,          /* ties away from zero; tf32 only */
	CONVERT_ROUNDING = 7,
	CONVERT_INTEGRAL = 8,     /* .rni and its like: to a whole number */
	CONVERT_FTZ = 16,
	CONVERT_SAT = 32,
	CONVERT_RELU = 64,
	CONVERT_SATFINITE = 128   /* too large becomes the largest; 8-bit floats know nothing else */
};

/* cvt.pack: op->imm is how many bits a value gets, and whether they are signed. */
enum pack_mode { PACK_BITS = 31, PACK_SIGNED = 32 };

#endif
