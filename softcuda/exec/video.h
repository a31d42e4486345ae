/* What a video instruction does, as the decoder gives it in op->imm. */
#ifndef CULVERT_SOFTCUDA_EXEC_VIDEO_H
#define CULVERT_SOFTCUDA_EXEC_VIDEO_H

enum video_operation {
	VIDEO_ADD, VIDEO_SUB, VIDEO_AVERAGE, VIDEO_MIN, VIDEO_MAX, VIDEO_DIFFERENCE,
	VIDEO_EQ, VIDEO_NE, VIDEO_LT, VIDEO_LE, VIDEO_GT, VIDEO_GE, VIDEO_SHL, VIDEO_SHR
};

enum video_flag {
	VIDEO_OPERATION = 15,     /* the bits of enum video_operation */
	VIDEO_HALVES = 16,        /* of those of several values; else bytes */
	VIDEO_SIGNED_A = 32,
	VIDEO_SIGNED_B = 64,
	VIDEO_SIGNED = 128,       /* the result */
	VIDEO_SATURATES = 256,
	VIDEO_ADDS = 512,         /* the result to the last operand */
	VIDEO_TAKES_LESS = 1024,  /* of the result and the last operand; vmad: - a * b */
	VIDEO_TAKES_MORE = 2048,  /* the same; vmad: - c */
	VIDEO_WRAPS = 4096        /* a shift's count; vmad: one more */
};

/* Behind the flags: which parts are read and written. */
enum video_part {
	/* Of one value: 0 the word, 1 to 4 a byte, 5 and 6 a half; of vmad the last is by how
	 * much its result is shifted. */
	VIDEO_PART_A = 16, VIDEO_PART_B = 20, VIDEO_PART_D = 24,
	/* Of several: 3 bits an element, which count through a and b; a bit an element. */
	VIDEO_SELECT_A = 16, VIDEO_SELECT_B = 28, VIDEO_MASK = 40
};

#endif
