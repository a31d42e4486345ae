/* The polynomials for ex2 and lg2 of f32, which the interpreter and machine code evaluate in f64.
 *
 * The results are those of the C library's exp2 and log2 of f64, rounded once to f32: a value that lies so near to the
 * middle between two f32 that the library's may be rounded to the other one is in doubt, and the library computes it.
 *
 * ex2: x = n + r, with an integer n and |r| <= 1/2; 2^x = 2^n * (1 + r * EX2(r)).
 * lg2: x = 2^e * (1 + f), with an integer e and sqrt(1/2) <= 1 + f < sqrt(2); log2(x) = e + f * LG2(f).
 *
 * The coefficients are those of the best approximations (Chebyshev) of (2^r - 1) / r and log2(1 + f) / f in these
 * ranges; that of the highest power comes first.  docs/decisions.md says how the results were verified. */
#ifndef CULVERT_SOFTCUDA_EXEC_APPROX_H
#define CULVERT_SOFTCUDA_EXEC_APPROX_H

#include <stdint.h>

/* The coefficients, each as an argument of TERM.  The relative errors are below 2^-45. */
#define APPROX_EX2(TERM)                                                                       \
	TERM(0x1.b63880a30e9ffp-24) TERM(0x1.63d136366db24p-20) TERM(0x1.ffcb9515a8016p-17)   \
	TERM(0x1.4308ac85aa947p-13) TERM(0x1.5d87fe86fe88ep-10) TERM(0x1.3b2ab7181b755p-7)    \
	TERM(0x1.c6b08d7047e52p-5) TERM(0x1.ebfbdff823cedp-3) TERM(0x1.62e42fefa39efp-1)
#define APPROX_LG2(TERM)                                                                       \
	TERM(0x1.a396c64964f93p-5) TERM(-0x1.b754a4d947185p-4) TERM(0x1.cd6f465c4eb5fp-4)     \
	TERM(-0x1.a804c0563dad8p-4) TERM(0x1.bcb6ab13010d7p-4) TERM(-0x1.eafc965718621p-4)    \
	TERM(0x1.0cf388cd2666cp-3) TERM(-0x1.2788ea90c3c26p-3) TERM(0x1.4847b8ace2716p-3)     \
	TERM(-0x1.7153aba7fd0c0p-3) TERM(0x1.a61773d6386d4p-3) TERM(-0x1.ec70a207dd245p-3)    \
	TERM(0x1.2776c4f98ac05p-2) TERM(-0x1.7154764dc9604p-2) TERM(0x1.ec709dc3b5272p-2)     \
	TERM(-0x1.71547652b9d00p-1) TERM(0x1.71547652b82efp+0)

/* How near a value is to the middle between two f32: the difference of the bits of both as f64, in the bits that an f32
 * does not have.  A value is in doubt if it is less than APPROX_DOUBT, four times the greatest error.  Results of ex2
 * that are subnormal as f32 are never in doubt. */
#define APPROX_REST UINT32_C(0x1fffffff)
#define APPROX_MIDDLE UINT32_C(0x10000000)
#define APPROX_DOUBT UINT32_C(1024)

/* A sum of f64 with this has the nearest integer in its lowest bits. */
#define APPROX_WHOLE 0x1.8p52
/* |x| up to here is enough for ex2: the results are 0 and infinity. */
#define APPROX_EX2_MOST 256.0
/* The bits of sqrt(1/2) without its lower half, and what makes 1 of it. */
#define APPROX_ROOT_HALF UINT64_C(0x3fe6a09e00000000)
#define APPROX_TO_ONE (UINT64_C(0x3ff0000000000000) - APPROX_ROOT_HALF)
#define APPROX_FRACTION UINT64_C(0x000fffffffffffff)
/* A number below 2^52 in the lowest bits of this f64 is added to 2^52. */
#define APPROX_ADDED UINT64_C(0x4330000000000000)

#endif
