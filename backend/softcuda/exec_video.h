/* What a SIMD video instruction does, as the decoder gives it in op->imm. */
#ifndef CULVERT_BACKEND_SOFTCUDA_EXEC_VIDEO_H
#define CULVERT_BACKEND_SOFTCUDA_EXEC_VIDEO_H

enum video_operation {
	VIDEO_ADD, VIDEO_SUB, VIDEO_AVERAGE, VIDEO_MIN, VIDEO_MAX, VIDEO_DIFFERENCE,
	VIDEO_EQ, VIDEO_NE, VIDEO_LT, VIDEO_LE, VIDEO_GT, VIDEO_GE
};

enum video_flag {
	VIDEO_OPERATION = 15,     /* the bits of enum video_operation */
	VIDEO_HALVES = 16,        /* else bytes */
	VIDEO_SIGNED_A = 32,
	VIDEO_SIGNED_B = 64,
	VIDEO_SIGNED = 128,       /* the result, for saturation */
	VIDEO_SATURATES = 256,
	VIDEO_ADDS = 512          /* the elements' results to the last operand */
};

#endif
